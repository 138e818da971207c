import { expect, type Page } from '@playwright/test';
import { auditScenarios } from './audit-scenarios.ts';
import { factorScenarios } from './factor-scenarios.ts';
import { answering, pickList, press, rowDialog, rowMenu } from './page-actions.ts';
import { roleScenarios } from './role-scenarios.ts';
import { sessionScenarios } from './session-scenarios.ts';
import {
  check,
  drifted,
  evidence,
  invitation,
  learned,
  shared,
  stuckMail,
  vantages,
} from './stubbed-replies.ts';

/**
 * Who views the page: a signed-out visitor, an owner with data, an owner of an empty company, an agent, an
 * agent without policies, or the admin.
 */
export type Viewer = 'nobody' | 'owner' | 'newcomer' | 'agent' | 'stranger' | 'admin';

/** One state of a page, and the steps that lead to it. The tour takes screenshots of it; axe checks it. */
export interface Scenario {
  name: string;
  role: Viewer;
  path: string;
  /** Limits the scenario to phones, where the navigation is behind a menu button. */
  only?: 'phone';
  /** The viewer has not seen the onboarding. */
  firstVisit?: boolean;
  open?: (page: Page) => Promise<void>;
}

const creator = '/dashboard/creator';
const admin = '/dashboard/admin';

const lastCheck = (verdict: string | null) =>
  answering('**/api/domain-allowed/*/check', check(verdict), async (page) => {
    await page.getByRole('button', { name: /^Проверка otchet/ }).click();
    await expect(page.getByRole('dialog').getByRole('heading', { name: /^Снаружи/ })).toBeVisible();
  });
/** The onboarding of a company that has completed every step. */
const slideDone = answering('**/api/company/evidence', evidence, async (page) => {
  await page.reload();
  await expect(page.locator('[data-shown]').getByText('Сделано')).toBeVisible();
});
const why = async (page: Page) => {
  await rowDialog(/otchet/, 'Проверить доступ человека')(page);
  await page.getByRole('combobox', { name: 'Человек' }).click();
  await page.getByRole('option', { name: /Тихонов/ }).click();
  await expect(page.getByRole('dialog').getByRole('status')).toBeVisible();
};
/** The list call never completes. */
const loading = async (page: Page) => {
  await page.route('**/api/domain-allowed*', () => {});
  await page.reload();
  await expect(page.locator('table[aria-busy="true"]')).toBeVisible();
};
/** The list call fails with a 500. */
const failed = async (page: Page) => {
  await page.route('**/api/domain-allowed*', (route) => route.fulfill({ status: 500, body: '' }));
  await page.reload();
  await expect(page.getByText('Список не загрузился')).toBeVisible();
};
/** The chunk of another page fails to load. */
const codeLost = async (page: Page) => {
  await page.route(/\/users-page[^/]*$/, (route) => route.abort());
  await page.goto(new URL(`${creator}/users`, page.url()).href);
  await expect(page.getByText('Страница не загрузилась')).toBeVisible();
};
const go = (typed: string) => async (page: Page) => {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Страница, сайт/ }).fill(typed);
  await expect(page.getByRole('dialog').locator('.mantine-Loader-root')).toHaveCount(0);
};
const slide = (index: number) => async (page: Page) => {
  await page.getByRole('button', { name: new RegExp(`^Слайд ${index}:`) }).click();
};

const auth: Scenario[] = [
  { name: 'login', role: 'nobody', path: '/auth/login' },
  {
    name: 'login-invalid',
    role: 'nobody',
    path: '/auth/login',
    open: async (page) => {
      await page.getByRole('textbox', { name: 'Почта' }).fill('irina@');
      await page.getByRole('textbox', { name: 'Почта' }).press('Tab');
    },
  },
  {
    name: 'login-refused',
    role: 'nobody',
    path: '/auth/login',
    open: async (page) => {
      await page.getByRole('textbox', { name: 'Почта' }).fill('nobody@romashka.test');
      await page.getByLabel(/^Пароль/).fill('not the password');
      await page.getByRole('button', { name: 'Войти' }).click();
      await expect(page.getByRole('alert')).toBeVisible();
    },
  },
  { name: 'register', role: 'nobody', path: '/auth/register' },
  ...(['invited', 'closed'] as const).map(
    (mode): Scenario => ({
      name: `register-${mode}`,
      role: 'nobody',
      path: '/auth/register',
      open: answering('**/api/auth/registration', { mode, mailed: true }, async (page) => {
        await page.reload();
        await expect(page.getByRole('heading', { level: 1, name: 'Регистрация закрыта' })).toBeVisible();
      }),
    }),
  ),
  { name: 'confirm-link', role: 'nobody', path: '/security/login#token=any&for=confirm' },
  { name: 'reset', role: 'nobody', path: '/auth/reset' },
  { name: 'check-email', role: 'nobody', path: '/security/check-email' },
  { name: 'mail-link', role: 'nobody', path: '/security/login' },
  { name: 'rules', role: 'nobody', path: '/auth/rules' },
  { name: 'help', role: 'nobody', path: '/help' },
  {
    name: 'lock-link',
    role: 'nobody',
    path: '/help',
    open: answering('**/api/lock', shared, async (page) => {
      await page.goto(new URL('/lock#token', page.url()).href);
      await expect(page.getByRole('heading', { level: 1, name: /^Замок для сайта/ })).toBeVisible();
    }),
  },
  { name: 'lock-link-dead', role: 'nobody', path: '/lock#dead' },
  {
    name: 'pair-absent',
    role: 'nobody',
    path: '/extension/pair#code',
    open: (page) => expect(page.getByText('Расширение не найдено')).toBeVisible(),
  },
  {
    name: 'pair-done',
    role: 'nobody',
    path: '/extension/pair#code',
    open: async (page) => {
      await page.evaluate("document.documentElement.dataset.propuskPaired = 'yes'");
      await expect(page.getByText('Вы вошли в расширение')).toBeVisible();
    },
  },
  { name: 'not-found', role: 'nobody', path: '/no/such/page' },
];

const shell: Scenario[] = [
  ...[1, 2, 3, 4].map(
    (index): Scenario => ({
      name: `onboarding-${index}`,
      role: 'newcomer',
      path: `${creator}/domains`,
      firstVisit: true,
      open: slide(index),
    }),
  ),
  {
    name: 'onboarding-done',
    role: 'newcomer',
    path: `${creator}/domains`,
    firstVisit: true,
    open: slideDone,
  },
  {
    name: 'scheme-menu',
    role: 'owner',
    path: `${creator}/domains`,
    open: async (page) => {
      await page.getByRole('button', { name: /^Оформление/ }).click();
      await expect(page.getByRole('menu')).toBeVisible();
    },
  },
  {
    name: 'exit',
    role: 'owner',
    path: `${creator}/domains`,
    open: async (page) => {
      await page.getByRole('banner').getByRole('button', { name: 'Выйти' }).click();
      await expect(page.getByRole('dialog')).toBeVisible();
    },
  },
  {
    name: 'navigation',
    role: 'owner',
    path: `${creator}/domains`,
    only: 'phone',
    open: async (page) => {
      await page.getByRole('button', { name: 'Открыть меню' }).click();
      await expect(page.getByRole('dialog')).toBeVisible();
    },
  },
  {
    name: 'unconfirmed',
    role: 'newcomer',
    path: `${creator}/domains`,
    open: async (page) => {
      await page.route('**/api/me', async (route) => {
        const me = await (await route.fetch()).json();
        await route.fulfill({ json: { ...me, company: { ...me.company, confirmed: false } } });
      });
      await page.reload();
      await expect(page.getByRole('region', { name: 'Подтвердите почту' })).toBeVisible();
    },
  },
  { name: 'go', role: 'owner', path: `${creator}/domains`, open: go('сайт') },
  { name: 'go-nothing', role: 'owner', path: `${creator}/domains`, open: go('nothing at all') },
  {
    name: 'keys',
    role: 'owner',
    path: `${creator}/domains`,
    open: async (page) => {
      await page.keyboard.press('Shift+Slash');
      await expect(page.getByRole('dialog', { name: 'Клавиши' })).toBeVisible();
    },
  },
  {
    name: 'page-help',
    role: 'owner',
    path: `${creator}/domains`,
    open: (page) => page.getByRole('main').getByRole('button', { name: 'Помощь' }).click(),
  },
  { name: 'code-lost', role: 'owner', path: `${creator}/domains`, open: codeLost },
];

const sites: Scenario[] = [
  { name: 'sites', role: 'owner', path: `${creator}/domains` },
  { name: 'sites-page-2', role: 'owner', path: `${creator}/domains?page=2` },
  { name: 'sites-loading', role: 'owner', path: `${creator}/domains`, open: loading },
  { name: 'sites-failed', role: 'owner', path: `${creator}/domains`, open: failed },
  { name: 'sites-no-match', role: 'owner', path: `${creator}/domains?name=nothing` },
  { name: 'sites-empty', role: 'newcomer', path: `${creator}/domains` },
  { name: 'sites-menu', role: 'owner', path: `${creator}/domains`, open: rowMenu(/otchet/) },
  { name: 'sites-create', role: 'owner', path: `${creator}/domains`, open: press('Добавить') },
  { name: 'sites-pick', role: 'owner', path: `${creator}/domains`, open: pickList('Политики доступа') },
  {
    name: 'sites-edit',
    role: 'owner',
    path: `${creator}/domains`,
    open: rowDialog(/otchet/, 'Редактировать'),
  },
  {
    name: 'sites-lock',
    role: 'owner',
    path: `${creator}/domains`,
    open: answering('**/api/domain-allowed/*/lock', learned, rowDialog(/otchet/, 'Защитить')),
  },
  {
    name: 'sites-lock-unknown',
    role: 'owner',
    path: `${creator}/domains`,
    open: async (page) => {
      await rowDialog(/otchet/, 'Защитить')(page);
      await expect(page.getByRole('button', { name: 'Узнать адреса' })).toBeVisible();
    },
  },
  {
    name: 'sites-lock-no-policy',
    role: 'owner',
    path: `${creator}/domains?name=sklad`,
    open: async (page) => {
      await rowDialog(/sklad/, 'Защитить')(page);
      await expect(page.getByText('Сначала назначьте сайту политику')).toBeVisible();
    },
  },
  { name: 'sites-check-running', role: 'owner', path: `${creator}/domains`, open: lastCheck(null) },
  { name: 'sites-check-open', role: 'owner', path: `${creator}/domains`, open: lastCheck('open') },
  { name: 'sites-check-protected', role: 'owner', path: `${creator}/domains`, open: lastCheck('protected') },
  {
    name: 'sites-check-unfolded',
    role: 'owner',
    path: `${creator}/domains`,
    open: async (page) => {
      await lastCheck('protected')(page);
      await page
        .getByRole('dialog')
        .getByRole('heading', { name: /^Снаружи/ })
        .click();
    },
  },
  {
    name: 'sites-alarm',
    role: 'owner',
    path: `${creator}/domains`,
    open: answering('**/api/company/evidence', { ...evidence, open: 9 }, async (page) => {
      await page.reload();
      await expect(page.getByText('Открыты всем: 9')).toBeVisible();
    }),
  },
  {
    name: 'sites-vantages',
    role: 'owner',
    path: `${creator}/domains`,
    open: answering('**/api/vantages', vantages, async (page) => {
      await lastCheck('open')(page);
      await page.getByRole('button', { name: 'Точки проверки' }).click();
      await expect(page.getByText('на связи', { exact: true })).toBeVisible();
    }),
  },
  {
    name: 'sites-vantages-empty',
    role: 'owner',
    path: `${creator}/domains`,
    open: async (page) => {
      await lastCheck('open')(page);
      await page.getByRole('button', { name: 'Точки проверки' }).click();
      await expect(page.getByText('Точек пока нет')).toBeVisible();
    },
  },
  { name: 'sites-check-cdn', role: 'owner', path: `${creator}/domains`, open: lastCheck('cdn') },
  { name: 'sites-why', role: 'owner', path: `${creator}/domains`, open: why },
  {
    name: 'sites-drifted',
    role: 'owner',
    path: `${creator}/domains`,
    open: answering('**/api/company/evidence', { ...evidence, drifted }, async (page) => {
      await page.reload();
      await expect(page.getByRole('region', { name: 'Защита сайтов' })).toBeVisible();
    }),
  },
  { name: 'sites-remove', role: 'owner', path: `${creator}/domains`, open: rowDialog(/otchet/, 'Удалить') },
];

const company: Scenario[] = [
  { name: 'proxies', role: 'owner', path: `${creator}/proxies` },
  { name: 'proxies-create', role: 'owner', path: `${creator}/proxies`, open: press('Добавить') },
  { name: 'proxies-paid', role: 'owner', path: `${creator}/proxies`, open: press('Добавить Платный') },
  {
    name: 'proxies-edit',
    role: 'owner',
    path: `${creator}/proxies`,
    open: rowDialog(/proxy\.romashka/, 'Редактировать'),
  },
  {
    name: 'proxies-edit-moved',
    role: 'owner',
    path: `${creator}/proxies`,
    open: async (page) => {
      await rowDialog(/proxy\.romashka/, 'Редактировать')(page);
      await page.getByRole('dialog').getByRole('textbox', { name: 'Хост' }).fill('other.romashka.ru');
    },
  },
  {
    name: 'proxies-check',
    role: 'owner',
    path: `${creator}/proxies`,
    open: async (page) => {
      await rowDialog(/proxy\.romashka/, 'Проверить прокси')(page);
      await expect(page.getByRole('dialog').getByRole('list')).toBeVisible({ timeout: 30_000 });
    },
  },
  { name: 'proxies-no-match', role: 'owner', path: `${creator}/proxies?name=nothing` },
  { name: 'policies', role: 'owner', path: `${creator}/politics` },
  {
    name: 'policies-more',
    role: 'owner',
    path: `${creator}/politics`,
    open: (page) => page.getByRole('button', { name: 'еще' }).first().click(),
  },
  { name: 'policies-empty', role: 'newcomer', path: `${creator}/politics` },
  { name: 'policies-create', role: 'owner', path: `${creator}/politics`, open: press('Добавить') },
  { name: 'policies-pick', role: 'owner', path: `${creator}/politics`, open: pickList('Прокси') },
  {
    name: 'policies-edit',
    role: 'owner',
    path: `${creator}/politics`,
    open: rowDialog(/Продажи/, 'Редактировать'),
  },
  {
    name: 'policies-remove',
    role: 'owner',
    path: `${creator}/politics`,
    open: rowDialog(/Продажи/, 'Удалить'),
  },
  { name: 'users', role: 'owner', path: `${creator}/users` },
  { name: 'users-create', role: 'owner', path: `${creator}/users`, open: press('Добавить') },
  { name: 'users-edit', role: 'owner', path: `${creator}/users`, open: rowDialog(/Орлов/, 'Редактировать') },
  { name: 'users-remove', role: 'owner', path: `${creator}/users`, open: rowDialog(/Орлов/, 'Удалить') },
  { name: 'company', role: 'owner', path: `${creator}/company` },
  {
    name: 'company-edit',
    role: 'owner',
    path: `${creator}/company`,
    open: rowDialog(/Ромашка/, 'Редактировать'),
  },
  { name: 'statistics', role: 'owner', path: `${creator}/statistics` },
  { name: 'tariff', role: 'owner', path: `${creator}/tariff` },
  { name: 'owner-personal', role: 'owner', path: '/dashboard/personal-data' },
];

const agent: Scenario[] = [
  { name: 'agent-personal', role: 'agent', path: '/dashboard/user/personal-data' },
  ...sessionScenarios,
  { name: 'agent-sites', role: 'agent', path: '/dashboard/user/domains' },
  { name: 'agent-sites-empty', role: 'stranger', path: '/dashboard/user/domains' },
  { name: 'agent-policies', role: 'agent', path: '/dashboard/user/politics' },
  { name: 'agent-policies-empty', role: 'stranger', path: '/dashboard/user/politics' },
];

const platform: Scenario[] = [
  { name: 'admin-companies', role: 'admin', path: `${admin}/companies` },
  {
    name: 'admin-companies-stuck-mail',
    role: 'admin',
    path: `${admin}/companies`,
    open: answering('**/api/mail/stuck', stuckMail, async (page) => {
      await page.reload();
      await expect(page.getByRole('alert')).toContainText('3 письма ждут отправки с');
    }),
  },
  { name: 'admin-companies-create', role: 'admin', path: `${admin}/companies`, open: press('Добавить') },
  {
    name: 'admin-companies-edit',
    role: 'admin',
    path: `${admin}/companies`,
    open: rowDialog(/Ромашка/, 'Редактировать'),
  },
  {
    name: 'admin-companies-link',
    role: 'admin',
    path: `${admin}/companies`,
    open: answering('**/api/company/invitation', invitation, async (page) => {
      await page.getByRole('button', { name: 'Пригласить компанию' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox', { name: 'Почта' }).fill(invitation.email);
      await dialog.getByLabel(/^Ваш текущий пароль/).fill('correct horse');
      await dialog.getByRole('button', { name: 'Сделать ссылку' }).click();
      await expect(page.getByRole('textbox', { name: 'Ссылка для регистрации' })).toBeVisible();
    }),
  },
  {
    name: 'admin-companies-invite',
    role: 'admin',
    path: `${admin}/companies`,
    open: rowDialog(/Ромашка/, 'Пригласить владельца'),
  },
  {
    name: 'admin-companies-remove',
    role: 'admin',
    path: `${admin}/companies`,
    open: rowDialog(/Ромашка/, 'Удалить'),
  },
  { name: 'admin-users', role: 'admin', path: `${admin}/users` },
  {
    name: 'admin-users-edit',
    role: 'admin',
    path: `${admin}/users`,
    open: async (page) => {
      await rowDialog(/Орлов/, 'Редактировать')(page);
      // Another address asks for proof.
      await page.getByRole('dialog').getByRole('textbox', { name: 'Почта' }).fill('new@romashka.ru');
    },
  },
  { name: 'admin-proxies', role: 'admin', path: `${admin}/proxies` },
  {
    name: 'admin-proxies-edit',
    role: 'admin',
    path: `${admin}/proxies`,
    open: rowDialog(/proxy\.romashka/, 'Редактировать'),
  },
  { name: 'admin-platform-proxies', role: 'admin', path: `${admin}/proxies-default` },
  {
    name: 'admin-platform-proxies-create',
    role: 'admin',
    path: `${admin}/proxies-default`,
    open: press('Добавить'),
  },
  { name: 'admin-personal', role: 'admin', path: '/dashboard/personal-data' },
];

/** Every screen, dialog and state, for every role. */
export const scenarios: readonly Scenario[] = [
  ...auth,
  ...shell,
  ...sites,
  ...company,
  ...agent,
  ...platform,
  ...auditScenarios,
  ...factorScenarios,
  ...roleScenarios,
];
