import { globSync, readFileSync } from 'node:fs';
import { expect, type Locator, type Page, type Route } from '@playwright/test';
import { createCompany, myCompany } from '@propusk/contract/companies';
import { createPlan } from '@propusk/contract/plans';
import { createPolicy } from '@propusk/contract/policies';
import { createProxy } from '@propusk/contract/proxies';
import { createSite, listSites } from '@propusk/contract/sites';
import { createUser, updateUser } from '@propusk/contract/users';
import { inTurn } from '@propusk/test-kit/turns';
import {
  choose,
  dialogOf,
  enter,
  field,
  row,
  saveOf,
  saveSite,
  startConsole,
  test,
} from '../support/console.ts';
import { type DialogCase, dialogCases, type Entity } from '../support/dialog-cases.ts';
import { chunkOf } from '../support/scenario.ts';

/** Every dialog that has a URL: links, history, reloads, and code or data that fails to load. */
const sources = new URL('../../apps/web/src/features/', import.meta.url);

// Parallel mode splits the dialogs between the workers.
test.describe.configure({ mode: 'parallel' });

const tokens = { owner: '', admin: '', both: '' };
const ids: Record<Entity, number> = {
  site: 0,
  proxy: 0,
  platform: 0,
  policy: 0,
  user: 0,
  own: 0,
  company: 0,
  plan: 0,
};

const product = startConsole(async (console) => {
  const { call } = console;
  const chief = (tokens.admin = await console.admin());
  const owner = (tokens.owner = await console.owner('irina@romashka.test'));
  tokens.both = await console.agent(owner, 'both@romashka.test');
  await console.setRoles('both@romashka.test', ['CREATOR', 'USER']);
  const proxy = (host: string) => ({ host, port: 3128, username: 'login', password: 'secret' });
  const company = { companyName: 'Василёк', companySite: 'vasilek.test' };
  ids.company = (await call(chief, createCompany, { body: company })).id;
  const plan = { name: 'Большой', paidProxies: true, allSites: false, offered: true, trial: false };
  ids.plan = (await call(chief, createPlan, { body: plan })).id;
  ids.platform = (await call(chief, createProxy, { body: proxy('plain.platform.test') })).id;
  ids.own = (await call(owner, myCompany)).id;
  ids.proxy = (await call(owner, createProxy, { body: proxy('own.romashka.test') })).id;
  ids.policy = (await call(owner, createPolicy, { body: { name: 'Продажи', proxyId: 1 } })).id;
  ids.site = (await call(owner, createSite, { body: { address: 'crm.romashka.test' } })).id;
  const petr = { name: 'Пётр', surname: 'Орлов', email: 'petr@romashka.test', password: 'correct horse' };
  ids.user = (await call(owner, createUser, { body: { ...petr, politics: [] } })).id;
});

const withId = (path: string, of: DialogCase['of'], id = of && ids[of]) => path.replace('$id', String(id));
const under = (one: DialogCase) => `${product.url}${withId(one.page, one.of)}`;
const address = (one: DialogCase, id?: number) =>
  `${product.url}${withId(`${one.page}/${one.path}`, one.of, id)}`;
const searching = (url: string, { search }: DialogCase) =>
  search ? `${url}?name=${encodeURIComponent(search)}` : url;
const named = (page: Page, { title }: DialogCase) => page.getByRole('dialog', { name: title, exact: true });
const question = (page: Page) => page.getByRole('dialog', { name: 'Уйти со страницы?' });
const back = (page: Page) => page.evaluate('history.back()');
const forward = (page: Page) => page.evaluate('history.forward()');

async function open(page: Page, { by }: DialogCase): Promise<void> {
  if (typeof by !== 'string') return choose(page, ...by);
  await page.getByRole('main').getByRole('button', { name: by, exact: true }).first().click();
}

/** The element that has the focus after the dialog has closed. */
const opener = (page: Page, { by }: DialogCase): Locator =>
  typeof by === 'string'
    ? page.getByRole('main').getByRole('button', { name: by, exact: true }).first()
    : row(page, by[0]).getByRole('button', { name: /^Действия/ });

/** Waits until the dialog shows its entity. */
async function shows(page: Page, one: DialogCase): Promise<void> {
  await expect(named(page, one)).toBeVisible();
  await expect(dialogOf(page).locator('.mantine-Skeleton-root')).toHaveCount(0);
  if (one.types) await expect(field(dialogOf(page), one.types[0])).toBeVisible();
}

async function isClosed(page: Page, url: string): Promise<void> {
  await expect(page).toHaveURL(url);
  await expect(dialogOf(page)).toHaveCount(0);
  await expect(page.locator('main h1')).toBeVisible();
}

/** Checks that neither the page nor the dialog scrolls horizontally. */
async function fits(page: Page, dialog: Locator): Promise<void> {
  for (const part of [page.locator('html'), dialog]) {
    expect(await part.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  }
  const { x = -1, width = 0 } = (await dialog.boundingBox()) ?? {};
  expect(x).toBeGreaterThanOrEqual(0);
  expect(x + width).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
}

test('every dialog that has a URL has a case in dialog-cases.ts', () => {
  const found = globSync('*/page.ts', { cwd: sources }).flatMap((path) => {
    const source = readFileSync(new URL(path, sources), 'utf8');
    const pages = new Map(
      [...source.matchAll(/const (\w+) = (?:page|list)\(\s*'([^']+)'/g)].map(([, name, at]) => [name, at]),
    );
    return [...source.matchAll(/\bdialog\((\w+), '([^']+)'/g)].map(([, of, at]) => `${pages.get(of)}/${at}`);
  });
  expect(dialogCases.map(({ page, path }) => `${page}/${path}`).toSorted()).toEqual(found.toSorted());
});

for (const one of inTurn(dialogCases)) {
  const name = `${one.page}/${one.path}`;

  test(`a link to ${name} opens the dialog, also after a reload and in a second tab as narrow as a phone`, async ({
    page,
    context,
  }) => {
    await enter(page, address(one), tokens[one.who]);
    await shows(page, one);
    await page.reload();
    await shows(page, one);
    const tab = await context.newPage();
    await tab.setViewportSize({ width: 390, height: 844 });
    await tab.goto(address(one));
    await shows(tab, one);
    await fits(tab, named(tab, one));
    await tab.close();

    await page.keyboard.press('Escape');
    await isClosed(page, under(one));
    await page.goBack();
    expect(new URL(page.url()).pathname).toBe('/favicon.svg');
  });

  test(`${name} opens from its page and closes with Back, Escape and Cancel, and keeps typed text`, async ({
    page,
  }) => {
    const [list, url] = [searching(under(one), one), searching(address(one), one)];
    await enter(page, list, tokens[one.who]);
    await open(page, one);
    await shows(page, one);
    await expect(page).toHaveURL(url);
    await page.locator('main h1').evaluate((heading) => heading.setAttribute('data-kept', ''));

    await back(page);
    await isClosed(page, list);
    await forward(page);
    await shows(page, one);
    await expect(page).toHaveURL(url);
    await page.keyboard.press('Escape');
    await isClosed(page, list);
    await expect(opener(page, one)).toBeFocused();
    await expect(page.locator('main h1[data-kept]')).toBeVisible();
    if (!one.types) return;

    // Escape went back, so that the entry of the dialog is still the next one.
    await forward(page);
    await shows(page, one);
    await dialogOf(page).getByRole('button', { name: 'Отмена' }).click();
    await isClosed(page, list);
    await open(page, one);
    await shows(page, one);
    const typed = field(named(page, one), one.types[0]);
    await typed.fill(one.types[1]);
    await back(page);
    await question(page).getByRole('button', { name: 'Остаться' }).click();
    await expect(question(page)).toHaveCount(0);
    await expect(page).toHaveURL(url);
    await expect(typed).toHaveValue(one.types[1]);
    await back(page);
    await question(page).getByRole('button', { name: 'Закрыть' }).click();
    await isClosed(page, list);
    await expect(page.locator('main h1[data-kept]')).toBeVisible();
  });

  test(`${name} reports code that does not load, and data that is slow, fails or does not exist`, async ({
    page,
  }) => {
    const list = searching(under(one), one);
    const code = `**/${await chunkOf(one.code)}`;
    await page.route(code, (route) => route.abort());
    await enter(page, list, tokens[one.who]);
    await open(page, one);
    await expect(page.getByRole('alert')).toContainText('Пропала связь с сервером');
    await isClosed(page, list);
    await page.unroute(code);
    await open(page, one);
    await shows(page, one);
    if (one.reads === undefined) return;

    const held = await hold(page, withId(one.reads, one.of));
    // The search finds no row, so the dialog cannot take the entity from the list.
    await page.goto(`${address(one)}?name=nothing`);
    await expect(dialogOf(page).locator('.mantine-Skeleton-root').first()).toBeVisible();
    const failed = { status: 500, json: { code: 'internal', message: 'Сервер занят' } };
    await held.release((route) => route.fulfill(failed));
    await expect(dialogOf(page)).toContainText('Сервер занят');
    await held.end();
    await dialogOf(page).getByRole('button', { name: 'Повторить' }).click();
    await shows(page, one);

    if (!one.path.includes('$id') && !one.page.includes('$id')) return;
    await page.goto(address(one, 999_999));
    await expect(dialogOf(page)).toContainText('Не найдено: возможно, уже удалено');
    await page.keyboard.press('Escape');
    await expect(dialogOf(page)).toHaveCount(0);
  });
}

test('a save in the dialog of a site leaves no history entry of the dialog', async ({ page }) => {
  const list = `${product.url}/dashboard/creator/domains`;
  await enter(page, list, tokens.owner);
  for (const [before, after] of [
    [undefined, 'first.test'],
    ['first.test', 'second.test'],
  ] as const) {
    if (before) await choose(page, new RegExp(before), 'Редактировать');
    else await page.getByRole('button', { name: 'Добавить', exact: true }).first().click();
    await field(dialogOf(page), 'Адрес').fill(after);
    await (before ? saveOf(dialogOf(page)).click() : saveSite(page));
    await isClosed(page, list);
    await expect(row(page, new RegExp(after))).toBeVisible();
  }
  for (const step of [1, 2]) {
    await back(page);
    await expect.poll(() => page.evaluate('history.state.__TSR_index'), `step ${step}`).toBe(2 - step);
    await isClosed(page, list);
  }

  const { rows } = await product.call(tokens.owner, listSites);
  const { id = 0 } = rows.find((site) => site.address === 'second.test') ?? {};
  await enter(page, `${list}/${id}/edit`, tokens.owner);
  await field(dialogOf(page), 'Адрес').fill('third.test');
  await saveOf(dialogOf(page)).click();
  await isClosed(page, list);
  await page.goBack();
  expect(page.url()).toBe(`${product.url}/favicon.svg`);
});

test('a newer version replaces the values of an open dialog until the user has typed', async ({ page }) => {
  const rename = (surname: string) =>
    product.call(tokens.owner, updateUser, { params: { id: ids.user }, body: { surname } });
  await page.clock.install();
  await enter(page, `${product.url}/dashboard/creator/users`, tokens.owner);
  await expect(row(page, /petr@/)).toBeVisible();
  const form = dialogOf(page);
  const openStale = async (surname: string) => {
    await rename(surname);
    // After 6 s the dialog shows the row of the list, and also requests the entity again.
    await page.clock.fastForward(6000);
    const held = await hold(page, `/users/${ids.user}`);
    await choose(page, /petr@/, 'Редактировать');
    return held;
  };

  const first = await openStale('Соколов');
  await expect(field(form, 'Фамилия')).toHaveValue('Орлов');
  await first.release();
  await expect(field(form, 'Фамилия')).toHaveValue('Соколов');
  await first.end();
  await page.keyboard.press('Escape');
  await expect(form).toHaveCount(0);

  const second = await openStale('Воробьёв');
  await expect(field(form, 'Фамилия')).toHaveValue('Соколов');
  await field(form, 'Имя').fill('Павел');
  const reply = page.waitForResponse((response) => response.url().endsWith(`/users/${ids.user}`));
  await second.release();
  await reply;
  await second.end();
  await saveOf(form).click();
  // The save is refused, because the form sends the older version that it shows.
  await expect(form.getByRole('alert')).toBeVisible();
  await expect(field(form, 'Имя')).toHaveValue('Павел');
  await expect(field(form, 'Фамилия')).toHaveValue('Соколов');
});

test('a reload keeps the history entry of an open dialog, so that Escape goes back', async ({ page }) => {
  const list = `${product.url}/dashboard/creator/users`;
  await enter(page, list, tokens.owner);
  await choose(page, /petr@/, 'Редактировать');
  await expect(field(dialogOf(page), 'Имя')).toBeVisible();
  const index = await page.evaluate<number>('history.state.__TSR_index');
  await page.reload();
  await expect(field(dialogOf(page), 'Имя')).toBeVisible();
  await page.keyboard.press('Escape');
  await isClosed(page, list);
  expect(await page.evaluate('history.state.__TSR_index')).toBe(index - 1);
});

test('a dialog that crashes closes once, and its page stays', async ({ page }) => {
  const list = `${product.url}/dashboard/creator/users`;
  const body = 'export function EditUserDialog() { throw new Error("It crashes"); }';
  await page.route(`**/${await chunkOf('src/features/users/form.tsx')}`, (route) =>
    route.fulfill({ contentType: 'text/javascript', body }),
  );
  await enter(page, list, tokens.owner);
  const index = await page.evaluate<number>('history.state.__TSR_index');
  await choose(page, /petr@/, 'Редактировать');
  await expect(page.getByRole('alert').filter({ hasText: 'Что-то пошло не так' })).toHaveCount(1);
  await isClosed(page, list);
  expect(await page.evaluate('history.state.__TSR_index')).toBe(index);
});

test('a search of users does not filter the sites under the dialog of a probe', async ({ page }) => {
  const drifted = [
    { id: ids.site, name: 'crm.romashka.test', verdict: 'open', checkedAt: '2026-01-15T09:00:00Z' },
  ];
  await page.route('**/api/company/evidence', async (route) => {
    const reply = await route.fetch();
    await route.fulfill({ json: { ...(await reply.json()), drifted } });
  });
  await enter(page, `${product.url}/dashboard/creator/users?name=petr`, tokens.owner);
  await page.getByRole('button', { name: 'Проверить crm.romashka.test' }).click();
  await expect(dialogOf(page)).toBeVisible();
  await expect(page).toHaveURL(`${product.url}/dashboard/creator/domains/${ids.site}/check`);
});

/** Holds all requests to an api path. `release` answers held and later requests; `end` stops the interception. */
async function hold(page: Page, path: string) {
  const waiting: Route[] = [];
  let answer: ((route: Route) => Promise<void>) | undefined;
  const isHeld = ({ pathname }: URL) => pathname === `/api${path}`;
  await page.route(isHeld, async (route) => {
    if (answer) return answer(route);
    waiting.push(route);
  });
  return {
    async release(next: (route: Route) => Promise<void> = (route) => route.continue()) {
      answer = next;
      await Promise.all(waiting.map(next));
    },
    end: () => page.unroute(isHeld),
  };
}
