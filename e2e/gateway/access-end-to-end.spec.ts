import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { expect, type Page, test } from '@playwright/test';
import { GatewayAccess } from '@propusk/contract/access';
import { Token } from '@propusk/contract/auth';
import { freePort } from '@propusk/test-kit/daemon';
import {
  startSquid,
  UPSTREAM_PASSWORD,
  UPSTREAM_USER,
  type UpstreamProxy,
} from '@propusk/test-kit/gateway/upstreams';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { startLockedSites } from '../../scripts/locked-site.ts';
import { saveSite } from '../support/console.ts';
import { endProduct, type RunningProduct, startProduct } from '../support/product.ts';

/**
 * The main job end to end: an owner sets access up in the browser, an agent reaches the locked sites
 * through the gateway, all others are refused, and access ends when the owner removes it.
 *
 *   gateway egress 127.0.0.2 ── crm.romashka.test, locked to that address by its .htaccess
 *   squid egress 127.0.0.3 ──── wiki.romashka.test, locked likewise
 */
const run = promisify(execFile);
const GATEWAY_EGRESS = '127.0.0.2';
const SQUID_EGRESS = '127.0.0.3';
const owner = { email: 'ivan@romashka.test', password: 'correct horse' };
const agent = { email: 'petr@romashka.test', password: 'battery staple' };

let product: RunningProduct;
let sites: { stop(): Promise<void> };
let squid: UpstreamProxy;
let sitePort: number;

test.describe.configure({ mode: 'serial' });

test.beforeAll(async () => {
  sitePort = await freePort();
  sites = await startLockedSites(sitePort, [
    { name: 'crm.romashka.test', title: 'Клиенты «Ромашки»', admits: GATEWAY_EGRESS },
    { name: 'wiki.romashka.test', title: 'Знания «Ромашки»', admits: SQUID_EGRESS },
  ]);
  squid = await startSquid(['crm.romashka.test', 'wiki.romashka.test'], SQUID_EGRESS);
  product = await startProduct(() => ({
    GATEWAY_EGRESS,
    GATEWAY_HOSTS: 'crm.romashka.test=127.0.0.1,wiki.romashka.test=127.0.0.1,other.test=127.0.0.1',
    GATEWAY_ALLOW_NETWORKS: '127.0.0.0/8',
  }));
});

test.afterAll(async () => {
  await endProduct(product);
  await squid.stop();
  await sites.stop();
});

async function signIn(page: Page, who: typeof owner): Promise<void> {
  await page.addInitScript(() => localStorage.setItem('checkOnboarding', 'true'));
  await page.goto(`${product.consoleUrl}/auth/login`);
  await page.getByRole('textbox', { name: 'Почта' }).fill(who.email);
  await page.getByLabel(/^Пароль/).fill(who.password);
  await page.getByRole('button', { name: 'Войти' }).click();
}

async function openSection(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name }).click();
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible();
}

async function pick(page: Page, label: string, options: string[]): Promise<void> {
  await page.getByRole('dialog').getByRole('combobox', { name: label }).click();
  for (const option of options) await page.getByRole('option', { name: option }).click();
  // A single-choice list closes after the choice; a multiple-choice list stays open over the next field.
  if ((await page.getByRole('listbox').count()) > 0) await page.keyboard.press('Tab');
}

async function save(page: Page): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: 'Сохранить' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
}

test('an owner registers a company and sets access up', { tag: ['@2.4', '@4.1'] }, async ({ page }) => {
  await page.goto(product.consoleUrl);
  await page.getByRole('link', { name: 'Зарегистрировать компанию' }).click();
  const form = page.getByRole('main');
  await form.getByRole('textbox', { name: 'Имя' }).fill('Иван');
  await form.getByRole('textbox', { name: 'Название компании' }).fill('ООО «Ромашка»');
  await form.getByRole('textbox', { name: 'Сайт компании' }).fill('romashka.test');
  await form.getByRole('textbox', { name: 'Почта' }).fill(owner.email);
  await form.getByLabel(/^Пароль/).fill(owner.password);
  await form.getByLabel(/^Повторите пароль/).fill(owner.password);
  await form.getByRole('checkbox').check();
  await form.getByRole('button', { name: 'Зарегистрироваться' }).click();
  // The first visit starts with the onboarding.
  await page.getByRole('button', { name: 'Understood!' }).click();
  await expect(page.getByRole('heading', { name: 'Сайты', exact: true })).toBeVisible();
  await expect(page.getByText('Сайтов пока нет')).toBeVisible();

  await openSection(page, 'Прокси-серверы');
  await expect(page.getByRole('row', { name: /Шлюз платформы/ })).toContainText('стандартный');
  await page.getByRole('button', { name: 'Добавить', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Хост' }).fill('127.0.0.1');
  await dialog.getByRole('textbox', { name: 'Порт' }).fill(String(squid.port));
  await dialog.getByRole('textbox', { name: 'Логин' }).fill(UPSTREAM_USER);
  await dialog.getByLabel(/^Пароль/).fill(UPSTREAM_PASSWORD);
  await save(page);
  await expect(page.getByRole('row', { name: /127\.0\.0\.1/ })).toContainText('личный');

  await openSection(page, 'Политики доступа');
  for (const [name, proxy] of [
    ['Продажи', 'Шлюз платформы'],
    ['Знания', '127.0.0.1'],
  ] as const) {
    await page.getByRole('button', { name: 'Добавить', exact: true }).first().click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Название' }).fill(name);
    await pick(page, 'Прокси', [proxy]);
    await save(page);
    await expect(page.getByRole('row', { name })).toBeVisible();
  }

  await openSection(page, 'Сайты');
  const row = (name: string) => page.getByRole('row', { name: `${name}.romashka.test:${sitePort}` });
  for (const [name, policy] of [
    ['crm', 'Продажи'],
    ['wiki', null],
  ] as const) {
    await page.getByRole('button', { name: 'Добавить', exact: true }).first().click();
    const address = page.getByRole('dialog').getByRole('textbox', { name: 'Адрес' });
    await address.fill(`http://${name}.romashka.test:${sitePort}/login`);
    if (policy !== null) await pick(page, 'Кому открыть', [policy]);
    await saveSite(page);
    await expect(row(name)).toContainText(policy ?? 'Без политики');
  }
  // A site can also be added to a policy later.
  await row('wiki')
    .getByRole('button', { name: /^Действия/ })
    .click();
  await page.getByRole('menuitem', { name: 'Редактировать' }).click();
  await pick(page, 'Политики доступа', ['Знания']);
  await save(page);
  await expect(row('wiki')).toContainText('Знания');

  await openSection(page, 'Пользователи');
  await page.getByRole('button', { name: 'Добавить', exact: true }).click();
  await dialog.getByRole('textbox', { name: 'Имя' }).fill('Пётр');
  await dialog.getByRole('textbox', { name: 'Почта' }).fill(agent.email);
  await dialog.getByLabel(/^Пароль/).fill(agent.password);
  await pick(page, 'Политики доступа', ['Продажи', 'Знания']);
  await save(page);
  await expect(page.getByRole('row', { name: /Пётр/ })).toContainText('Агент');
});

async function accessOf(who: typeof agent): Promise<GatewayAccess> {
  const json = { 'content-type': 'application/json' };
  const signedIn = await fetch(`${product.consoleUrl}/api/auth/login`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(who),
  });
  const { token } = Token.parse(await signedIn.json());
  const answer = await fetch(`${product.consoleUrl}/api/me/access`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return GatewayAccess.parse(await answer.json());
}

const proxyUrl = ({ gateway, username, password }: GatewayAccess) =>
  `http://${username}:${password}@${gateway.host}:${gateway.port}`;

/** Runs curl. @returns status and reason, of the site or of the gateway's CONNECT reply, and the body */
async function curl(...args: string[]): Promise<{ status: number; reason: string; body: string }> {
  const format = '\n%{http_code} %{http_connect} %header{x-propusk-reason}';
  const { stdout } = await run('curl', ['-sS', '-m', '10', '-w', format, ...args]).catch((error) => error);
  const end = stdout.lastIndexOf('\n');
  const [site, gateway, reason = ''] = stdout.slice(end + 1).split(' ');
  return { status: Number(site) || Number(gateway), reason, body: stdout.slice(0, end) };
}

const siteUrl = (name: string) => `http://${name}:${sitePort}/`;

test('the agent reaches both locked sites through the gateway, and every other client is refused', async () => {
  const access = await accessOf(agent);
  expect(access.sites).toEqual([`crm.romashka.test:${sitePort}`, `wiki.romashka.test:${sitePort}`]);
  const through = ['-x', proxyUrl(access)];
  for (const [name, title] of [
    ['crm.romashka.test', 'Клиенты «Ромашки»'],
    ['wiki.romashka.test', 'Знания «Ромашки»'],
  ] as const) {
    // Plain HTTP, then CONNECT.
    for (const form of [[], ['-p']]) {
      const reached = await curl(...through, ...form, siteUrl(name));
      expect([reached.status, reached.body], `${name} ${form.join('')}`).toEqual([
        200,
        expect.stringContaining(title),
      ]);
      expect(
        (await curl('-x', `http://127.0.0.1:${product.gatewayPort}`, ...form, siteUrl(name))).status,
      ).toBe(407);
      const refused = await curl(...through, ...form, siteUrl('other.test'));
      expect(refused.status).toBe(403);
    }
    // A request that bypasses the gateway gets 403 from the site's lock.
    expect((await curl('--resolve', `${name}:${sitePort}:127.0.0.1`, siteUrl(name))).status).toBe(403);
  }
  expect((await curl(...through, siteUrl('other.test'))).reason).toBe('site_unknown');
  expect(await squid.log()).toContain('wiki.romashka.test');
  expect(await squid.log()).not.toContain('crm.romashka.test');
});

test("the agent's browser opens the locked site through the gateway, and gets 403 without the gateway", async ({
  browser,
}) => {
  const access = await accessOf(agent);
  const { gateway, username, password } = access;
  const proxied = await browser.newContext({
    proxy: { server: `${gateway.scheme}://${gateway.host}:${gateway.port}`, username, password },
  });
  const page = await proxied.newPage();
  const opened = await page.goto(siteUrl('crm.romashka.test'));
  expect(opened?.status()).toBe(200);
  await expect(page.getByRole('heading', { name: 'Клиенты «Ромашки»' })).toBeVisible();
  const refused = await page.goto(siteUrl('other.test'));
  expect(refused?.status()).toBe(403);
  await expect(page.getByText('other.test')).toBeVisible();
  await page.screenshot({ path: test.info().outputPath('refusal.png') });
  await proxied.close();
});

/** Opens a tunnel to the site, and receives one reply through it. */
async function openTunnel(access: GatewayAccess, name: string): Promise<Socket> {
  const socket = connect(access.gateway.port, access.gateway.host);
  const credentials = Buffer.from(`${access.username}:${access.password}`).toString('base64');
  const authority = `${name}:${sitePort}`;
  socket.write(
    `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\nProxy-Authorization: Basic ${credentials}\r\n\r\n`,
  );
  const [established] = await once(socket, 'data');
  expect(String(established)).toMatch(/^HTTP\/1\.1 200 /);
  socket.write(`GET / HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
  return socket;
}

test("removing an agent's policy ends the agent's access within a second, open tunnels included", async ({
  page,
}) => {
  const access = await accessOf(agent);
  await signIn(page, owner);
  await openSection(page, 'Пользователи');
  const tunnel = await openTunnel(access, 'crm.romashka.test');
  let elapsed = () => 0;
  const closed = once(tunnel, 'close').then(() => elapsed());

  await page
    .getByRole('row', { name: /Пётр/ })
    .getByRole('button', { name: /^Действия/ })
    .click();
  await page.getByRole('menuitem', { name: 'Редактировать' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText('Продажи')).toBeVisible();
  await pick(page, 'Политики доступа', ['Продажи']);
  const answered = page.waitForResponse((response) => response.request().method() === 'PUT');
  await dialog.getByRole('button', { name: 'Сохранить' }).click();
  await answered;
  elapsed = stopwatch();

  let refused = await curl('-x', proxyUrl(access), siteUrl('crm.romashka.test'));
  while (refused.status === 200 && elapsed() < 5_000) {
    refused = await curl('-x', proxyUrl(access), siteUrl('crm.romashka.test'));
  }
  expect(elapsed()).toBeLessThan(1_000);
  expect([refused.status, refused.reason]).toEqual([403, 'no_policy']);
  expect(await closed).toBeLessThan(1_000);
  // Access to the other site remains.
  expect((await curl('-x', proxyUrl(access), siteUrl('wiki.romashka.test'))).status).toBe(200);
});

test('the gateway refuses the token of a deleted user', async ({ page }) => {
  const access = await accessOf(agent);
  await signIn(page, owner);
  await openSection(page, 'Пользователи');
  await page
    .getByRole('row', { name: /Пётр/ })
    .getByRole('button', { name: /^Действия/ })
    .click();
  await page.getByRole('menuitem', { name: 'Удалить' }).click();
  await expect(page.getByText('Do you really want to delete the user?')).toBeVisible();
  const answered = page.waitForResponse((response) => response.request().method() === 'DELETE');
  await page.getByRole('button', { name: 'Да', exact: true }).click();
  await answered;
  await expect(page.getByRole('row', { name: /Пётр/ })).toHaveCount(0);
  await expect
    .poll(() => curl('-x', proxyUrl(access), siteUrl('wiki.romashka.test')), {
      timeout: 1_000,
      intervals: [50],
    })
    .toMatchObject({ status: 403, reason: 'user_removed' });
});

test('an owner deletes sites, policies and proxies from their lists', async ({ page }) => {
  await signIn(page, owner);
  for (const [section, row] of [
    ['Сайты', /crm\.romashka\.test/],
    ['Политики доступа', /Знания/],
    ['Прокси-серверы', /127\.0\.0\.1/],
  ] as const) {
    await openSection(page, section);
    await page
      .getByRole('row', { name: row })
      .getByRole('button', { name: /^Действия/ })
      .click();
    await page.getByRole('menuitem', { name: 'Удалить' }).click();
    await page.getByRole('button', { name: 'Да', exact: true }).click();
    await expect(page.getByText('Успешное удаление!').last()).toBeVisible();
    await expect(page.getByRole('row', { name: row })).toHaveCount(0);
  }
});
