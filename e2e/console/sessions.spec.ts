import { type Browser, expect, type Page } from '@playwright/test';
import { login, logout } from '@propusk/contract/auth';
import { listSessions } from '@propusk/contract/sessions';
import { enter, heading, screensOf, startConsole, stored, test } from '../support/console.ts';

/** The sessions on the personal page: two browsers of one user, and an extension. */
const people = ['owner@romashka.test', 'petr@romashka.test'] as const;
const product = startConsole(async (console) => {
  const owner = await console.owner(people[0]);
  await console.agent(owner, people[1]);
});

const pages = [
  ['owner', people[0], '/dashboard/personal-data'],
  ['agent', people[1], '/dashboard/user/personal-data'],
  ['admin', 'admin@propusk.test', '/dashboard/personal-data'],
] as const;
const card = (page: Page) => page.getByRole('region', { name: 'Сеансы' });
const sessions = (page: Page) => card(page).getByRole('listitem');
const endOthers = (page: Page) => card(page).getByRole('button', { name: 'Завершить остальные' });
const agree = (page: Page) =>
  page.getByRole('dialog').getByRole('button', { name: 'Завершить', exact: true }).click();

/** Signs in on a page of a separate browser context. */
async function browserOf(browser: Browser, email: string, path: string, userAgent: string): Promise<Page> {
  const page = await (await browser.newContext({ userAgent })).newPage();
  // Signs in from the page, so that the server sees this browser's user agent.
  await page.goto(new URL('/auth/login', product.url).href);
  const token = await page.evaluate(
    async ([call, body]) => {
      const answer = await fetch(`/api${call}`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      });
      return ((await answer.json()) as { token: string }).token;
    },
    [login.path, JSON.stringify({ email, password: 'correct horse' })] as const,
  );
  await enter(page, product.url + path, token);
  return page;
}
const android =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36';
const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';

for (const [screen, viewport] of screensOf(import.meta.url)) {
  test.describe(screen, () => {
    test.use({ viewport });

    for (const [who, email, path] of pages) {
      test(`${who} ends the session of another browser, which must sign in again`, async ({ browser }) => {
        const mine = await browserOf(browser, email, path, windows);
        const other = await browserOf(browser, email, path, android);
        await mine.setViewportSize(viewport);
        await mine.reload();
        const asking = sessions(mine).first();
        await expect(asking).toContainText('Firefox, Windows');
        await expect(asking).toContainText('Этот сеанс');
        await expect(asking).toContainText('127.0.0.1');
        // The row of the current session has no button to end it.
        await expect(asking.getByRole('button')).toHaveCount(0);
        const theirs = sessions(mine).filter({ hasText: 'Chrome, Android' });
        await expect(theirs).toHaveCount(1);
        const end = theirs.getByRole('button', { name: 'Завершить: Chrome, Android, 127.0.0.1' });

        await end.click();
        await mine.getByRole('dialog').getByRole('button', { name: 'Отмена' }).click();
        await expect(theirs).toHaveCount(1);
        await expect(end).toBeFocused();

        await end.click();
        const question = mine.getByRole('dialog', { name: 'Завершить этот сеанс?' });
        await expect(question).toContainText('Chrome, Android, 127.0.0.1. Там нужно будет войти заново.');
        await expect(question.getByText('Пароль шлюза станет другим')).toHaveCount(who === 'admin' ? 0 : 1);
        await agree(mine);
        await expect(mine.getByText('Сеанс завершён')).toBeVisible();
        await expect(theirs).toHaveCount(0);
        await other.reload();
        await expect(heading(other, 'Вход')).toBeVisible();
        expect(await stored(other, 'access_token')).toBeNull();
        await mine.reload();
        await expect(asking).toContainText('Этот сеанс');

        // The page does not scroll sideways.
        const [wide, seen] = await mine.evaluate<number[]>(
          '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
        );
        expect(wide).toBeLessThanOrEqual(seen ?? 0);
        await mine.context().close();
        await other.context().close();
      });
    }

    test("an extension's session is labelled, and all other sessions end with one click", async ({
      browser,
    }) => {
      const [, email, path] = pages[1];
      const body = { email, password: 'correct horse', client: 'extension' } as const;
      const extension = (await product.call(null, login, { body })).token;
      const mine = await browserOf(browser, email, path, windows);
      const other = await browserOf(browser, email, path, android);
      await mine.setViewportSize(viewport);
      await mine.reload();
      const paired = sessions(mine).filter({ hasText: 'Расширение' });
      await expect(paired).toHaveCount(1);
      await paired.getByRole('button', { name: /^Завершить/ }).click();
      await expect(mine.getByRole('dialog')).toContainText('Сайты компании перестанут открываться');
      await mine.getByRole('dialog').getByRole('button', { name: 'Отмена' }).click();

      await endOthers(mine).click();
      await agree(mine);
      await expect(mine.getByText('Остальные сеансы завершены')).toBeVisible();
      await expect(sessions(mine)).toHaveCount(1);
      await expect(card(mine).getByText('Других открытых сеансов нет.')).toBeVisible();
      await expect(endOthers(mine)).toHaveCount(0);
      await other.reload();
      await expect(heading(other, 'Вход')).toBeVisible();
      await expect(product.call(extension, listSessions)).rejects.toThrow(/401/);
      await mine.context().close();
      await other.context().close();
    });

    test('ending a session that has already ended succeeds, and a failed session list offers a retry', async ({
      browser,
    }) => {
      const [, email, path] = pages[1];
      const mine = await browserOf(browser, email, path, windows);
      const other = await browserOf(browser, email, path, android);
      await mine.setViewportSize(viewport);
      await mine.reload();
      const theirs = sessions(mine).filter({ hasText: 'Chrome, Android' });
      await theirs.getByRole('button').click();
      await product.call(await stored(other, 'access_token'), logout);
      await agree(mine);
      await expect(mine.getByRole('dialog')).toHaveCount(0);
      await expect(theirs).toHaveCount(0);

      await mine.route('**/api/me/sessions', (route) => route.fulfill({ status: 500, body: '' }));
      await mine.reload();
      await expect(card(mine).getByText('Сеансы не загрузились')).toBeVisible();
      // The other cards of the page render although the session list failed.
      await expect(heading(mine, 'Персональные данные')).toBeVisible();
      await mine.unroute('**/api/me/sessions');
      await card(mine).getByRole('button', { name: 'Повторить' }).click();
      await expect(sessions(mine)).not.toHaveCount(0);
      await mine.context().close();
      await other.context().close();
    });
  });
}
