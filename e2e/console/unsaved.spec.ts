import { expect, type Locator, type Page } from '@playwright/test';
import { useLink as linkCall, login, logout } from '@propusk/contract/auth';
import { createCompany, updateMyCompany } from '@propusk/contract/companies';
import { createPolicy } from '@propusk/contract/policies';
import { createProxy } from '@propusk/contract/proxies';
import { confirmSecondFactor, startSecondFactor } from '@propusk/contract/second-factor';
import { createSite } from '@propusk/contract/sites';
import { appCode } from '@propusk/test-kit/api/app-code';
import { inTurn } from '@propusk/test-kit/turns';
import type { Call } from '../../scripts/call.ts';
import { choose, enter, field, heading, pick, startConsole, stored, test } from '../support/console.ts';
import { linkTo } from '../support/mailbox.ts';
import { chunkOf } from '../support/scenario.ts';

/** Typed input survives Back, Reload, a lost session, a lost server and code that does not load, in every form. */
const PASSWORD = 'correct horse';
const people = {
  owner: 'irina@romashka.test',
  agent: 'petr@romashka.test',
  admin: 'admin@propusk.test',
  guarded: 'vera@romashka.test',
  forced: 'boris@lutik.test',
} as const;
type Who = keyof typeof people;

/** Recovery codes of the user with a second factor: each sign-in uses one up. */
let codes: string[] = [];
const product = startConsole(async (console) => {
  const owner = await console.owner(people.owner);
  const company = { companyName: 'Василёк', companySite: 'vasilek.test' };
  await console.call(await console.admin(), createCompany, { body: company });
  await console.agent(owner, people.agent);
  codes = await enrol(console.call, await console.agent(owner, people.guarded));
  const proxy = { host: 'own.romashka.test', port: 3128, username: 'login', password: 'secret' };
  await console.call(owner, createProxy, { body: proxy });
  await console.call(owner, createPolicy, { body: { name: 'Продажи', proxyId: 1 } });
  await console.call(owner, createSite, { body: { address: 'crm.romashka.test' } });
  const chief = await console.owner('chief@lutik.test');
  await enrol(console.call, chief);
  await console.agent(chief, people.forced);
  await console.call(chief, updateMyCompany, { body: { secondFactorRequired: true } });
});

/** A form of the console, filled so that it can be sent. */
interface Form {
  name: string;
  who: Who;
  path: string;
  open: (page: Page) => Promise<Locator>;
  values: Readonly<Record<string, string>>;
  submit: string;
  /** Sets values that are not text fields, such as choices in a list. */
  more?: (page: Page) => Promise<void>;
}
const creator = '/dashboard/creator';
const admin = '/dashboard/admin';
const named = (page: Page, title: string) => page.getByRole('dialog', { name: title, exact: true });
const added =
  (title: string, button = 'Добавить') =>
  async (page: Page) => {
    await page.getByRole('main').getByRole('button', { name: button, exact: true }).first().click();
    return named(page, title);
  };
const chosen =
  (row: RegExp, title: string, item = 'Редактировать') =>
  async (page: Page) => {
    await choose(page, row, item);
    return named(page, title);
  };
const region = (title: string, button?: string) => async (page: Page) => {
  if (button) await page.getByRole('button', { name: button, exact: true }).click();
  return page.getByRole('region', { name: title, exact: true });
};
const edit = { submit: 'Сохранить' };

const forms: readonly Form[] = [
  {
    name: 'a new site',
    who: 'owner',
    path: `${creator}/domains`,
    open: added('Новый сайт'),
    values: { Адрес: 'wiki.romashka.test' },
    ...edit,
  },
  {
    name: 'a site',
    who: 'owner',
    path: `${creator}/domains`,
    open: chosen(/crm\.romashka/, 'Сайт'),
    values: { Адрес: 'erp.romashka.test' },
    ...edit,
  },
  {
    name: 'a new proxy',
    who: 'owner',
    path: `${creator}/proxies`,
    open: added('Новый прокси-сервер'),
    values: { Хост: 'new.romashka.test', Порт: '3129', Логин: 'login', Пароль: 'secret' },
    ...edit,
  },
  {
    name: 'a proxy',
    who: 'owner',
    path: `${creator}/proxies`,
    open: chosen(/own\.romashka/, 'Прокси-сервер'),
    values: { Порт: '8080', Пароль: 'another' },
    ...edit,
  },
  {
    name: 'a new policy',
    who: 'owner',
    path: `${creator}/politics`,
    open: added('Новая политика доступа'),
    values: { Название: 'Закупки', Описание: 'Склад и закупки' },
    more: (page) => pick(page, 'Прокси', 'Шлюз платформы'),
    ...edit,
  },
  {
    name: 'a policy',
    who: 'owner',
    path: `${creator}/politics`,
    open: chosen(/Продажи/, 'Политика доступа'),
    values: { Описание: 'Отдел продаж' },
    ...edit,
  },
  {
    name: 'a new person',
    who: 'owner',
    path: `${creator}/users`,
    open: added('Новый пользователь'),
    values: { Имя: 'Анна', Почта: 'anna@romashka.test', Пароль: 'пароль 8' },
    ...edit,
  },
  {
    name: 'a person',
    who: 'owner',
    path: `${creator}/users`,
    open: chosen(/petr@/, 'Edit user'),
    values: { Имя: 'Пётр', 'Новый пароль': '12345678' },
    ...edit,
  },
  {
    name: 'a change of role',
    who: 'owner',
    path: `${creator}/users`,
    open: chosen(/petr@/, 'Сделать владельцем', 'Сделать владельцем'),
    values: { 'Ваш текущий пароль': PASSWORD },
    submit: 'Сделать владельцем',
  },
  {
    name: "the owner's company",
    who: 'owner',
    path: `${creator}/company`,
    open: chosen(/romashka\.test/, 'Change company'),
    values: { Название: 'АО «Ромашка»' },
    ...edit,
  },
  {
    name: 'a new company',
    who: 'admin',
    path: `${admin}/companies`,
    open: added('Новая компания'),
    values: { Сайт: 'lutik.test', Название: 'Лютик' },
    ...edit,
  },
  {
    name: 'a company, for an admin',
    who: 'admin',
    path: `${admin}/companies`,
    open: chosen(/Василёк/, 'Change company'),
    values: { Сайт: 'vasilek.example' },
    ...edit,
  },
  {
    name: "an owner's invitation",
    who: 'admin',
    path: `${admin}/companies`,
    open: chosen(/Василёк/, 'Пригласить владельца', 'Пригласить владельца'),
    values: { Почта: 'second@romashka.test', Имя: 'Вера', 'Ваш текущий пароль': PASSWORD },
    ...edit,
  },
  {
    name: 'a person, for an admin',
    who: 'admin',
    path: `${admin}/users`,
    open: chosen(/petr@/, 'Edit user'),
    values: { Фамилия: 'Орлов' },
    ...edit,
  },
  {
    name: "an admin's invitation",
    who: 'admin',
    path: `${admin}/users`,
    open: added('Добавить администратора', 'Добавить администратора'),
    values: { Почта: 'second@propusk.test', 'Ваш текущий пароль': PASSWORD },
    submit: 'Пригласить',
  },
  {
    name: 'a proxy, for an admin',
    who: 'admin',
    path: `${admin}/proxies`,
    open: chosen(/own\.romashka/, 'Прокси-сервер'),
    values: { Хост: 'other.romashka.test', Пароль: 'another' },
    ...edit,
  },
  {
    name: 'a new email address',
    who: 'agent',
    path: '/dashboard/user/personal-data',
    open: region('Сменить почту', 'Сменить почту'),
    values: { 'Новая почта': 'new@romashka.test', 'Текущий пароль': PASSWORD },
    submit: 'Отправить ссылку',
  },
  {
    name: 'a new password of the user',
    who: 'agent',
    path: '/dashboard/user/personal-data',
    open: region('Пароль'),
    values: {
      'Текущий пароль': PASSWORD,
      'Новый пароль': 'battery staple',
      'Повторите новый пароль': 'battery staple',
    },
    submit: 'Сменить пароль',
  },
  {
    name: 'the start of the second factor',
    who: 'agent',
    path: '/dashboard/user/personal-data',
    open: region('Второй фактор', 'Включить второй фактор'),
    values: { 'Текущий пароль': PASSWORD },
    submit: 'Продолжить',
  },
  {
    name: 'the second factor that the company requires',
    who: 'forced',
    path: '/dashboard/user/personal-data',
    open: region('Второй фактор'),
    values: { 'Текущий пароль': PASSWORD },
    submit: 'Продолжить',
  },
  {
    name: 'new recovery codes',
    who: 'guarded',
    path: '/dashboard/user/personal-data',
    open: region('Новые запасные коды', 'Новые запасные коды'),
    values: { 'Текущий пароль': PASSWORD, 'Код из приложения или запасной код': '123456' },
    submit: 'Получить коды',
  },
];

/** Turns a user's second factor on. @returns the recovery codes */
async function enrol(call: Call, token: string): Promise<string[]> {
  const { secret } = await call(token, startSecondFactor, { body: { currentPassword: PASSWORD } });
  return [...(await call(token, confirmSecondFactor, { body: { code: appCode(secret) } })).codes];
}

/** Opens a session. @returns its token */
async function signIn(who: Who): Promise<string> {
  if (who !== 'guarded') return product.signIn(people[who]);
  const body = { email: people.guarded, password: PASSWORD, code: codes.shift() };
  return (await product.call(null, login, { body })).token;
}

const question = (page: Page) => page.getByRole('dialog', { name: 'Уйти со страницы?' });
const again = (page: Page) => page.getByRole('dialog', { name: 'Сеанс завершён' });
const failed = { status: 503, json: { code: 'unavailable', message: 'Сервер занят' } };
const writes = /\/api\/(?!auth\/login)/;

/** Presses Back without waiting for a page. */
const back = (page: Page) => page.evaluate('history.back()');

/** Reloads the page and dismisses the dialog. @returns whether the dialog is the browser's beforeunload */
async function stayAtReload(page: Page): Promise<boolean> {
  const asked = page.waitForEvent('dialog');
  const reload = page.evaluate('location.reload()').catch(() => {});
  const dialog = await asked;
  await dialog.dismiss();
  await reload;
  return dialog.type() === 'beforeunload';
}

/** Refuses every write with 503, and records the token and body of the request. */
async function refuseWrites(page: Page): Promise<{ bearer: string; body: string }[]> {
  const seen: { bearer: string; body: string }[] = [];
  await page.route(writes, async (route) => {
    const request = route.request();
    if (request.method() === 'GET') return route.fallback();
    seen.push({ bearer: (await request.headerValue('authorization')) ?? '', body: request.postData() ?? '' });
    return route.fulfill(failed);
  });
  return seen;
}

async function fill(page: Page, form: Locator, { values, more }: Pick<Form, 'values' | 'more'>) {
  for (const [label, value] of Object.entries(values)) await field(form, label).fill(value);
  await more?.(page);
}

async function keeps(form: Locator, { values }: Pick<Form, 'values'>): Promise<void> {
  for (const [label, value] of Object.entries(values)) await expect(field(form, label)).toHaveValue(value);
}

/** Opens the page of a form from another page of the console. @returns the heading of the other page */
async function visit(page: Page, form: Pick<Form, 'who' | 'path'>, token: string): Promise<Locator> {
  const personal = form.path.endsWith('personal-data');
  await enter(
    page,
    `${product.url}${personal ? '/dashboard/user/domains' : '/dashboard/personal-data'}`,
    token,
  );
  if (form.who !== 'forced') await page.locator(`a[href="${form.path}"]`).first().click();
  return heading(page, personal ? 'Сайты' : 'Персональные данные');
}

for (const form of inTurn(forms)) {
  test(`the form of ${form.name} keeps its input over Reload, 503, offline, 401 and Back`, async ({
    page,
    context,
  }) => {
    const token = await signIn(form.who);
    const before = await visit(page, form, token);
    const opened = await form.open(page);
    await expect(opened).toBeVisible();
    const url = page.url();
    const send = opened.getByRole('button', { name: form.submit, exact: true });
    await expect(send).toBeDisabled();
    await field(opened, Object.keys(form.values)[0] ?? '').click();
    await fill(page, opened, form);

    expect(await stayAtReload(page)).toBe(true);
    await keeps(opened, form);

    const sent = await refuseWrites(page);
    await send.click();
    await expect(opened.getByRole('alert')).toContainText('Сервер занят');
    await keeps(opened, form);

    await page.unroute(writes);
    await context.setOffline(true);
    await send.click();
    await expect(opened.getByRole('alert')).toContainText('Нет связи с сервером');
    await context.setOffline(false);
    // The console reads its data again when it is online; a reply after the logout would open the sign-in dialog early.
    await page.waitForLoadState('networkidle');
    await keeps(opened, form);

    // The server refuses the first call. The test refuses the call that is repeated after the sign-in.
    await product.call(token, logout);
    await send.click();
    await expect(again(page)).toBeVisible();
    await keeps(opened, form);
    const repeated = await refuseWrites(page);
    await again(page).getByLabel('Пароль', { exact: true }).fill(PASSWORD);
    await again(page).getByRole('button', { name: 'Войти' }).click();
    if (form.who === 'guarded') {
      await field(again(page), 'Код из приложения или запасной код').fill(codes.shift() ?? '');
      await again(page).getByRole('button', { name: 'Войти' }).click();
    }
    await expect(opened.getByRole('alert')).toContainText('Сервер занят');
    await expect(again(page)).toHaveCount(0);
    await keeps(opened, form);
    const fresh = await stored(page, 'access_token');
    expect(fresh).not.toBe(token);
    expect(repeated).toEqual([{ bearer: `Bearer ${fresh}`, body: sent[0]?.body }]);

    // The page of a required second factor has no previous console page, so Back shows the browser's own dialog.
    if (form.who === 'forced') return;
    await back(page);
    await question(page).getByRole('button', { name: 'Остаться' }).click();
    await expect(question(page)).toHaveCount(0);
    await expect(page).toHaveURL(url);
    await keeps(opened, form);
    await back(page);
    await question(page).getByRole('button', { name: 'Закрыть' }).click();
    // Leaving a form with its own URL opens form.path; leaving another form opens the previous page.
    if (url.endsWith(form.path)) await expect(before).toBeVisible();
    else await expect(page).toHaveURL(new URL(form.path, product.url).href);
    await expect(opened).toHaveCount(0);
  });

  if (form.who === 'forced') continue;
  test(`the form of ${form.name} keeps its input when the confirmation dialog fails to load or crashes`, async ({
    page,
  }) => {
    const code = `**/${await chunkOf('src/ui/confirm-dialog.tsx')}`;
    await page.route(code, (route) => route.abort());
    await visit(page, form, await signIn(form.who));
    const opened = await form.open(page);
    await field(opened, Object.keys(form.values)[0] ?? '').click();
    const url = page.url();
    await fill(page, opened, form);
    await back(page);
    await expect(page.getByRole('alert')).toContainText('Пропала связь с сервером');
    await expect(page).toHaveURL(url);
    await keeps(opened, form);

    await page.unroute(code);
    const body = 'export function ConfirmDialog() { throw new Error("It crashes"); }';
    await page.route(code, (route) => route.fulfill({ contentType: 'text/javascript', body }));
    await back(page);
    await expect(page.getByRole('alert').filter({ hasText: 'Что-то пошло не так' })).toBeVisible();
    await expect(page).toHaveURL(url);
    await keeps(opened, form);
  });
}

test('the forms of registration and of a new password ask before a navigation discards their input', async ({
  page,
}) => {
  await page.goto(`${product.url}/auth/login`);
  await page.getByRole('link', { name: 'Зарегистрировать компанию' }).click();
  const name = page.getByRole('textbox', { name: 'Название компании' });
  await name.click();
  await name.fill('ООО «Лютик»');
  expect(await stayAtReload(page)).toBe(true);
  await back(page);
  await question(page).getByRole('button', { name: 'Остаться' }).click();
  await expect(name).toHaveValue('ООО «Лютик»');
  await page.getByRole('link', { name: 'Войти' }).click();
  await question(page).getByRole('button', { name: 'Закрыть' }).click();
  await expect(heading(page, 'Вход')).toBeVisible();

  await product.call(null, linkCall, { body: { email: people.agent } });
  await page.goto(await linkTo(product.dataDir, people.agent));
  const password = page.getByLabel('Новый пароль', { exact: true });
  await password.click();
  await password.fill('battery staple');
  expect(await stayAtReload(page)).toBe(true);
  await expect(password).toHaveValue('battery staple');
});

test('a second press of Back during the confirmation keeps the form and the confirmation open', async ({
  page,
}) => {
  await visit(page, { who: 'owner', path: `${creator}/users` }, await signIn('owner'));
  await page.locator(`a[href="${creator}/domains"]`).first().click();
  await expect(heading(page, 'Сайты')).toBeVisible();
  const form = await added('Новый сайт')(page);
  await field(form, 'Адрес').click();
  await field(form, 'Адрес').fill('wiki.romashka.test');
  await back(page);
  await expect(question(page)).toBeVisible();
  await page.evaluate('history.go(-1)');
  await question(page).getByRole('button', { name: 'Остаться' }).click();
  await expect(question(page)).toHaveCount(0);
  await expect(page).toHaveURL(`${product.url}${creator}/domains/new`);
  await expect(field(form, 'Адрес')).toHaveValue('wiki.romashka.test');
  await back(page);
  await question(page).getByRole('button', { name: 'Закрыть' }).click();
  await expect(page).toHaveURL(`${product.url}${creator}/domains`);
  await expect(form).toHaveCount(0);
});

test('leaving an unchanged form asks for no confirmation', async ({ page }) => {
  const path = `${creator}/domains`;
  const before = await visit(page, { who: 'owner', path }, await signIn('owner'));
  const form = await added('Новый сайт')(page);
  await back(page);
  await expect(form).toHaveCount(0);
  await back(page);
  await expect(before).toBeVisible();
});
