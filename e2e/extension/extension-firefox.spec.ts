import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { updatePolicy } from '@propusk/contract/policies';
import { getUser, updateUser } from '@propusk/contract/users';
import { makeCertificate } from '@propusk/test-kit/gateway/certificate';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { names, startWorldOnce, tomorrow, uncached } from '../support/extension-world.ts';
import { stopProduct } from '../support/product.ts';

/** The extension in Debian's Firefox ESR, over WebDriver BiDi, because Playwright cannot drive it. */
const extension = fileURLToPath(new URL('../../apps/extension/dist/firefox', import.meta.url));
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
    // Without this switch WebDriver cannot open extension pages.
    args: ['--remote-allow-system-access'],
    extraPrefsFirefox: {
      'network.dns.localDomains': names.join(','),
      // Pins the origin of extension pages, which Firefox otherwise chooses at random.
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
 * Opens the popup's page in a tab. Puppeteer waits forever for an extension page, so this sends raw BiDi
 * commands.
 * @param until an expression that is true once the popup is ready
 * @returns a function that evaluates an expression in the popup
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
    // The popup has no result while it navigates: treat it as not ready.
    return (evaluated.result.result as { value?: unknown } | undefined)?.value;
  };
  await expect.poll(() => run(until)).toBe(true);
  return run;
}

/** Fills the form of a popup and sends it. */
async function signIn(run: (expression: string) => Promise<unknown>, console: string): Promise<void> {
  const { agent } = world();
  for (const [name, text] of [
    ['console', console],
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
}

/** Refreshes the access, and sets the next refresh to 12 s from now: extension-chromium.spec.ts waits the real half minute. */
async function refreshNow(): Promise<void> {
  const idle = `document.querySelector('footer button:enabled') !== null`;
  const run = await openPopup(idle);
  await run(`void chrome.alarms.create('refresh', { periodInMinutes: 0.2 })`);
  await run(`document.querySelector('footer button').click()`);
  await expect.poll(() => run(idle)).toBe(true);
}

async function load(url: string): Promise<{ status: number; reason: string | null }> {
  const answer = await page.goto(uncached(url));
  return { status: answer?.status() ?? 0, reason: answer?.headers()['x-propusk-reason'] ?? null };
}

test('before a sign-in to the extension the locked site answers 403 to Firefox', async () => {
  expect(await load(world().lockedUrl)).toEqual({ status: 403, reason: null });
  expect((await load(world().openUrl)).status).toBe(200);
});

test('the popup in Firefox says that the browser does not trust the certificate of the console', async () => {
  const certificate = await makeCertificate('IP:127.0.0.1');
  const server = createServer(certificate, (_, response) => response.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const run = await openPopup();
  await signIn(run, `https://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await expect
    .poll(() => run(`document.querySelector('[role=alert]')?.innerText ?? ''`))
    .toContain('не доверяет сертификату консоли');
  server.close();
  await certificate.remove();
});

test('signing in to the extension opens the locked site in Firefox', async () => {
  const { product, lockedUrl } = world();
  const run = await openPopup();
  await signIn(run, product.consoleUrl);
  await expect
    .poll(() => run('document.body.innerText'))
    .toMatch(/Пётр Иванов[^]*crm\.romashka\.test[^]*открывается/);
  expect(await load(lockedUrl)).toEqual({ status: 200, reason: null });
  // Nobody agreed here to send technical data, so the console learns of the extension but not of its version.
  const { call, owner, agent } = world();
  const { extension: reported } = await call(owner, getUser, { params: { id: agent.id } });
  expect(reported).toMatchObject({ version: null, proxyHeldBy: null });
});

test('Firefox sends a site whose access begins later to the gateway, and the popup names the time', async () => {
  const { call, owner, policyId, lockedUrl, directHits } = world();
  const before = await directHits();
  const begin = (validFrom: string) =>
    call(owner, updatePolicy, { params: { id: policyId }, body: { validFrom } });
  await begin(tomorrow());
  await refreshNow();
  for (let i = 0; i < 3; i++) expect(await load(lockedUrl)).toEqual({ status: 403, reason: 'not_yet' });
  const run = await openPopup(`document.querySelector('.sites') !== null`);
  await expect
    .poll(() => run('document.body.innerText'))
    .toMatch(/crm\.romashka\.test[^]*закрыт[^]*Откроется завтра в 9:00/);
  expect(await directHits()).toEqual(before);
  await begin('');
  await refreshNow();
  expect(await load(lockedUrl)).toEqual({ status: 200, reason: null });
});

test('a removed policy closes the site at once, and Firefox bypasses the gateway at its next refresh', async () => {
  const { call, owner, agent, lockedUrl } = world();
  await refreshNow();
  await call(owner, updateUser, { params: { id: agent.id }, body: { politics: [] } });
  await expect
    .poll(() => load(lockedUrl), { timeout: 10_000, intervals: [50] })
    .toEqual({ status: 403, reason: 'no_policy' });
  await expect
    .poll(() => load(lockedUrl), { timeout: 60_000, intervals: [1_000] })
    .toEqual({ status: 403, reason: null });
});

test('while the gateway is down, Firefox cannot open the protected site but opens other sites', async () => {
  const { call, owner, agent, policyId, product, directHits, lockedUrl, openUrl } = world();
  await call(owner, updateUser, { params: { id: agent.id }, body: { politics: [policyId] } });
  const run = await openPopup(`document.querySelector('.mark.open') !== null`);
  expect((await load(lockedUrl)).status).toBe(200);
  const before = await directHits();
  await stopProduct(product);
  for (let i = 0; i < 2; i++) {
    // The extension replaces the error page with its own, and Puppeteer waits forever for such a page.
    const tab = await browser.newPage();
    await tab.goto(`${lockedUrl}?${i}`, { timeout: 3_000 }).catch(() => {});
  }
  page = await browser.newPage();
  expect((await load(openUrl)).status).toBe(200);
  // Reload after the evaluation has ended: an immediate reload loses its reply.
  await run('void setTimeout(() => location.reload())');
  await expect.poll(() => run('document.body.innerText')).toContain('шлюз недоступен');
  expect(await directHits()).toEqual(before);
});
