import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { updateUser } from '@propusk/contract/users';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { names, startWorldOnce } from './extension-world.ts';
import { stopProduct } from './product.ts';

/** The extension in Debian's Firefox ESR, which Playwright cannot drive: WebDriver BiDi does. */
const extension = fileURLToPath(new URL('../apps/extension/dist/firefox', import.meta.url));
const UUID = '6f3b1e0a-5d0c-4c5e-9a55-0d1b6a1f7c11';
const home = `moz-extension://${UUID}`;
const world = startWorldOnce();
let browser: Browser;
let page: Page;

test.describe.configure({ mode: 'serial' });

test.beforeAll(async () => {
  browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr',
    headless: true,
    // Else pages of extensions are out of reach.
    args: ['--remote-allow-system-access'],
    extraPrefsFirefox: {
      'network.dns.localDomains': names.join(','),
      // The address of the extension's pages, which Firefox otherwise draws by lot.
      'extensions.webextensions.uuids': JSON.stringify({ 'extension@propusk.example': UUID }),
    },
  });
  await browser.installExtension(extension);
  page = await browser.newPage();
});

test.afterAll(async () => {
  await browser?.close();
});

interface Bidi {
  send(method: string, params: object): Promise<{ result: Record<string, unknown> }>;
}

/**
 * Opens the popup's page in a tab. Puppeteer waits for a page of an extension without end, so that Firefox is asked in its
 * own words.
 * @param until what is true there once it shows what it is asked for
 * @returns runs an expression there, and answers what it comes to
 */
async function openPopup(
  until = `document.querySelector('form') !== null`,
): Promise<(expression: string) => Promise<unknown>> {
  const { connection } = browser as unknown as { connection: Bidi };
  const { context } = (await connection.send('browsingContext.create', { type: 'tab' })).result;
  await connection.send('browsingContext.navigate', { context, url: `${home}/popup.html`, wait: 'none' });
  const run = async (expression: string) => {
    const evaluated = await connection.send('script.evaluate', {
      expression,
      target: { context },
      awaitPromise: false,
    });
    // A page that is just going away has no answer.
    return (evaluated.result.result as { value?: unknown } | undefined)?.value;
  };
  await expect.poll(() => run(until)).toBe(true);
  return run;
}

async function load(url: string): Promise<{ status: number; reason: string | null }> {
  const answer = await page.goto(url);
  return { status: answer?.status() ?? 0, reason: answer?.headers()['x-propusk-reason'] ?? null };
}

test('without a sign-in the locked site answers 403 to the browser', async () => {
  expect(await load(world().lockedUrl)).toEqual({ status: 403, reason: null });
  expect((await load(world().openUrl)).status).toBe(200);
});

test('a sign-in opens it', async () => {
  const { product, agent, lockedUrl } = world();
  const run = await openPopup();
  for (const [name, text] of [
    ['console', product.consoleUrl],
    ['email', agent.email],
    ['password', agent.password],
  ] as const) {
    await run(`{
      const field = document.getElementById(${JSON.stringify(name)});
      field.value = ${JSON.stringify(text)};
      field.dispatchEvent(new Event('input'));
    }`);
  }
  await run(`document.querySelector('button[type=submit]').click()`);
  await expect
    .poll(() => run('document.body.innerText'))
    .toMatch(/Пётр Иванов[^]*crm\.romashka\.test[^]*открывается/);
  expect(await load(lockedUrl)).toEqual({ status: 200, reason: null });
});

test('a policy that is taken away shuts the site at once at the gateway, and within a minute the browser goes past it', async () => {
  const { call, owner, agent, lockedUrl } = world();
  await call(owner, updateUser, { params: { id: agent.id }, body: { politics: [] } });
  const taken = performance.now();
  await expect
    .poll(() => load(lockedUrl), { timeout: 10_000, intervals: [50] })
    .toEqual({ status: 403, reason: 'no_policy' });
  await expect
    .poll(() => load(lockedUrl), { timeout: 60_000, intervals: [1_000] })
    .toEqual({ status: 403, reason: null });
  expect(performance.now() - taken).toBeLessThan(60_000);
});

test('with the gateway away the protected site stays shut, and the others work', async () => {
  const { call, owner, agent, policyId, product, directHits, lockedUrl, openUrl } = world();
  await call(owner, updateUser, { params: { id: agent.id }, body: { politics: [policyId] } });
  const run = await openPopup(`document.querySelector('.mark.open') !== null`);
  expect((await load(lockedUrl)).status).toBe(200);
  const before = await directHits();
  await stopProduct(product);
  for (let i = 0; i < 2; i++) {
    // The extension's own page takes the place of the error, and Puppeteer waits for such a one without end.
    const tab = await browser.newPage();
    await tab.goto(`${lockedUrl}?${i}`, { timeout: 3_000 }).catch(() => {});
  }
  page = await browser.newPage();
  expect((await load(`${openUrl}?fresh`)).status).toBe(200);
  // A turn later: a page that goes at once takes the answer with it.
  await run('void setTimeout(() => location.reload())');
  await expect.poll(() => run('document.body.innerText')).toContain('шлюз недоступен');
  expect(await directHits()).toEqual(before);
});
