import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BrowserContext, chromium, expect, type Page, test } from '@playwright/test';
import { createPairing, logout } from '@propusk/contract/auth';
import { updateUser } from '@propusk/contract/users';
import { names, startWorldOnce } from './extension-world.ts';
import { stopProduct } from './product.ts';

/** The extension in Debian's Chromium, as a person has it: unpacked, beside the running product and Apache. */
const extension = fileURLToPath(new URL('../apps/extension/dist/chromium', import.meta.url));
const world = startWorldOnce();
let profile: string;
let context: BrowserContext;
let home: string;
let page: Page;

test.describe.configure({ mode: 'serial' });

test.beforeAll(async () => {
  const manifest = JSON.parse(await readFile(join(extension, 'manifest.json'), 'utf8')) as { key: string };
  // Chromium makes an unpacked extension's id of its key.
  const digest = createHash('sha256').update(Buffer.from(manifest.key, 'base64')).digest('hex').slice(0, 32);
  const id = digest.replace(/./g, (letter) => String.fromCharCode(97 + Number.parseInt(letter, 16)));
  home = `chrome-extension://${id}`;
  profile = await mkdtemp(join(tmpdir(), 'propusk-chromium-'));
  context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    locale: 'ru-RU',
    // Playwright's own switch would keep every extension out.
    ignoreDefaultArgs: ['--disable-extensions'],
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync', '--disable-auto-reload'],
      `--host-resolver-rules=${names.map((name) => `MAP ${name} 127.0.0.1`).join(',')}`,
      `--disable-extensions-except=${extension}`,
      `--load-extension=${extension}`,
    ],
  });
  page = await context.newPage();
});

test.afterAll(async () => {
  await context?.close();
  if (profile !== undefined) await rm(profile, { recursive: true, force: true });
});

/** What a page load ends with: its status, and who answered. */
async function load(url: string): Promise<{ status: number; reason: string | null }> {
  const answer = await page.goto(url);
  return { status: answer?.status() ?? 0, reason: (await answer?.headerValue('x-propusk-reason')) ?? null };
}

async function popup(): Promise<Page> {
  const opened = await context.newPage();
  await opened.goto(`${home}/popup.html`);
  return opened;
}

const badge = async (shown: Page) => {
  const asking = await popup();
  // As text: the types of a browser's extensions are not this room's.
  const text = await asking.evaluate<string>(`(async () => {
    const [tab] = await chrome.tabs.query({ url: ${JSON.stringify(`${shown.url()}*`)} });
    return chrome.action.getBadgeText({ tabId: tab.id });
  })()`);
  await asking.close();
  return text;
};

test('the console hands out what was built', async () => {
  for (const browser of ['chromium', 'firefox']) {
    const name = `propusk-${browser}.zip`;
    const answer = await fetch(`${world().product.consoleUrl}/downloads/${name}`);
    expect([answer.status, answer.headers.get('content-disposition')]).toEqual([
      200,
      `attachment; filename="${name}"`,
    ]);
    const built = await readFile(join(extension, '..', name));
    expect(Buffer.from(await answer.arrayBuffer()).equals(built)).toBe(true);
  }
});

test('without a sign-in the locked site answers 403 to the browser', async () => {
  expect(await load(world().lockedUrl)).toEqual({ status: 403, reason: null });
  expect((await load(world().openUrl)).status).toBe(200);
  expect(await badge(page)).toBe('');
});

test('a sign-in opens it; what was typed survives a wrong password', async () => {
  const { product, agent, lockedUrl, openUrl } = world();
  const sheet = await popup();
  await sheet.getByLabel('Адрес консоли').fill(product.consoleUrl);
  await sheet.getByLabel('Почта').fill(agent.email);
  await sheet.getByLabel('Пароль').fill('wrong horse');
  await sheet.getByRole('button', { name: 'Войти' }).click();
  await expect(sheet.getByRole('alert')).toHaveText('Неверная почта или пароль');
  await expect(sheet.getByLabel('Почта')).toHaveValue(agent.email);
  await sheet.getByLabel('Пароль').fill(agent.password);
  await sheet.getByRole('button', { name: 'Войти' }).click();
  await expect(sheet.getByText('Пётр Иванов')).toBeVisible();
  await expect(sheet.getByRole('link', { name: /crm\.romashka\.test.*открывается/ })).toBeVisible();
  await sheet.setViewportSize({ width: 360, height: 520 });
  await sheet.screenshot({ path: test.info().outputPath('popup.png') });
  await sheet.close();
  await expect.poll(() => load(lockedUrl)).toEqual({ status: 200, reason: null });
  await expect(page.getByRole('heading', { name: 'Клиенты «Ромашки»' })).toBeVisible();
  await expect.poll(() => badge(page)).toBe('✓');
  expect((await load(openUrl)).status).toBe(200);
});

test('a site that asks for a password itself learns nothing', async () => {
  const { asked, askingUrl } = world();
  // Without a person to type it the browser gives the load up.
  await page.goto(askingUrl).catch(() => {});
  expect(asked.length).toBeGreaterThan(0);
  for (const headers of asked) {
    expect([headers.authorization, headers['proxy-authorization']]).toEqual([undefined, undefined]);
  }
});

test('a worker that sleeps answers the challenge of a gateway that knows the password no more', async () => {
  // Signing another extension out ends the person's gateway tokens, those that the browser remembers too.
  const { call, signIn, lockedUrl } = world();
  await call(await signIn('extension'), logout);
  const sheet = await popup();
  const devtools = await context.newCDPSession(sheet);
  const running = new Map<string, string>();
  devtools.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
    for (const { versionId, runningStatus } of versions) running.set(versionId, runningStatus);
  });
  await devtools.send('ServiceWorker.enable');
  await devtools.send('ServiceWorker.stopAllWorkers');
  await expect.poll(() => [...running.values()]).toEqual(['stopped']);
  expect(await load(lockedUrl)).toEqual({ status: 200, reason: null });
  expect([...running.values()]).toEqual(['running']);
  await sheet.close();
});

test('a policy that is taken away shuts the site at once at the gateway, and within a minute the browser goes past it', async () => {
  test.setTimeout(120_000);
  const { call, owner, agent, policyId, lockedUrl } = world();
  const hold = (politics: number[]) =>
    call(owner, updateUser, { params: { id: agent.id }, body: { politics } });
  await hold([]);
  const taken = performance.now();
  await expect
    .poll(() => load(lockedUrl), { timeout: 10_000, intervals: [50] })
    .toEqual({
      status: 403,
      reason: 'no_policy',
    });
  // A tunnel's refusal is hidden by the browser: the extension says why.
  await page.goto(lockedUrl.replace('http:', 'https:')).catch(() => {});
  await page.waitForURL(`${home}/refused.html#*`);
  await expect(page.getByRole('heading', { name: 'Сайт не открылся' })).toBeVisible();
  await expect(page.getByRole('alert')).toHaveText('Ваши политики доступа не включают этот сайт.');
  await page.screenshot({ path: test.info().outputPath('refused.png') });
  await expect
    .poll(() => load(lockedUrl), { timeout: 60_000, intervals: [1_000] })
    .toEqual({ status: 403, reason: null });
  expect(performance.now() - taken).toBeLessThan(60_000);
  await hold([policyId]);
  const sheet = await popup();
  await expect(sheet.getByRole('link', { name: /crm\.romashka\.test.*открывается/ })).toBeVisible();
  await sheet.close();
  expect((await load(lockedUrl)).status).toBe(200);
});

test('signing out sends the browser past the gateway again', async () => {
  const sheet = await popup();
  await sheet.getByRole('button', { name: 'Выйти' }).click();
  await expect(sheet.getByRole('button', { name: 'Войти' })).toBeVisible();
  await expect(sheet.getByLabel('Адрес консоли')).toHaveValue(world().product.consoleUrl);
  await sheet.close();
  // The browser's network process hears of a setting a moment after it was made.
  await expect.poll(() => load(world().lockedUrl)).toEqual({ status: 403, reason: null });
});

/** Opens the page for pairing, which a console or anybody else may show. */
async function offer(origin: string, code: string): Promise<Page> {
  const asked = context.waitForEvent('page', (opened) => opened.url().startsWith(home));
  await page.goto(`${origin}/extension/pair#${code}`);
  await expect(page.locator('html')).toHaveAttribute('data-propusk-extension', /^\d+\.\d+/);
  const question = await asked;
  await expect(question.getByRole('heading', { name: 'Подключить расширение?' })).toBeVisible();
  await expect(question.getByText(origin, { exact: true })).toBeVisible();
  return question;
}

const paired = () => page.locator('html').getAttribute('data-propusk-paired');

test('no page connects the extension without the person', async () => {
  const { call, signIn, openUrl, lockedUrl } = world();
  const { code } = await call(await signIn(), createPairing);
  const question = await offer(new URL(openUrl).origin, code);
  await question.screenshot({ path: test.info().outputPath('pair.png') });
  await question.getByRole('button', { name: 'Не подключать' }).click();
  await expect.poll(paired).toBe('refused');
  await question.close();
  expect((await load(lockedUrl)).status).toBe(403);
});

test('one click in the console signs the extension in, with nothing to type', async () => {
  const { call, signIn, product, lockedUrl } = world();
  const { code } = await call(await signIn(), createPairing);
  const question = await offer(product.consoleUrl, code);
  await question.getByRole('button', { name: 'Подключить', exact: true }).click();
  await expect(question.getByRole('heading', { name: 'Готово' })).toBeVisible();
  await expect.poll(paired).toBe('yes');
  await expect(page.getByRole('main')).toContainText('Вы вошли в расширение');
  await question.close();
  expect((await load(lockedUrl)).status).toBe(200);
});

test('with the gateway away the protected site stays shut, and the others work', async () => {
  const { product, directHits, lockedUrl, openUrl } = world();
  const before = await directHits();
  await stopProduct(product);
  for (let i = 0; i < 3; i++) {
    await page.goto(`${lockedUrl}?${i}`).catch(() => {});
    await page.waitForURL(`${home}/refused.html#*`);
    await expect(page.getByRole('alert')).toContainText('Шлюз не отвечает');
  }
  expect((await load(openUrl)).status).toBe(200);
  const sheet = await popup();
  await expect(sheet.getByRole('link', { name: /crm\.romashka\.test.*шлюз недоступен/ })).toBeVisible();
  await sheet.close();
  expect(await directHits()).toEqual(before);
});
