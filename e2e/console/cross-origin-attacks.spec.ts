import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, type Page } from '@playwright/test';
import { createProxy } from '@propusk/contract/proxies';
import { listSessions } from '@propusk/contract/sessions';
import { createSite } from '@propusk/contract/sites';
import { openThreatCase, quickOrSoak } from '@propusk/test-kit/threat-case';
import { enter, heading, startConsole, test } from '../support/console.ts';
import { payloads, watchFor } from '../support/hostile-text.ts';

/**
 * Attacks on the console by a foreign page in a real browser: framing, calls, window references, redirects.
 * The page is served from another port, which is another origin.
 */
let owner: string;
let foreign: Server;
let foreignUrl: string;
const email = 'owner@romashka.test';
const PASSWORD = 'correct horse';
const product = startConsole(async (console) => {
  owner = await console.owner(email);
});
const tally = openThreatCase(
  'XSS, CSP, CORS',
  'a foreign page frames and calls the console, holds its window, and redirects it',
);

test.beforeAll(async () => {
  foreign = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Чужая</title><body>');
  }).listen(0, '127.0.0.1');
  await once(foreign, 'listening');
  foreignUrl = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}/`;
});
test.afterAll(() => {
  foreign.closeAllConnections();
  foreign.close();
  tally.close();
});

const run = <T>(page: Page, code: string) => page.evaluate<T>(`(async () => { ${code} })()`);

test('a foreign page cannot frame the console', async ({ page }) => {
  await enter(page, `${product.url}/dashboard/creator/domains`, owner);
  await expect(heading(page, 'Сайты')).toBeVisible();
  await page.goto(foreignUrl);
  const paths = [
    '/',
    '/auth/login',
    '/dashboard/creator/domains',
    '/lock',
    '/extension/pair',
    '/api/docs/',
    '/api/me',
  ];
  for (const path of [...paths, '/favicon.svg', '/%zz', '/no/such/page']) {
    for (const element of ['iframe', 'object', 'embed']) {
      await run(
        page,
        `const frame = document.createElement('${element}');
         frame.name = 'held'; frame.width = frame.height = 300;
         frame.${element === 'object' ? 'data' : 'src'} = '${product.url}${path}';
         document.body.replaceChildren(frame);
         await new Promise((resolve) => { frame.onload = frame.onerror = resolve; setTimeout(resolve, 700); })`,
      );
      // A blocked frame shows the browser's error page, or no frame at all.
      const shown = page.frames().filter((frame) => frame.url().startsWith(product.url));
      tally.see(shown.length === 0, `${element} of ${path}`);
      expect(shown.map((frame) => frame.url())).toEqual([]);
    }
  }
});

test('a foreign page can neither read an api reply nor make a call that changes data', async ({ page }) => {
  const before = (await product.call(owner, listSessions)).count;
  await page.goto(foreignUrl);
  for (const [path, init] of [
    ['/api/me', `{ headers: { authorization: 'Bearer ${owner}' } }`],
    ['/api/me', `{ credentials: 'include' }`],
    ['/api/health', '{}'],
    ['/api/echo', '{}'],
    ['/api/docs/json', '{}'],
    ['/api/auth/login', `{ method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }`],
    ['/', '{}'],
  ]) {
    const read = await run<string>(
      page,
      `return fetch('${product.url}${path}', ${init}).then((answer) => answer.text(), (error) => 'refused: ' + error.name)`,
    );
    tally.see(read === 'refused: TypeError', `${path} was read`);
    expect(read, path).toBe('refused: TypeError');
  }
  // A cross-origin request without a preflight reaches the api, but no call accepts its content type.
  const statuses: number[] = [];
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    await page.goto(foreignUrl);
    const answered = page.waitForResponse(`${product.url}/api/auth/login`);
    await run(
      page,
      `const form = Object.assign(document.createElement('form'),
         { method: 'POST', enctype: '${type}', action: '${product.url}/api/auth/login' });
       for (const [name, value] of [['email', '${email}'], ['password', '${PASSWORD}'], ['{"email":"${email}","password":"${PASSWORD}","x":"', '"}']])
         form.append(Object.assign(document.createElement('input'), { name, value }));
       document.body.append(form);
       setTimeout(() => form.submit())`,
    );
    statuses.push((await answered).status());
    // Wait until the target page has loaded, because its load would interrupt the next navigation.
    await page.waitForURL(`${product.url}/api/auth/login`);
  }
  expect(statuses).toEqual([415, 415, 415]);
  // The refused requests created no session.
  expect((await product.call(owner, listSessions)).count).toBe(before);
  tally.held(statuses.length);
});

test("a foreign page and the console get no reference to each other's window", async ({ page, context }) => {
  await page.goto(foreignUrl);
  const opened = context.waitForEvent('page');
  await run(page, `globalThis.held = open('${product.url}/auth/login')`);
  const console = await opened;
  await expect(heading(console, 'Вход')).toBeVisible();
  expect(await run(console, 'return opener')).toBeNull();
  await expect.poll(() => run(page, 'return held.closed || held.length === undefined')).toBe(true);
  await run(page, `try { held.location = '${foreignUrl}evil' } catch {}`);
  await expect(heading(console, 'Вход')).toBeVisible();
  expect(console.url()).toBe(`${product.url}/auth/login`);
  // The console's own links do not set window.opener either.
  for (const path of ['/auth/register', '/help', '/auth/login']) {
    await console.goto(product.url + path);
    await expect(console.getByRole('heading', { level: 1 })).toBeVisible();
    expect(
      await run(console, "return [...document.querySelectorAll('a[target]:not([rel~=noopener])')].length"),
    ).toBe(0);
  }
  tally.held(5);
});

test('the sign-in page never redirects to an address from a link', async ({ page, context }) => {
  const evil = [
    '//evil.test',
    'https://evil.test',
    '/\\evil.test',
    'javascript:alert(1)',
    '/dashboard/../../evil.test',
  ];
  const left: string[] = [];
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== product.url && !request.url().startsWith('data:'))
      left.push(request.url());
  });
  const ways = evil.flatMap((there) => [
    `?next=${encodeURIComponent(there)}&redirect=${encodeURIComponent(there)}&return_to=${encodeURIComponent(there)}`,
    `#${there}`,
  ]);
  for (const way of ways) {
    await enter(page, `${product.url}/auth/login${way}`, null);
    await page.evaluate(
      `sessionStorage.setItem('return_to', ${JSON.stringify(evil[ways.indexOf(way) % evil.length])})`,
    );
    await page.getByRole('textbox', { name: 'Почта' }).fill(email);
    await page.getByLabel(/^Пароль/).fill(PASSWORD);
    await page.getByRole('button', { name: 'Войти', exact: true }).click();
    await expect(heading(page, 'Сайты')).toBeVisible();
    expect(page.url()).toBe(`${product.url}/dashboard/creator/domains`);
    tally.held(1);
  }
  expect(left).toEqual([]);
});

test("the console renders hostile text in a page's URL as text", async ({ page, context }) => {
  const seen = await watchFor(context);
  const own = await context.newPage();
  await page.close();
  await enter(own, `${product.url}/dashboard/creator/domains`, owner);
  test.setTimeout(quickOrSoak(240_000, 900_000));
  for (const payload of payloads.filter((_, place) => place % quickOrSoak(6, 1) === 0)) {
    const text = encodeURIComponent(payload);
    for (const path of [
      `/dashboard/creator/domains?name=${text}`,
      `/security/login#token=${text}&for=password`,
      `/lock#${text}`,
      `/extension/pair#${text}`,
      `/${text}`,
    ]) {
      await own.goto('about:blank');
      await own.goto(product.url + path, { waitUntil: 'domcontentloaded' });
      await own.waitForTimeout(50);
    }
  }
  tally.see(seen.length === 0, seen.join(', '));
  expect(seen).toEqual([]);
});

test('a script URL is refused as the address of a site or a proxy', async () => {
  for (const address of [
    'javascript:alert(1)',
    'javascript://romashka.test/%0aalert(1)',
    'data:text/html,x',
    ' jAvAsCrIpT:alert(1)',
    'vbscript:x',
    'blob:x',
  ]) {
    // A pasted URL that contains a host is reduced to the host.
    const site = await product.call(owner, createSite, { body: { address } }).catch(() => null);
    expect(site?.address ?? 'refused').toMatch(/^(refused|romashka\.test)$/);
    const body = { host: address.trim(), port: '3128', username: 'login', password: 'secret' };
    await expect(product.call(owner, createProxy, { body })).rejects.toThrow();
    tally.held(2);
  }
});
