import { expect, type Page } from '@playwright/test';
import { enter, heading, screensOf, startConsole, stored, test } from '../support/console.ts';

/** The frame of every dashboard page: header, navigation by role, and route guards. */

/** The navigation items of each role. */
const creatorItems = [
  ['Сайты', '/dashboard/creator/domains'],
  ['Прокси-серверы', '/dashboard/creator/proxies'],
  ['Политики доступа', '/dashboard/creator/politics'],
  ['Пользователи', '/dashboard/creator/users'],
  ['Компания', '/dashboard/creator/company'],
  ['Статистика', '/dashboard/creator/statistics'],
  ['Журнал', '/dashboard/creator/audit'],
] as const;
const adminItems = [
  ['Компании', '/dashboard/admin/companies'],
  ['Пользователи', '/dashboard/admin/users'],
  ['Прокси-серверы', '/dashboard/admin/proxies'],
  ['Тарифы', '/dashboard/admin/plans'],
  ['Состояние', '/dashboard/admin/state'],
  ['Журнал', '/dashboard/admin/audit'],
] as const;
const userItems = [
  ['Персональные данные', '/dashboard/user/personal-data'],
  ['Сайты', '/dashboard/user/domains'],
  ['Политики доступа', '/dashboard/user/politics'],
] as const;
const HTML = 'text/html; charset=utf-8';
const domains = '/dashboard/creator/domains';
let owner: string;
let agent: string;

/** Users by role: their start page and navigation. */
const people = [
  { email: 'owner@romashka.test', marked: false, begins: domains, items: creatorItems },
  { email: 'admin@propusk.test', marked: true, begins: '/dashboard/admin/companies', items: adminItems },
  { email: 'agent@romashka.test', marked: false, begins: '/dashboard/user/domains', items: userItems },
  {
    email: 'creator-user@romashka.test',
    roles: ['CREATOR', 'USER'],
    marked: false,
    begins: '/dashboard/user/domains',
    headings: ['Компания', 'Моё'],
    items: [...creatorItems, ...userItems],
  },
  {
    email: 'admin-creator@romashka.test',
    roles: ['ADMIN', 'CREATOR'],
    marked: true,
    begins: '/dashboard/admin/companies',
    headings: ['Платформа', 'Компания'],
    items: [...adminItems, ...creatorItems],
  },
  {
    email: 'all@romashka.test',
    roles: ['USER', 'CREATOR', 'ADMIN'],
    marked: true,
    begins: '/dashboard/user/domains',
    headings: ['Платформа', 'Компания', 'Моё'],
    items: [...adminItems, ...creatorItems, ...userItems],
  },
] as const;

const product = startConsole(async (console) => {
  owner = await console.owner('owner@romashka.test');
  agent = await console.agent(owner, 'agent@romashka.test');
  await console.agent(owner, 'nobody@romashka.test');
  await console.setRoles('nobody@romashka.test', []);
  for (const person of people) {
    if (!('roles' in person)) continue;
    await console.agent(owner, person.email);
    await console.setRoles(person.email, person.roles);
  }
});

const at = (path: string) => product.url + path;
const pathOf = (page: Page) => new URL(page.url()).pathname;

for (const [screen, viewport] of screensOf(import.meta.url)) {
  test.describe(screen, () => {
    test.use({ viewport });

    /** On a phone the navigation is behind a button. */
    async function navigation(page: Page) {
      if (screen === 'phone') await page.getByRole('button', { name: 'Открыть меню' }).click();
      return page.getByRole('navigation', { name: 'Разделы' });
    }

    test('the header links to the sites, and opens the knowledge base in a new tab', {
      tag: ['@2.9', '@2.11'],
    }, async ({ page, context }) => {
      await enter(page, at('/dashboard/creator/company'), owner);
      await expect(heading(page, 'Компания')).toBeVisible();
      const header = page.getByRole('banner');
      const [tab] = await Promise.all([
        context.waitForEvent('page'),
        header.getByRole('link', { name: 'База знаний' }).click(),
      ]);
      await expect(heading(tab, 'База знаний')).toBeVisible();
      expect(pathOf(tab)).toBe('/help');
      expect(pathOf(page)).toBe('/dashboard/creator/company');
      await header.getByRole('link', { name: 'Пропуск: к списку сайтов' }).click();
      await expect(heading(page, 'Сайты')).toBeVisible();
      expect(pathOf(page)).toBe(domains);
    });

    test('logout asks for confirmation, and removes the token even without a network', {
      tag: ['@2.12', '@4.14'],
    }, async ({ page }) => {
      for (const network of ['up', 'down']) {
        const token = await product.signIn('owner@romashka.test');
        await enter(page, at('/dashboard/creator/company'), token);
        const exit = page.getByRole('banner').getByRole('button', { name: 'Выйти' });
        const dialog = page.getByRole('dialog', { name: 'Do you really want to leave the application?' });
        await exit.click();
        await expect(dialog.getByRole('button')).toHaveText(['No', 'Yes']);
        await dialog.getByRole('button', { name: 'No' }).click();
        await expect(dialog).toHaveCount(0);
        await expect(exit).toBeFocused();
        expect(await stored(page, 'access_token')).toBe(token);

        if (network === 'down') await page.route('**/api/auth/logout', (route) => route.abort());
        // A reload clears the page's memory, including this mark.
        await page.evaluate('window.before = true');
        await exit.click();
        await dialog.getByRole('button', { name: 'Yes' }).click();
        await expect(heading(page, 'Вход')).toBeVisible();
        expect(pathOf(page)).toBe('/auth/login');
        expect(await stored(page, 'access_token')).toBeNull();
        expect(await page.evaluate('window.before')).toBeUndefined();
        await expect(page.getByText('Сервер не подтвердил выход')).toHaveCount(network === 'up' ? 0 : 1);
        const answer = await fetch(at('/api/me'), { headers: { authorization: `Bearer ${token}` } });
        expect(answer.status).toBe(network === 'up' ? 401 : 200);
      }
    });

    test('every role has its own start page and navigation', {
      tag: ['@2.10', '@2.13', '@2.16', '@2.17', '@2.18', '@4.5', '@4.6', '@6.1', '@6.2', '@6.3'],
    }, async ({ page }) => {
      for (const person of people) {
        await enter(page, at('/dashboard'), await product.signIn(person.email));
        await expect(page).toHaveURL(at(person.begins));
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        await expect(page.getByRole('banner').getByText('ADMIN', { exact: true })).toHaveCount(
          person.marked ? 1 : 0,
        );
        const links = (await navigation(page)).getByRole('link');
        await expect(links).toHaveText(person.items.map(([name]) => name));
        const leads = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')));
        expect(leads, person.email).toEqual(person.items.map(([, path]) => path));
        // With several roles each role's pages are a separate group.
        if ('headings' in person) {
          for (const name of person.headings) {
            await expect(page.getByRole('navigation').getByText(name, { exact: true }).first()).toBeVisible();
          }
        }
      }
    });

    test('every navigation item opens its page, and the current user is requested once', {
      tag: ['@2.13', '@2.14', '@4.4', '@4.8'],
    }, async ({ page }) => {
      for (const [token, items] of [
        [owner, creatorItems],
        [agent, userItems],
      ] as const) {
        let lookups = 0;
        const count = (request: { url(): string }) => {
          if (request.url().endsWith('/api/me')) lookups++;
        };
        await enter(page, at('/favicon.svg'), token);
        page.on('request', count);
        await page.goto(product.url);
        // The path / redirects each role to its start page.
        await expect(page).toHaveURL(at(token === owner ? domains : '/dashboard/user/domains'));
        for (const [name, path] of items) {
          await (await navigation(page)).getByRole('link', { name, exact: true }).click();
          await expect(heading(page, name)).toBeVisible();
          expect(pathOf(page)).toBe(path);
        }
        expect(lookups).toBe(1);
        page.off('request', count);
      }
      // A link to a dashboard page opens that page, not the start page.
      await enter(page, at('/dashboard/creator/politics'), owner);
      await expect(heading(page, 'Политики доступа')).toBeVisible();
      expect(pathOf(page)).toBe('/dashboard/creator/politics');
    });

    test("a user without a role is logged out, and a page of another role redirects to the user's start page", {
      tag: ['@4.7', '@6.4', '@6.7'],
    }, async ({ page }) => {
      await enter(page, at('/dashboard/admin/companies'), agent);
      await expect(heading(page, 'Сайты')).toBeVisible();
      expect(pathOf(page)).toBe('/dashboard/user/domains');
      await enter(page, at('/dashboard/admin/users'), owner);
      await expect(heading(page, 'Сайты')).toBeVisible();
      expect(pathOf(page)).toBe(domains);

      const token = await product.signIn('nobody@romashka.test');
      const logout = page.waitForRequest(
        (request) => request.method() === 'DELETE' && request.url().endsWith('/api/auth/logout'),
      );
      await enter(page, at(domains), token);
      await logout;
      await expect(heading(page, 'Вход')).toBeVisible();
      expect(await stored(page, 'access_token')).toBeNull();
      const answer = await fetch(at('/api/me'), { headers: { authorization: `Bearer ${token}` } });
      expect(answer.status).toBe(401);
      // A logout forgets the current page, so the next user begins at the start page.
      expect(await page.evaluate(() => sessionStorage.getItem('return_to'))).toBeNull();
    });

    test('an unknown path shows the page-not-found screen', { tag: ['@2.15'] }, async ({ page }) => {
      for (const path of ['/no/such/page', '/dashboard/creator/nothing', '/auth/nothing']) {
        await enter(page, at(path), owner);
        await expect(page.getByText('Страница не найдена')).toBeVisible();
        await expect(page).toHaveTitle('Страница не найдена · Пропуск');
        await expect(page.getByRole('link', { name: 'Пропуск: к списку сайтов' })).toBeVisible();
      }
      await page.getByRole('link', { name: 'На главную' }).click();
      await expect(heading(page, 'Сайты')).toBeVisible();
    });

    test('without a token the dashboard opens the login page after exactly a second', {
      tag: ['@2.8', '@8.7'],
    }, async ({ page }) => {
      await page.clock.install();
      await page.clock.pauseAt(new Date(Date.now() + 60_000));
      await page.goto(at('/dashboard/creator/users'));
      await expect(page.getByText('Вы не вошли')).toBeVisible();
      await page.clock.runFor(999);
      expect(pathOf(page)).toBe('/dashboard/creator/users');
      await page.clock.runFor(1);
      await expect(heading(page, 'Вход')).toBeVisible();
      expect(pathOf(page)).toBe('/auth/login');
    });

    test('without a token the path / opens the login page without visiting a dashboard page', async ({
      page,
    }) => {
      const visited: string[] = [];
      page.on('framenavigated', (frame) => void visited.push(new URL(frame.url()).pathname));
      await page.goto(at('/'));
      await expect(heading(page, 'Вход')).toBeVisible();
      expect(visited.filter((path) => path.startsWith('/dashboard'))).toEqual([]);
    });

    test('the console clears a token that the server rejects, and keeps the token when the server fails', {
      tag: ['@4.9', '@8.6'],
    }, async ({ page }) => {
      await enter(page, at(domains), 'dead');
      await expect(heading(page, 'Вход')).toBeVisible();
      expect(await stored(page, 'access_token')).toBeNull();

      await page.route('**/api/me', (route) => route.fulfill({ status: 500, body: '' }));
      await enter(page, at(domains), owner);
      await expect(page.getByText('Не удалось загрузить ваши данные')).toBeVisible();
      expect(await stored(page, 'access_token')).toBe(owner);
      await page.unroute('**/api/me');
      await page.getByRole('button', { name: 'Повторить' }).click();
      await expect(heading(page, 'Сайты')).toBeVisible();
    });
  });
}

test('a click on a navigation item moves the focus to the heading of the opened page', async ({ page }) => {
  await enter(page, at(domains), owner);
  await expect(heading(page, 'Сайты')).toBeVisible();
  expect(await page.evaluate('document.activeElement === document.body')).toBe(true);
  await page.getByRole('link', { name: 'Пользователи', exact: true }).click();
  await expect(heading(page, 'Пользователи')).toBeFocused();
});

test('every page of the console loads from its URL, and the server answers 404 to a path without a page', async ({
  page,
  request,
}) => {
  const pages = [
    '/',
    '/help',
    '/lock',
    '/extension/pair',
    '/auth/login',
    '/security/check-email',
    '/dashboard',
  ];
  for (const path of [...pages, '/dashboard/creator/domains/1/edit', '/dashboard/admin/companies/1']) {
    const reply = await request.get(`${product.url}${path}`);
    expect([path, reply.status(), reply.headers()['content-type']]).toEqual([path, 200, HTML]);
  }
  for (const path of ['/metrics', '/robots.txt', '/.env', '/wp-login.php', '/authx', '/downloads/x'])
    expect([path, (await request.get(`${product.url}${path}`)).status()]).toEqual([path, 404]);
  await page.goto(`${product.url}/metrics`);
  await expect(page.getByRole('heading', { name: 'Страница не найдена' })).toBeVisible();
});
