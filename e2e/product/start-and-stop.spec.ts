import { once } from 'node:events';
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { Token } from '@propusk/contract/auth';
import { createPolicy } from '@propusk/contract/policies';
import { register } from '@propusk/contract/registration';
import { createSite } from '@propusk/contract/sites';
import { freePort } from '@propusk/test-kit/daemon';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { caller } from '../../scripts/call.ts';
import { dialogOf, enter, PASSWORD } from '../support/console.ts';
import {
  makeDataDir,
  type RunningProduct,
  removeDataDir,
  runProduct,
  stopProduct,
  untilHealthy,
  untilReady,
} from '../support/product.ts';

/** `npm start` as an operator uses it: starts, stops and refused starts. */
let dataDir: string;
let ports: { console: number; gateway: number };
const started: RunningProduct[] = [];

function start(env: NodeJS.ProcessEnv = {}, folder = dataDir): RunningProduct {
  const product = runProduct(folder, ports, env);
  started.push(product);
  return product;
}

/** Runs a start that must fail. @returns its output */
async function refusal(env: NodeJS.ProcessEnv = {}, folder = dataDir): Promise<string> {
  const product = start(env, folder);
  expect(await product.ended).not.toBe(0);
  return product.output().trim();
}

test.beforeEach(async () => {
  dataDir = await makeDataDir();
  ports = { console: await freePort(), gateway: await freePort() };
});
test.afterEach(async () => {
  for (const product of started.splice(0)) await stopProduct(product);
  await removeDataDir(dataDir);
});

test('the product starts, Ctrl-C leaves no process, and the second start is quick and finds the data', async () => {
  const first = start();
  await untilReady(first);
  expect(first.output()).toContain(first.consoleUrl);
  expect(first.output()).toContain(`127.0.0.1:${ports.gateway}`);
  // The link with a token is printed only in a terminal, because other output may be a journal.
  expect(first.output()).not.toContain('#token=');
  const registered = await fetch(`${first.consoleUrl}/api/auth/registration`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'Ромашка',
      companyName: 'Ромашка',
      companySite: 'romashka.test',
      email: 'owner@romashka.test',
      password: 'correct horse',
    }),
  });
  const { token } = Token.parse(await registered.json());

  const elapsed = stopwatch();
  first.interrupt();
  // npm exits at the same Ctrl-C on its own, so its exit alone does not prove that the children have ended.
  await first.ended;
  expect(elapsed()).toBeLessThan(10_000);
  expect(await first.processes()).toEqual([]);

  const starting = stopwatch();
  const second = start();
  await untilHealthy(second);
  const tookMs = starting();
  // The limit allows for other spec files that run at the same time; alone, a start takes about a second.
  expect(tookMs).toBeLessThan(15_000);
  test.info().annotations.push({ type: 'second start to health 200, ms', description: tookMs.toFixed() });
  const me = await fetch(`${second.consoleUrl}/api/me`, { headers: { authorization: `Bearer ${token}` } });
  expect(await me.json()).toMatchObject({ email: 'owner@romashka.test' });
});

test('secrets are files that only their owner can read, and the gateway process receives only the gateway secret', async () => {
  const product = start({ ADMIN_EMAIL: 'admin@platform.test', ADMIN_PASSWORD: 'canary of an admin' });
  await untilReady(product);
  for (const name of ['secret-key', 'gateway-secret']) {
    expect((await stat(join(dataDir, name))).mode & 0o777, name).toBe(0o600);
  }
  const gateway = (await product.processes()).find((line) => line.includes('apps/gateway/src/main.ts'));
  const environment = await readFile(`/proc/${gateway?.trim().split(/\s+/)[1]}/environ`, 'utf8');
  expect(environment).toContain('GATEWAY_SECRET=');
  for (const foreign of ['SECRET_KEY=', 'DATABASE_URL=', 'canary of an admin']) {
    expect(environment.replace('GATEWAY_SECRET=', '')).not.toContain(foreign);
  }
});

test('SIGINT to the launcher alone, as a container sends it, ends every process', async () => {
  const product = start();
  await untilReady(product);
  const launcher = (await product.processes()).find((line) => / \S*node \S*scripts\/start\.mjs/.test(line));
  process.kill(Number(launcher?.trim().split(/\s+/)[1]), 'SIGINT');
  await product.ended;
  await expect.poll(() => product.processes(), { timeout: 10_000 }).toEqual([]);
});

test('SIGTERM to npm, as a process manager sends it, ends every process', async () => {
  const product = start();
  await untilReady(product);
  product.process.kill('SIGTERM');
  await product.ended;
  await expect.poll(() => product.processes(), { timeout: 10_000 }).toEqual([]);
});

test('a second start on the same data folder is refused, and the first product keeps running', async () => {
  const first = start();
  await untilReady(first);
  ports = { console: await freePort(), gateway: await freePort() };
  const line = await refusal();
  expect(line).toContain(dataDir);
  expect(line).toContain('DATA_DIR');
  expect(line.split('\n')).toHaveLength(1);
  expect((await fetch(`${first.consoleUrl}/api/health`)).status).toBe(200);
});

test('after a SIGKILL of the whole process group no child remains, and the next start succeeds', async () => {
  const first = start();
  await untilReady(first);
  process.kill(-(first.process.pid ?? 0), 'SIGKILL');
  await first.ended;
  await expect.poll(() => first.processes(), { timeout: 10_000 }).toEqual([]);
  await untilReady(start());
});

test('children end by themselves when only the supervisor is killed', async () => {
  const first = start();
  await untilReady(first);
  const supervisor = (await first.processes()).find((line) => line.includes('apps/supervisor/src/main.ts'));
  process.kill(Number(supervisor?.trim().split(/\s+/)[1]), 'SIGKILL');
  await first.ended;
  await expect.poll(() => first.processes(), { timeout: 10_000 }).toEqual([]);
});

test('the supervisor restarts a child that died', async () => {
  const product = start();
  await untilReady(product);
  for (const part of ['apps/api/src/main.ts', 'apps/gateway/src/main.ts', 'postgres -D']) {
    const line = (await product.processes()).find((one) => one.includes(part));
    expect(line, part).toBeDefined();
    process.kill(Number(line?.trim().split(/\s+/)[1]), 'SIGKILL');
    await expect
      .poll(async () => (await product.processes()).some((one) => one.includes(part) && one !== line), {
        timeout: 15_000,
      })
      .toBe(true);
    await expect
      .poll(
        () =>
          fetch(`${product.consoleUrl}/api/health`).then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: 10_000 },
      )
      .toBe(200);
  }
});

test.describe('a bad setting stops the start with one line that names it', () => {
  const cases: [setting: string, value: string, says: RegExp][] = [
    ['PORT', '70000', /^Настройка PORT .*«70000».*от 1 до 65535$/],
    ['PORT', 'abc', /^Настройка PORT .*«abc»/],
    ['PUBLIC_URL', 'pass.example.ru', /^Настройка PUBLIC_URL .*https:\/\//],
    ['SECRET_KEY', 'short', /^Настройка SECRET_KEY задана неверно\. .*32/],
    ['GATEWAY_ALLOW_NETWORKS', '10.0.0.0/33', /^Настройка GATEWAY_ALLOW_NETWORKS .*10\.0\.0\.0\/8/],
    ['GATEWAY_HOSTS', 'crm=nowhere', /^Настройка GATEWAY_HOSTS/],
    ['SNAPSHOT_MAX_AGE', '-1', /^Настройка SNAPSHOT_MAX_AGE/],
    ['SNAPSHOT_MAX_AGE', '59', /^Настройка SNAPSHOT_MAX_AGE .*от 60 до 86400 \(.*15 секунд.*\)$/],
    ['ADMIN_EMAIL', 'admin@example.ru', /^Настройки ADMIN_EMAIL и ADMIN_PASSWORD/],
    ['LOG_LEVEL', 'loud', /^Настройка LOG_LEVEL/],
    ['PORT', '0', /^Настройка PORT /],
    ['HOST', 'no such host', /^Настройка HOST задана неверно: «no such host»/],
    ['DATABASE_URL', 'mysql://a/b', /^Настройка DATABASE_URL задана неверно\. /],
    ['DATABASE_URL', 'postgresql://nobody@nohost.invalid/none', /^База данных не отвечает .*DATABASE_URL$/],
    ['DATABASE_URL', 'postgresql://nobody@127.0.0.1:1/none', /^База данных не отвечает .*DATABASE_URL$/],
  ];
  for (const [setting, value, says] of cases) {
    test(`the start refuses ${setting}=${value} with one line that names the setting`, async () => {
      const line = await refusal({ [setting]: value });
      expect(line).toMatch(says);
      expect(line.split('\n')).toHaveLength(1);
    });
  }
});

for (const [which, setting] of [
  ['console', 'PORT'],
  ['gateway', 'GATEWAY_PORT'],
] as const) {
  test(`a port in use is reported with the setting that changes it: ${setting}`, async () => {
    const squatter = createServer().listen(ports[which], '127.0.0.1');
    await once(squatter, 'listening');
    const line = await refusal();
    squatter.close();
    expect(line.split('\n').at(-1)).toMatch(new RegExp(`${ports[which]} .*${setting}`));
    // No process remains: after the port is free, the product starts on the same data folder.
    await untilReady(start());
  });
}

test('the start refuses an address that this machine does not have, and names the setting', async () => {
  expect((await refusal({ HOST: 'nosuch.invalid' })).split('\n').at(-1)).toMatch(/«nosuch\.invalid».* HOST$/);
  expect((await refusal({ GATEWAY_EGRESS: '192.0.2.1' })).split('\n').at(-1)).toMatch(
    /«192\.0\.2\.1».* GATEWAY_EGRESS$/,
  );
});

test('the start refuses a lost or different secret key, and overwrites no file', async () => {
  const first = start();
  await untilReady(first);
  await stopProduct(first);
  const path = join(dataDir, 'secret-key');
  const key = await readFile(path, 'utf8');

  await rm(path);
  expect(await refusal()).toMatch(/^Нет файла .*secret-key/);
  expect(await readdir(dataDir)).not.toContain('secret-key');

  await writeFile(path, 'cut');
  expect(await refusal()).toMatch(/secret-key повреждён/);

  await writeFile(path, 'another key of more than thirty-two letters');
  expect(await refusal()).toMatch(/SECRET_KEY не подходит/);

  await writeFile(path, key);
  await untilReady(start());
});

test('the start refuses a corrupt database folder and leaves it unchanged', async () => {
  const first = start();
  await untilReady(first);
  await stopProduct(first);
  const version = join(dataDir, 'postgres', 'PG_VERSION');
  const kept = await readFile(version, 'utf8');
  await writeFile(version, '9.6\n');
  const line = await refusal();
  expect(line).toContain('postgres');
  expect(await readFile(version, 'utf8')).toBe('9.6\n');
  await writeFile(version, kept);
  await chmod(version, 0o600);
  await untilReady(start());
});

test('a plain start fills the lock lines with the egress address, and a restart with ECHO_URL updates them', async ({
  page,
}) => {
  test.setTimeout(240_000);
  const first = start({ GATEWAY_EGRESS: '127.0.0.3', GATEWAY_ALLOW_NETWORKS: '127.0.0.0/8' });
  await untilReady(first);
  const call = caller(() => first.consoleUrl);
  const company = { name: 'Ромашка', companyName: 'Ромашка', companySite: 'romashka.test' };
  const account = { ...company, email: 'owner@romashka.test', password: PASSWORD };
  const { token } = await call(null, register, { body: account });
  const { id } = await call(token, createPolicy, { body: { name: 'Продажи', proxyId: 1 } });
  await call(token, createSite, { body: { address: 'crm.romashka.test', politics: [id] } });
  const open = async () => {
    await enter(page, `${first.consoleUrl}/dashboard/creator/domains`, token);
    await page.getByRole('button', { name: 'Защитить crm.romashka.test' }).click();
  };
  await open();
  const lines = dialogOf(page).getByRole('region', { name: 'Строки замка' }).locator('pre');
  await expect(lines).toContainText('Require ip 127.0.0.3');
  await expect(dialogOf(page).getByText('«Пропуск» запущен только на этом компьютере')).toBeVisible();
  await expect(dialogOf(page)).not.toContainText(/_URL|GATEWAY_|эхо/);

  await stopProduct(first);
  const second = start({
    GATEWAY_EGRESS: '127.0.0.4',
    GATEWAY_ALLOW_NETWORKS: '127.0.0.0/8',
    GATEWAY_HOSTS: 'console.test=127.0.0.1',
    ECHO_URL: `http://console.test:${ports.console}`,
  });
  await untilReady(second);
  await open();
  // The api measures the egress address of the gateway every minute.
  await expect(lines).toContainText('Require ip 127.0.0.4', { timeout: 150_000 });
  await expect(dialogOf(page).getByText('«Пропуск» запущен только на этом компьютере')).toHaveCount(0);
  await expect(lines).not.toContainText('127.0.0.3');
});
