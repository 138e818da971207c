import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Locator } from '@playwright/test';
import { createPolicy } from '@propusk/contract/policies';
import { createSite } from '@propusk/contract/sites';
import { freePort } from '@propusk/test-kit/daemon';
import { startLockedSites } from '../../scripts/locked-site.ts';
import { AGE_CHECKS, choose, dialogOf, enter, screensOf, startConsole, test } from '../support/console.ts';

/**
 * The server has one IP address: api and gateway connect from 127.0.0.1, which the site's lock admits. The owner pairs a
 * second machine, at 127.0.0.20, by the command that the console shows.
 */
const hosts = { desktop: 'crm.romashka.test', phone: 'wiki.romashka.test' };
const PROBE = { timeout: 60_000 };

let sites: Awaited<ReturnType<typeof startLockedSites>>;
let sitePort: number;
let owner: string;
let folder: string;
let machine: ChildProcess | null = null;

test.describe.configure({ mode: 'serial' });
test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vantage-'));
  sitePort = await freePort();
  sites = await startLockedSites(
    sitePort,
    Object.values(hosts).map((name) => ({ name, title: name, admits: '127.0.0.1' })),
  );
});
test.afterEach(async () => {
  if (machine !== null && machine.exitCode === null) {
    process.kill(-(machine.pid ?? 0), 'SIGTERM');
    await once(machine, 'exit');
  }
  machine = null;
});
test.afterAll(async () => {
  await sites.stop();
  await rm(folder, { recursive: true });
});

const product = startConsole(
  async (console) => {
    owner = await console.owner('owner@romashka.test');
    const { id } = await console.call(owner, createPolicy, { body: { name: 'Продажи', proxyId: 1 } });
    for (const host of Object.values(hosts)) {
      const body = { address: `${host}:${sitePort}`, politics: [id] };
      await console.call(owner, createSite, { body });
    }
  },
  (ports) => ({
    GATEWAY_HOSTS: ['console.test', ...Object.values(hosts)].map((name) => `${name}=127.0.0.1`).join(','),
    GATEWAY_ALLOW_NETWORKS: '127.0.0.0/8',
    ECHO_URL: `http://console.test:${ports.console}`,
  }),
);

/** Runs the command that the console shows for the vantage's machine. The test runs it in a shell of this machine. */
function runElsewhere(line: string): ChildProcess {
  const env = {
    ...process.env,
    HOME: folder,
    PROPUSK_INTERFACE: '127.0.0.20',
    PROPUSK_ALLOW_PRIVATE: 'yes',
  };
  return spawn('sh', ['-c', line], { cwd: folder, env, stdio: 'ignore', detached: true });
}

const outcome = (dialog: Locator, name: string) =>
  expect(async () => {
    const again = dialog.getByRole('button', { name: /^Проверить/ });
    if (await dialog.getByText('Сайт только что проверяли').isVisible()) {
      await product.sql(AGE_CHECKS);
      await again.click();
    }
    await expect(dialog.getByRole('status').filter({ hasText: name })).toBeVisible({ timeout: 3000 });
  }).toPass(PROBE);

for (const [screen, viewport] of screensOf(import.meta.url)) {
  test.describe(screen, () => {
    test.use({ viewport });

    test('an owner pairs a vantage, which proves the lock of a site although the server has only one IP address', async ({
      page,
    }) => {
      test.setTimeout(180_000);
      await enter(page, `${product.url}/dashboard/creator/domains`, owner);
      await choose(page, new RegExp(hosts[screen]), 'Проверить');
      const dialog = dialogOf(page);
      await outcome(dialog, 'Неизвестно');
      await expect(dialog.getByRole('status')).toContainText('точку проверки');

      await dialog.getByRole('button', { name: 'Точки проверки' }).click();
      await dialog.getByLabel('Название новой точки').fill('Дача');
      await dialog.getByRole('button', { name: 'Добавить точку' }).click();
      const lines = dialog.getByRole('region', { name: 'Выполните на этой машине' }).locator('pre');
      machine = runElsewhere((await lines.textContent()) ?? '');
      const row = dialog.getByRole('list', { name: 'Список точек проверки' }).getByRole('listitem');
      await expect(row).toContainText('на связи', { timeout: 20_000 });
      await expect(row).toContainText('127.0.0.20');
      await expect(dialog.getByText('vantage.sh once')).toBeVisible();

      await dialog.getByRole('button', { name: 'Назад' }).click();
      await dialog.getByRole('button', { name: 'Проверить снова' }).click();
      await outcome(dialog, 'Защищён');
      await expect(dialog.getByRole('status')).toContainText('точки «Дача»');

      await dialog.getByRole('button', { name: 'Точки проверки' }).click();
      await dialog.getByRole('button', { name: 'Удалить точку «Дача»' }).click();
      const ended = once(machine, 'exit');
      await page.getByRole('button', { name: 'Удалить', exact: true }).last().click();
      await expect(dialog.getByText('Точек пока нет')).toBeVisible();
      await ended;
    });
  });
}
