import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type BrowserContext, expect, type Page, test } from '@playwright/test';
import { myAccess } from '@propusk/contract/access';
import { createPairing, login, logout } from '@propusk/contract/auth';
import { updateMyCompany } from '@propusk/contract/companies';
import { updatePolicy } from '@propusk/contract/policies';
import { suspendUser } from '@propusk/contract/role-changes';
import { createUser, updateUser } from '@propusk/contract/users';
import { quickOrSoak, threatCase } from '@propusk/test-kit/threat-case';
import { extension, launchWithExtension } from '../support/extension-browser.ts';
import { POSTPONE_REFRESH, startWorldOnce, tomorrow, uncached } from '../support/extension-world.ts';
import { grown, payloads, watchFor } from '../support/hostile-text.ts';
import { stopProduct } from '../support/product.ts';

/**
 * The extension in Debian's Chromium, unpacked as a user installs it, beside the running product and
 * Apache.
 */
const world = startWorldOnce();
let profile: string;
let context: BrowserContext;
let home: string;
let page: Page;

test.describe.configure({ mode: 'serial' });

test.beforeAll(async () => {
  ({ context, profile, home } = await launchWithExtension());
  page = await context.newPage();
});

test.afterAll(async () => {
  await context?.close();
  if (profile !== undefined) await rm(profile, { recursive: true, force: true });
});

/** The result of a page load: its HTTP status, and the gateway's reason when the gateway refused. */
async function load(url: string): Promise<{ status: number; reason: string | null }> {
  const answer = await page.goto(uncached(url));
  return { status: answer?.status() ?? 0, reason: (await answer?.headerValue('x-propusk-reason')) ?? null };
}

async function popup(): Promise<Page> {
  const opened = await context.newPage();
  await opened.goto(`${home}/popup.html`);
  return opened;
}

const badge = async (shown: Page) => {
  const asking = await popup();
  // The code is a string, because this workspace has no types of the extension APIs.
  const text = await asking.evaluate<string>(`(async () => {
    const [tab] = await chrome.tabs.query({ url: ${JSON.stringify(`${shown.url()}*`)} });
    return chrome.action.getBadgeText({ tabId: tab.id });
  })()`);
  await asking.close();
  return text;
};

/**
 * Refreshes the access, and postpones the next refresh by half a minute. The popup also refreshes when it opens; this
 * function waits for that refresh, so that the next change of a test comes after it.
 */
async function refreshNow(): Promise<void> {
  const sheet = await popup();
  await sheet.evaluate(POSTPONE_REFRESH);
  // The button is enabled again when the refresh ends, even if an alarm began that refresh.
  const refresh = sheet.getByRole('button', { name: 'Обновить' });
  await refresh.click();
  await expect(refresh).toBeEnabled();
  await sheet.close();
}

test('the console serves the built extension for download', async () => {
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

test('before a sign-in to the extension the locked site answers 403 to Chromium', async () => {
  expect(await load(world().lockedUrl)).toEqual({ status: 403, reason: null });
  expect((await load(world().openUrl)).status).toBe(200);
  expect(await badge(page)).toBe('');
});

test('signing in to the extension opens the locked site, and a wrong password keeps the typed email', async () => {
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
  await sheet.close();
  await expect.poll(() => load(lockedUrl)).toEqual({ status: 200, reason: null });
  await expect(page.getByRole('heading', { name: 'Клиенты «Ромашки»' })).toBeVisible();
  await expect.poll(() => badge(page)).toBe('✓');
  expect((await load(openUrl)).status).toBe(200);
});

test('a site that itself answers 401 never receives the proxy credentials', () =>
  threatCase(
    'extension',
    'a site that answers 401 again and again: credentials that reached it',
    async (tally) => {
      test.setTimeout(quickOrSoak(240_000, 600_000));
      const { asked, askingUrl } = world();
      // No user answers the site's password prompt, so the browser aborts the load.
      for (let i = 0; i < quickOrSoak(3, 200); i++) await page.goto(`${askingUrl}?${i}`).catch(() => {});
      for (const headers of asked) {
        const sent = [headers.authorization, headers['proxy-authorization']];
        tally.see(
          sent.every((value) => value === undefined),
          `the site got ${sent.join(', ')}`,
        );
      }
    },
  ));

test('a stopped service worker wakes and answers a proxy challenge with a new token after a revocation', async () => {
  // The end of a session that fetched a gateway token revokes every gateway token of the user, including the
  // cached token.
  const { call, signIn, lockedUrl } = world();
  const another = await signIn();
  await call(another, myAccess);
  await call(another, logout);
  // Open an extension page that sends the worker no message, so that the page does not wake the worker.
  const sheet = await context.newPage();
  await sheet.goto(`${home}/refused.html`);
  const devtools = await context.newCDPSession(sheet);
  const running = new Map<string, string>();
  devtools.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
    for (const { versionId, runningStatus } of versions) running.set(versionId, runningStatus);
  });
  await devtools.send('ServiceWorker.enable');
  await devtools.send('ServiceWorker.stopAllWorkers');
  await expect.poll(() => [...running.values()]).toEqual(['stopped']);
  expect(await load(lockedUrl)).toEqual({ status: 200, reason: null });
  await expect.poll(() => [...running.values()]).toEqual(['running']);
  await sheet.close();
});

test('a removed policy closes the site at once, and Chromium bypasses the gateway within a minute', async () => {
  const { call, owner, agent, policyId, lockedUrl } = world();
  const hold = (politics: number[]) =>
    call(owner, updateUser, { params: { id: agent.id }, body: { politics } });
  await refreshNow();
  await hold([]);
  const taken = performance.now();
  await expect
    .poll(() => load(lockedUrl), { timeout: 10_000, intervals: [50] })
    .toEqual({
      status: 403,
      reason: 'no_policy',
    });
  // Chromium hides the reply of a refused CONNECT, so the extension shows the reason.
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

test('Chromium sends a site whose access begins later to the gateway, and names the time', async () => {
  const { call, owner, policyId, lockedUrl, directHits } = world();
  const begin = (validFrom: string) =>
    call(owner, updatePolicy, { params: { id: policyId }, body: { validFrom } });
  const before = await directHits();
  await begin(tomorrow());
  await refreshNow();
  for (let i = 0; i < 3; i++) expect(await load(lockedUrl)).toEqual({ status: 403, reason: 'not_yet' });
  await page.goto(lockedUrl.replace('http:', 'https:')).catch(() => {});
  await page.waitForURL(`${home}/refused.html#*`);
  await expect(page.getByRole('alert')).toHaveText('Ваш доступ к этому сайту ещё не начался.');
  await expect(page.getByText('Откроется завтра в 9:00.', { exact: true })).toBeVisible();
  await shoot(page, 'refused');
  const sheet = await popup();
  await expect(sheet.getByRole('link', { name: /crm\.romashka\.test.*закрыт/ })).toBeVisible();
  await expect(sheet.getByText('Откроется завтра в 9:00', { exact: true })).toHaveCount(2);
  await expect(sheet.getByRole('button', { name: 'Обновить' })).toBeEnabled();
  await shoot(sheet, 'popup-closed');
  expect(await directHits()).toEqual(before);
  await sheet.close();

  // The site opens while the popup is open.
  await begin(new Date(Date.now() + 8_000).toISOString());
  await refreshNow();
  const open = await popup();
  await expect(open.getByRole('link', { name: /crm\.romashka\.test.*закрыт/ })).toBeVisible();
  await expect(open.getByRole('link', { name: /crm\.romashka\.test.*открывается/ })).toBeVisible({
    timeout: 20_000,
  });
  expect(await load(lockedUrl)).toEqual({ status: 200, reason: null });
  await open.close();
  await begin('');
  expect(await directHits()).toEqual(before);
});

test('the extension shows that the user is suspended, when a request is refused and at the next sign-in', async () => {
  const { call, owner, agent, lockedUrl } = world();
  const suspend = (suspended: boolean) =>
    call(owner, suspendUser, { params: { id: agent.id }, body: { suspended } });
  const sheet = await popup();
  await refreshNow();
  await suspend(true);
  await expect
    .poll(() => load(lockedUrl), { timeout: 10_000, intervals: [50] })
    .toEqual({ status: 403, reason: 'suspended' });
  // Opening the popup would trigger a refresh, which ends the session before a reason is shown.
  const token = "chrome.storage.local.get('state').then(({ state }) => state.token)";
  await expect.poll(() => sheet.evaluate(token)).toBeNull();
  await sheet.reload();
  await expect(sheet.getByRole('alert')).toHaveText(
    'Ваш доступ приостановлен. Обратитесь к администратору вашей компании.',
  );
  await sheet.getByLabel('Почта').fill(agent.email);
  await sheet.getByLabel('Пароль').fill(agent.password);
  await sheet.getByRole('button', { name: 'Войти' }).click();
  await expect(sheet.getByRole('alert')).toHaveText('Доступ приостановлен. Обратитесь к владельцу компании');
  await shoot(sheet, 'popup-suspended');
  const resume = async () => {
    await suspend(false);
    await sheet.getByLabel('Пароль').fill(agent.password);
    await sheet.getByRole('button', { name: 'Войти' }).click();
    await expect(sheet.getByText('Пётр Иванов')).toBeVisible();
  };
  await resume();

  // Chromium hides the reason of a refused CONNECT, so the page of refusals says only that the session has ended.
  await refreshNow();
  await suspend(true);
  await expect(async () => {
    await page.goto(lockedUrl.replace('http:', 'https:')).catch(() => {});
    await page.waitForURL(`${home}/refused.html#*`, { timeout: 3_000 });
  }).toPass();
  await expect(page.getByText('Сеанс завершён. Войдите, чтобы продолжить.')).toBeVisible();
  await sheet.reload();
  await sheet.getByLabel('Почта').fill(agent.email);
  await resume();
  await sheet.close();
  await expect.poll(() => load(lockedUrl)).toEqual({ status: 200, reason: null });
});

test('signing out of the extension makes the browser bypass the gateway again', async () => {
  const sheet = await popup();
  await sheet.getByRole('button', { name: 'Выйти' }).click();
  await expect(sheet.getByRole('button', { name: 'Войти' })).toBeVisible();
  await expect(sheet.getByLabel('Адрес консоли')).toHaveValue(world().product.consoleUrl);
  await sheet.close();
  // Chromium's network process applies a proxy setting asynchronously.
  await expect.poll(() => load(world().lockedUrl)).toEqual({ status: 403, reason: null });
});

/** Opens a pairing page with a code in its fragment. The origin may be the console or a foreign site. */
async function show(shown: Page, origin: string, code: string): Promise<void> {
  // Load another page first: a page offers its code once, and a change of the fragment alone does not reload it.
  await shown.goto('about:blank');
  await shown.goto(`${origin}/extension/pair#${code}`);
  await expect(shown.locator('html')).toHaveAttribute('data-propusk-extension', /^\d+\.\d+/);
}

const ours = () => context.pages().filter((each) => each.url().startsWith(home));
/** Waits for the extension's new page. Its URL is not set yet when Chromium reports it. */
async function opened(): Promise<Page> {
  await expect.poll(() => ours().length).toBe(1);
  const [only] = ours();
  if (only === undefined) throw new Error('it went away again');
  return only;
}
const paired = (shown = page) => shown.locator('html').getAttribute('data-propusk-paired');
const heading = (shown: Page, name: string) => shown.getByRole('heading', { name, exact: true });

/** Offers a pairing code to the extension, as a button of the console does. @returns the extension's confirmation page */
async function offer(session: string): Promise<Page> {
  const { call, product } = world();
  const { code } = await call(session, createPairing);
  await show(page, product.consoleUrl, code);
  const question = await opened();
  await expect(heading(question, 'Подключить расширение?')).toBeVisible();
  await expect(question.getByText(product.consoleUrl, { exact: true })).toBeVisible();
  return question;
}

/** Ends the five-minute pause of a refused origin by clearing the extension's stored refusals. */
async function fiveMinutesLater(): Promise<void> {
  const sheet = await popup();
  await sheet.evaluate("chrome.storage.local.remove('refused-offers')");
  await sheet.close();
}

async function shoot(shown: Page, name: string): Promise<void> {
  await shown.setViewportSize(
    name.startsWith('popup') ? { width: 360, height: 520 } : { width: 900, height: 760 },
  );
  for (const colorScheme of ['light', 'dark'] as const) {
    await shown.emulateMedia({ colorScheme });
    await shown.screenshot({ path: test.info().outputPath(`${name}-${colorScheme}.png`) });
  }
}

test("a page cannot sign the extension in without the user's confirmation", async () => {
  const { call, signIn, openUrl, lockedUrl } = world();
  // A foreign page with a valid code opens no confirmation.
  const { code } = await call(await signIn(), createPairing);
  await show(page, new URL(openUrl).origin, code);
  await expect.poll(() => paired()).toBe('failed');
  expect(ours()).toEqual([]);
  for (const way of ['no', 'close'] as const) {
    const question = await offer(await signIn());
    if (way === 'no') await question.getByRole('button', { name: 'Не подключать' }).click();
    else await question.close();
    await expect.poll(() => paired()).toBe('refused');
    await question.close();
    // A refused origin is blocked for five minutes, in every tab.
    for (let i = 0; i < 3; i++) {
      const again = await call(await signIn(), createPairing);
      const other = await context.newPage();
      await show(other, world().product.consoleUrl, again.code);
      await expect.poll(() => paired(other)).toBe('refused');
      expect(ours()).toEqual([]);
      await other.close();
    }
    await fiveMinutesLater();
  }
  expect((await load(lockedUrl)).status).toBe(403);
});

test('one click in the console signs the extension in without typing', async () => {
  const { signIn, agent, lockedUrl } = world();
  const question = await offer(await signIn());
  const yes = question.getByRole('button', { name: 'Подключить', exact: true });
  // The confirmation ignores a click that was meant for the previous page.
  await expect(yes).toBeDisabled({ timeout: 500 });
  for (const words of ['Пётр Иванов', agent.email, 'ООО «Ромашка»']) {
    await expect(question.getByText(words, { exact: true })).toBeVisible();
  }
  await expect(question.getByText('Учётная запись сменится.')).toBeHidden();
  await yes.click();
  await expect(heading(question, 'Готово')).toBeVisible();
  await expect.poll(() => paired()).toBe('yes');
  await expect(page.getByRole('main')).toContainText('Вы вошли в расширение');
  const closed = question.waitForEvent('close');
  await question.getByRole('button', { name: 'Закрыть вкладку' }).click();
  await closed;
  expect((await load(lockedUrl)).status).toBe(200);
});

test('a pairing link for the signed-in account reports success, and the extension keeps working', async () => {
  const { call, signIn, product, lockedUrl } = world();
  const { code } = await call(await signIn(), createPairing);
  await show(page, product.consoleUrl, code);
  const said = await opened();
  await expect(heading(said, 'Вы уже вошли')).toBeVisible();
  await expect(said.getByText('Пётр Иванов')).toBeVisible();
  await expect.poll(() => paired()).toBe('yes');
  await said.close();
  expect((await load(lockedUrl)).status).toBe(200);
});

test('a pairing link for another account opens one confirmation, which names both accounts', async () => {
  const { call, owner, product, agent, lockedUrl } = world();
  const question = await offer(owner);
  const warning = question.getByRole('alert').filter({ hasText: 'Учётная запись сменится.' });
  await expect(warning).toContainText(`Сейчас: Пётр Иванов (${agent.email}).`);
  await expect(warning).toContainText('Будет: owner@romashka.test.');
  await shoot(question, 'pair');
  const { code } = await call(owner, createPairing);
  const other = await context.newPage();
  await show(other, product.consoleUrl, code);
  await expect.poll(() => paired(other)).toBe('failed');
  await other.evaluate("for (let i = 0; i < 200; i++) location.hash = 'x'.repeat(30) + i");
  await page.evaluate("for (let i = 0; i < 200; i++) location.hash = 'x'.repeat(30) + i");
  await other.waitForTimeout(500);
  expect(ours()).toEqual([question]);
  await other.close();
  await question.close();
  await expect.poll(() => paired()).toBe('refused');
  await fiveMinutesLater();
  expect((await load(lockedUrl)).status).toBe(200);
  const sheet = await popup();
  await expect(sheet.getByText('Пётр Иванов')).toBeVisible();
  await shoot(sheet, 'popup');
  await sheet.close();
});

test('a user who confirms a pairing link for another account ends the previous session', async () => {
  const { owner, signIn, lockedUrl } = world();
  const question = await offer(owner);
  await question.getByRole('button', { name: 'Подключить', exact: true }).click();
  await expect(heading(question, 'Готово')).toBeVisible();
  await expect(question.getByText('owner@romashka.test')).toBeVisible();
  await question.close();
  // The owner's account has no policy, so the gateway denies the site.
  await expect.poll(() => load(lockedUrl)).toEqual({ status: 403, reason: null });
  const back = await offer(await signIn());
  await back.getByRole('button', { name: 'Подключить', exact: true }).click();
  await expect(heading(back, 'Готово')).toBeVisible();
  await back.close();
  await expect.poll(() => load(lockedUrl)).toEqual({ status: 200, reason: null });
});

test('every page of the extension renders account names from the console as text', () =>
  threatCase(
    'XSS, CSP, CORS',
    "hostile names in the extension's question, popup and page of refusals",
    async (tally) => {
      test.setTimeout(quickOrSoak(240_000, 900_000));
      const { call, owner } = world();
      const seen = await watchFor(context);
      const chosen = payloads.filter((_, place) => place % quickOrSoak(10, 1) === 0);
      for (const [i, payload] of chosen.entries()) {
        await call(owner, updateMyCompany, { body: { companyName: payload } });
        const body = { email: `hostile${i}@romashka.test`, password: 'correct horse' };
        await call(owner, createUser, { body: { ...body, name: payload, surname: payload } });
        const { token } = await call(null, login, { body });
        const question = await offer(token);
        const found = await grown(question);
        await question.getByRole('button', { name: 'Подключить', exact: true }).click();
        await expect(heading(question, 'Готово')).toBeVisible();
        found.push(...(await grown(question)));
        await question.close();
        const sheet = await popup();
        await expect(sheet.getByRole('button', { name: 'Выйти' })).toBeVisible();
        found.push(...(await grown(sheet)));
        await sheet.goto(`${home}/refused.html#${encodeURIComponent(`http://crm.romashka.test/${payload}`)}`);
        await sheet.reload();
        found.push(...(await grown(sheet)), ...seen.splice(0));
        await sheet.close();
        tally.see(found.length === 0, `${payload}: ${found.join(', ')}`);
      }
      const back = await offer(await world().signIn());
      await back.getByRole('button', { name: 'Подключить', exact: true }).click();
      await expect(heading(back, 'Готово')).toBeVisible();
      await back.close();
      await expect.poll(() => load(world().lockedUrl)).toEqual({ status: 200, reason: null });
    },
  ));

test('while the gateway is down, Chromium cannot open the protected site but opens other sites', async () => {
  test.setTimeout(quickOrSoak(240_000, 900_000));
  const { product, directHits, lockedUrl, openUrl } = world();
  const before = await directHits();
  await stopProduct(product);
  const tries = quickOrSoak(5, 200);
  await threatCase(
    'extension',
    'a protected site with the gateway down: requests that reached it directly',
    async (tally) => {
      for (let i = 0; i < tries; i++) {
        await page.goto(`${lockedUrl}?${i}`).catch(() => {});
        await page.waitForURL(`${home}/refused.html#*`);
        await expect(page.getByRole('alert')).toContainText('Шлюз не отвечает');
      }
      const hits = (await directHits()).length - before.length;
      tally.held(tries - Math.min(hits, tries));
      for (let i = 0; i < hits; i++) tally.see(false, 'a request came directly');
    },
  );
  expect((await load(openUrl)).status).toBe(200);
  const sheet = await popup();
  await expect(sheet.getByRole('link', { name: /crm\.romashka\.test.*шлюз недоступен/ })).toBeVisible();
  await sheet.close();
  expect(await directHits()).toEqual(before);
});
