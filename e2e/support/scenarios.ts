import { expect } from '@playwright/test';
import { roleScenarios } from './role-scenarios.ts';
import { rolloutScenarios } from './rollout-scenarios.ts';
import {
  answering,
  answeringReload,
  changing,
  chunkOf,
  failing,
  fill,
  inOrder,
  loaded,
  pending,
  pickList,
  press,
  rowDialog,
  rowMenu,
  type Scenario,
  type Steps,
  shows,
  states,
  titled,
} from './scenario.ts';
import { factorScenarios } from './second-factor-scenarios.ts';
import { sessionScenarios } from './session-scenarios.ts';
import {
  check,
  drifted,
  evidence,
  extensionStates,
  invitation,
  invitations,
  learned,
  madeInvitations,
  probePaths,
  shared,
  stuckMail,
  vantages,
  visits,
  company as wholeCompany,
} from './stubbed-replies.ts';
import { tariffScenarios } from './tariff-scenarios.ts';

const creator = '/dashboard/creator';
const admin = '/dashboard/admin';

const lastCheck = (verdict: string | null, leadsTo?: string): Steps =>
  answering('**/api/domain-allowed/*/check', check(verdict, leadsTo), async (page) => {
    await page.getByRole('button', { name: /^Проверка otchet/ }).click();
    await expect(page.getByRole('dialog').getByRole('heading', { name: /^Снаружи/ })).toBeVisible();
  });
const lockLines = answering('**/api/domain-allowed/*/lock', learned, rowDialog(/otchet/, 'Защитить'));
/** Saves the form of a new site. The reply is a stored site, so the scenario changes no data. */
const createdSite = answering(
  '**/api/domain-allowed/*/lock',
  learned,
  inOrder(
    (page) =>
      page.route('**/api/domain-allowed', async (route) => {
        if (route.request().method() !== 'POST') return route.fallback();
        const list = await route.fetch({ method: 'GET' });
        const { rows } = (await list.json()) as { rows: { address: string }[] };
        return route.fulfill({
          status: 201,
          json: rows.find(({ address }) => /otchet/.test(address)) ?? rows[0],
        });
      }),
    press('Добавить'),
    fill('Адрес', 'new.romashka.ru'),
    async (page) => {
      await page.getByRole('dialog').getByRole('button', { name: 'Сохранить' }).click();
      await expect(page.getByRole('dialog').getByRole('region', { name: 'Строки замка' })).toBeVisible();
    },
  ),
);
const unfold =
  (title: RegExp): Steps =>
  async (page) => {
    await page.getByRole('dialog').locator('summary', { hasText: title }).press('Enter');
  };
/** Scrolls a text to the middle of the dialog, above the buttons at its end. */
const centred =
  (text: string): Steps =>
  (page) =>
    page.getByText(text).evaluate((element) => element.scrollIntoView({ block: 'center' }));
/** Opens the paths of a probe in the lock dialog. */
const lockPaths: Steps = inOrder(
  answering('**/api/domain-allowed/*/paths', probePaths, lockLines),
  unfold(/^Проверять также: 3 пути/),
  // The buttons at the end of the dialog can cover this button, so scroll to it.
  (page) => page.getByRole('button', { name: 'Сохранить пути' }).scrollIntoViewIfNeeded(),
);
/** Opens the list of vantages from a probe's result. */
const vantagesShow = (text: string): Steps =>
  inOrder(lastCheck('open'), async (page) => {
    // Press a key instead of a click, because a long site name may cover the button.
    await page.getByRole('button', { name: 'Точки проверки' }).press('Enter');
    await expect(page.getByText(text).first()).toBeVisible();
  });
const evidenceIs = (more: object, then: Steps): Steps =>
  answeringReload('**/api/company/evidence', { ...evidence, ...more }, then);
const pressIn =
  (name: string): Steps =>
  (page) =>
    page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
/** Pastes lines into the import dialog, and opens the step with the columns. */
const importing = (lines: string[]): Steps =>
  inOrder(press('Импорт'), fill('Таблица', lines.join('\n')), pressIn('Дальше'), (page) =>
    expect(page.getByRole('dialog').getByRole('button', { name: 'Проверить' })).toBeVisible(),
  );
const why: Steps = inOrder(rowDialog(/otchet/, 'Проверить доступ пользователя'), async (page) => {
  await page.getByRole('combobox', { name: 'Пользователь' }).click();
  await page.getByRole('option', { name: /Тихонов/ }).click();
  await expect(page.getByRole('dialog').getByRole('status')).toBeVisible();
});
const outsideHours = <R extends object>(reply: R) => ({
  ...reply,
  ...{ allow: false, reason: 'outside_hours', until: soon(16), policy: null, proxy: null, mends: [] },
  message: 'Политика открывает этот сайт только в указанные часы, и сейчас они не идут.',
  advice: 'Измените часы в разделе «Политики доступа».',
});
/** The time a given number of hours from now, in ISO 8601. */
const soon = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
/** The times for the policy at an index of the list. The kinds repeat in this order: closed, ended, open. */
const times = (at: number) =>
  [
    { open: true, changesAt: soon(3) },
    { open: false, changesAt: soon(16) },
    { open: false, changesAt: null },
  ][at % 3];
/** Opens a page whose JavaScript chunk fails to load. */
const codeLost: Steps = async (page) => {
  await page.route(`**/${await chunkOf('src/features/users/page.tsx')}`, (route) => route.abort());
  await page.goto(new URL(`${creator}/users`, page.url()).href);
  await shows('Страница не загрузилась')(page);
};
const go =
  (typed: string): Steps =>
  async (page) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Страница, сайт/ }).fill(typed);
    await expect(page.getByRole('dialog').locator('.mantine-Loader-root')).toHaveCount(0);
  };
const slide =
  (index: number): Steps =>
  async (page) => {
    await page.getByRole('button', { name: new RegExp(`^Слайд ${index}:`) }).click();
    // Wait until the slide has faded in and its picture has loaded.
    await expect(page.getByRole('group', { name: new RegExp(`^Слайд ${index} из`) })).toHaveCSS(
      'opacity',
      '1',
    );
    await page.waitForLoadState('networkidle');
  };
const closedRegistration = (mode: 'invited' | 'closed'): Steps =>
  answeringReload('**/api/auth/registration', { mode, mailed: true }, titled('Регистрация закрыта'));

/** Opens an invitation link that no longer works. */
const deadInvitation =
  (reply: { status?: number; json: object }): Steps =>
  async (page) => {
    await page.route('**/api/auth/invitation', (route) => route.fulfill(reply));
    await page.goto(new URL('/auth/register#invitation=t&email=new@romashka.ru', page.url()).href);
    await titled('Приглашение не действует')(page);
  };

const auth: Scenario[] = [
  ...states('nobody', '/auth/login', {
    login: loaded,
    'login-invalid': async (page) => {
      await page.getByRole('textbox', { name: 'Почта' }).fill('irina@');
      await page.getByRole('textbox', { name: 'Почта' }).press('Tab');
    },
    'login-refused': async (page) => {
      await page.getByRole('textbox', { name: 'Почта' }).fill('nobody@romashka.test');
      await page.getByLabel(/^Пароль/).fill('not the password');
      await page.getByRole('button', { name: 'Войти' }).click();
      await expect(page.getByRole('alert')).toBeVisible();
    },
  }),
  ...states('nobody', '/auth/register', {
    register: loaded,
    'register-invited': closedRegistration('invited'),
    'register-closed': closedRegistration('closed'),
    ...Object.fromEntries(
      ['used', 'expired', 'withdrawn'].map((state) => [
        `register-${state}`,
        deadInvitation({ json: { state } }),
      ]),
    ),
    'register-replaced': deadInvitation({ status: 400, json: { code: 'invitation_dead', message: 'any' } }),
  }),
  ...states('nobody', '/security/login#token=any&for=confirm', { 'confirm-link': loaded }),
  ...states('nobody', '/auth/reset', { reset: loaded }),
  ...states('nobody', '/security/check-email', { 'check-email': loaded }),
  ...states('nobody', '/security/login', {
    'mail-link': loaded,
    'mail-link-invited': answering(
      '**/api/auth/link',
      { email: 'anna@romashka.ru', invitedBy: 'ООО «Ромашка»', name: '', surname: '', firstAdmin: false },
      async (page) => {
        await page.goto(new URL('/security/login#token=t&for=password', page.url()).href);
        await titled(/^Добро пожаловать/)(page);
      },
    ),
    'mail-link-first-admin': answering(
      '**/api/auth/link',
      { email: '', invitedBy: null, name: '', surname: '', firstAdmin: true },
      async (page) => {
        await page.goto(new URL('/security/login#token=t&for=password', page.url()).href);
        await titled(/^Первый администратор/)(page);
      },
    ),
  }),
  ...states('nobody', '/auth/rules', { rules: loaded }),
  ...states('nobody', '/help', {
    help: loaded,
    'lock-link': answering('**/api/lock', shared, async (page) => {
      await page.goto(new URL('/lock#token', page.url()).href);
      await titled(/^Замок для сайта/)(page);
    }),
  }),
  ...states('nobody', '/lock#dead', { 'lock-link-dead': loaded }),
  ...states('nobody', '/extension/pair#code', {
    'pair-absent': shows('Шаг 1 из 2: установите расширение'),
    'pair-there': inOrder(
      (page) => page.goto(new URL('/extension/pair', page.url()).href).then(() => {}),
      async (page) => {
        await page.evaluate("document.documentElement.dataset.propuskExtension = '1.0.0'");
        await shows('Шаг 2 из 2: подключите расширение')(page);
      },
    ),
    'pair-done': async (page) => {
      await page.evaluate("document.documentElement.dataset.propuskPaired = 'yes'");
      await shows('Вы вошли в расширение')(page);
    },
  }),
  ...states('nobody', '/no/such/page', { 'not-found': loaded }),
];

const sites = `${creator}/domains`;

/** Selects all rows of a list. */
const chooseAll: Steps = async (page) => {
  await page.locator('tbody').getByRole('checkbox').first().check();
  const bar = page.getByRole('region', { name: 'Действия с выбранными' });
  await bar.getByRole('button', { name: /^Выбрать все/ }).click();
  await expect(bar).toContainText('Выбраны все');
};
const pressInBar = (name: string): Steps =>
  inOrder(chooseAll, async (page) => {
    await page.getByRole('region', { name: 'Действия с выбранными' }).getByRole('button', { name }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
  });

const shell: Scenario[] = [
  ...states(
    'newcomer',
    sites,
    {
      'onboarding-1': slide(1),
      'onboarding-2': slide(2),
      'onboarding-3': slide(3),
      'onboarding-4': slide(4),
      // The onboarding of a company that has completed every step.
      'onboarding-done': evidenceIs({}, (page) =>
        expect(page.locator('[data-shown]').getByText('Сделано')).toBeVisible(),
      ),
    },
    { firstVisit: true },
  ),
  ...states(
    'agent',
    '/dashboard/user/domains',
    { 'onboarding-agent': (page) => expect(page.getByRole('dialog')).toBeVisible() },
    { firstVisit: true },
  ),
  ...states('owner', sites, {
    'scheme-menu': async (page) => {
      await page.getByRole('button', { name: /^Оформление/ }).click();
      await expect(page.getByRole('menu')).toBeVisible();
    },
    exit: async (page) => {
      await page.getByRole('banner').getByRole('button', { name: 'Выйти' }).click();
      await expect(page.getByRole('dialog')).toBeVisible();
    },
    go: go('сайт'),
    'go-nothing': go('nothing at all'),
    keys: async (page) => {
      await page.keyboard.press('Shift+Slash');
      await expect(page.getByRole('dialog', { name: 'Клавиши' })).toBeVisible();
    },
    'page-help': (page) => page.getByRole('main').getByRole('button', { name: 'Помощь' }).click(),
    'code-lost': codeLost,
  }),
  ...states(
    'owner',
    sites,
    {
      navigation: async (page) => {
        await page.getByRole('button', { name: 'Открыть меню' }).click();
        await expect(page.getByRole('dialog')).toBeVisible();
      },
    },
    { only: 'phone' },
  ),
];

const siteList: Scenario[] = [
  ...states('owner', sites, {
    sites: loaded,
    'sites-loading': pending('**/api/domain-allowed*'),
    'sites-failed': failing('**/api/domain-allowed*', shows('Список не загрузился')),
    'sites-menu': rowMenu(/otchet/),
    'sites-create': press('Добавить'),
    'sites-pick': pickList('Кому открыть'),
    'sites-created': createdSite,
    'sites-edit': rowDialog(/otchet/, 'Редактировать'),
    'sites-create-path': inOrder(press('Добавить'), fill('Адрес', 'https://crm.romashka.ru:8443/вход/')),
    'sites-lock': lockLines,
    'sites-lock-paths': lockPaths,
    'sites-lock-paths-wrong': inOrder(
      lockPaths,
      fill('Проверять также', '/base/\n/logout\nadmin\n/'),
      fill('Открыто намеренно', '/'),
      (page) => page.keyboard.press('Tab'),
      shows('начните путь с косой черты'),
    ),
    'sites-lock-paths-saved': inOrder(
      lockPaths,
      fill('Проверять также', '/base/'),
      fill('Открыто намеренно', '/robots.txt'),
      async (page) => {
        await page.getByRole('button', { name: 'Сохранить пути' }).press('Enter');
        await centred('Сохранено.')(page);
      },
    ),
    'sites-lock-paths-failed': inOrder(
      (page) => page.route('**/api/domain-allowed/*/paths', (route) => route.fulfill({ status: 500 })),
      lockLines,
      unfold(/^Проверять также/),
      centred('Пути не загрузились'),
    ),
    'sites-lock-unknown': inOrder(rowDialog(/otchet/, 'Защитить'), (page) =>
      expect(page.getByRole('button', { name: 'Узнать адреса' })).toBeVisible(),
    ),
    'sites-check-running': lastCheck(null),
    'sites-check-open': lastCheck('open'),
    'sites-check-protected': lastCheck('protected'),
    'sites-check-unfolded': inOrder(lastCheck('protected'), unfold(/^Снаружи/)),
    'sites-check-redirects': lastCheck('unknown', 'new.romashka.test'),
    'sites-check-add': inOrder(lastCheck('unknown', 'new.romashka.test'), async (page) => {
      await page.getByRole('button', { name: 'Добавить сайт' }).press('Enter');
      await expect(page.getByRole('dialog', { name: 'Новый сайт' })).toBeVisible();
    }),
    'sites-alarm': evidenceIs({ open: 9 }, shows('Открыты всем: 9')),
    'sites-vantages': answering('**/api/vantages', vantages, vantagesShow('на связи')),
    'sites-vantages-empty': vantagesShow('Точек пока нет'),
    'sites-check-cdn': lastCheck('cdn'),
    'sites-why': why,
    'sites-why-later': changing('**/why?*', outsideHours, why),
    'sites-drifted': evidenceIs({ drifted }, async (page) => {
      await expect(page.getByRole('region', { name: 'Защита сайтов' })).toBeVisible();
      await expect(page.getByRole('alert')).toHaveCount(0);
    }),
    'sites-remove': rowDialog(/otchet/, 'Удалить'),
    'sites-bulk': chooseAll,
    'sites-bulk-policies': inOrder(pressInBar('Открыть через политику'), (page) =>
      expect(page.getByRole('listbox').getByRole('option').first()).toBeVisible(),
    ),
    'sites-bulk-add': inOrder(pressInBar('Открыть через политику'), async (page) => {
      await page.getByRole('listbox').getByRole('option').first().click();
      await expect(page.getByRole('dialog').getByRole('status')).toBeVisible();
    }),
    'sites-bulk-remove': pressInBar('Удалить'),
  }),
  ...states('owner', `${sites}?page=2`, { 'sites-page-2': loaded }),
  ...states('owner', `${sites}?name=nothing`, { 'sites-no-match': loaded }),
  ...states('owner', `${sites}?protection=cdn`, { 'sites-filtered-none': shows('Таких записей нет') }),
  ...states('owner', `${sites}?protection=unchecked&access=none`, {
    'sites-filters': async (page) => {
      await page.getByRole('button', { name: 'Фильтр', exact: true }).click();
      await expect(page.getByRole('menuitemradio', { name: 'Не проверен' })).toBeVisible();
    },
  }),
  ...states('owner', `${sites}?visited=never`, { 'sites-filtered': loaded }),
  ...states('owner', `${creator}/users?role=USER`, { 'users-filtered': loaded }),
  ...states('owner', `${sites}?name=sklad`, {
    'sites-lock-no-policy': inOrder(
      rowDialog(/sklad/, 'Защитить'),
      shows('Сначала назначьте сайту политику'),
    ),
  }),
  ...states('newcomer', sites, {
    'sites-empty': (page) => expect(page.getByRole('button', { name: 'Указать адрес сайта' })).toBeVisible(),
    unconfirmed: changing(
      '**/api/me',
      (me) => ({ ...me, company: { ...me.company, confirmed: false } }),
      (page) => expect(page.getByRole('region', { name: 'Подтвердите почту' })).toBeVisible(),
    ),
  }),
];

const editProxy = rowDialog(/proxy\.romashka/, 'Редактировать');

/** Gives every policy times, and its memberships an end. */
const timed = (then: Steps): Steps =>
  changing(
    '**/api/politics?*',
    (reply) => {
      const until = new Date(Date.now() + 5 * 86_400_000).toISOString();
      const times = { validUntil: until, windows: [[540, 1080]], changesAt: until };
      const rows = reply.rows?.map((row) => {
        const { users } = row as { users: readonly object[] };
        return { ...row, ...times, users: users.map((user) => ({ ...user, until })) };
      });
      return rows ? { ...reply, rows } : reply;
    },
    then,
  );

const company: Scenario[] = [
  ...states('owner', `${creator}/proxies`, {
    proxies: loaded,
    'proxies-create': press('Добавить'),
    'proxies-paid': press('Добавить Платный'),
    'proxies-edit': editProxy,
    'proxies-edit-moved': inOrder(editProxy, fill('Хост', 'other.romashka.ru')),
    'proxies-check': inOrder(rowDialog(/proxy\.romashka/, 'Проверить прокси'), (page) =>
      expect(page.getByRole('dialog').getByRole('list')).toBeVisible({ timeout: 30_000 }),
    ),
  }),
  ...states('owner', `${creator}/proxies?name=nothing`, { 'proxies-no-match': loaded }),
  ...states('owner', `${creator}/politics`, {
    policies: loaded,
    'policies-more': (page) => page.getByRole('button', { name: 'еще' }).first().click(),
    'policies-create': press('Добавить'),
    'policies-pick': pickList('Прокси'),
    'policies-edit': rowDialog(/Продажи/, 'Редактировать'),
    'policies-remove': rowDialog(/Продажи/, 'Удалить'),
    'policies-times': inOrder(
      rowDialog(/Продажи/, 'Редактировать'),
      unfold(/^Когда действует/),
      async (page) => {
        await page.getByRole('button', { name: 'Рабочие дни 9–18' }).click();
        await page.getByText('Часы недели').evaluate((label) => label.scrollIntoView({ block: 'center' }));
      },
    ),
    'policies-extend': timed(rowDialog(/Продажи/, 'Продлить')),
    'policies-ends': timed(
      inOrder(rowDialog(/Продажи/, 'Редактировать'), (page) =>
        page
          .getByRole('button', { name: /^Убрать срок/ })
          .first()
          .evaluate((label) => label.scrollIntoView({ block: 'center' })),
      ),
    ),
  }),
  ...states('newcomer', `${creator}/politics`, { 'policies-empty': loaded }),
  ...states('owner', `${creator}/users`, {
    users: loaded,
    'users-create': press('Добавить'),
    'users-ends': changing(
      '**/api/users/company?*',
      (reply) => {
        const until = new Date(Date.now() + 5 * 86_400_000).toISOString();
        const rows = reply.rows?.map((row) => {
          const { politics } = row as { politics: readonly object[] };
          return { ...row, politics: politics.map((policy) => ({ ...policy, until })) };
        });
        return rows ? { ...reply, rows } : reply;
      },
      (page) => expect(page.getByText(/^До /).first()).toBeVisible(),
    ),
    'users-invite': press('Пригласить по почте'),
    'users-import': press('Импорт'),
    'users-import-columns': importing(['Почта\tИмя\tОтдел', 'anna@romashka.ru\tАнна\tСклад']),
    'users-import-checked': inOrder(
      importing([
        'Почта\tИмя\tПолитики\tКомментарий',
        'anna@romashka.ru\tАнна\tПродажи\t=1+1',
        'petr@\tПётр\t\t',
        'ANNA@romashka.ru\tАнна\t\t<b>второй раз</b>',
        `${'длинная-почта'.repeat(12)}\t\tНесуществующая политика «${'х'.repeat(60)}»\t`,
      ]),
      pressIn('Проверить'),
      shows('Скачать строки с ошибками'),
    ),
    'users-import-done': answering(
      '**/api/users/import',
      { count: 1, mails: [], mailed: false, invitations: madeInvitations.invitations },
      inOrder(
        importing(['anna@romashka.ru']),
        pressIn('Проверить'),
        pressIn('Импортировать 1'),
        shows('Скачать ссылки'),
      ),
    ),
    'users-invited-links': answering(
      '**/api/users/invitations',
      madeInvitations,
      inOrder(
        press('Пригласить по почте'),
        fill('Почта сотрудников', 'anna@romashka.ru, petr@romashka.ru'),
        async (page) => {
          await page.getByRole('dialog').getByRole('button', { name: 'Пригласить', exact: true }).click();
          await expect(page.getByRole('dialog', { name: 'Ссылки приглашённых' })).toBeVisible();
        },
      ),
    ),
    'users-invited': changing(
      '**/api/users/company?*',
      ({ rows = [] }) => ({
        count: rows.length,
        rows: rows.map((row, at) => ({
          ...row,
          invitation: at === 0 ? null : { expiresAt: at === 1 ? madeInvitations.expiresAt : null },
        })),
      }),
      (page) => expect(page.getByText('Приглашение истекло').first()).toBeVisible(),
    ),
    'users-extension': changing(
      '**/api/users/company?*',
      ({ rows = [] }) => ({
        count: rows.length,
        rows: rows.map((row, at) => ({ ...row, extension: extensionStates[at % extensionStates.length] })),
      }),
      (page) => expect(page.getByText(/^Прокси занят/).first()).toBeVisible(),
    ),
    'users-edit': rowDialog(/Орлов/, 'Редактировать'),
    'users-remove': rowDialog(/Орлов/, 'Удалить'),
    'users-bulk': chooseAll,
    'users-bulk-refused': inOrder(pressInBar('Удалить'), (page) =>
      expect(page.getByRole('dialog').getByText('Нельзя удалить самого себя')).toBeVisible(),
    ),
  }),
  ...states('owner', `${creator}/company`, {
    company: loaded,
    'company-edit': rowDialog(/Ромашка/, 'Редактировать'),
  }),
  ...tariffScenarios.owner,
  ...states('owner', '/dashboard/personal-data', { 'owner-personal': loaded }),
];

const agent: Scenario[] = [
  ...states('agent', '/dashboard/user/personal-data', {
    'agent-personal': loaded,
    'agent-visits': answeringReload('**/api/me/visits?*', visits, shows('games.test')),
  }),
  ...states('agent', '/dashboard/user/domains', {
    'agent-sites': loaded,
    'agent-sites-times': changing(
      '**/api/politics',
      (list) => ({ ...list, rows: (list.rows ?? []).map((row, at) => ({ ...row, ...times(at) })) }),
      shows('Открыт до'),
    ),
  }),
  ...states('stranger', '/dashboard/user/domains', { 'agent-sites-empty': loaded }),
  ...states('agent', '/dashboard/user/politics', { 'agent-policies': loaded }),
  ...states('stranger', '/dashboard/user/politics', { 'agent-policies-empty': loaded }),
];

const platform: Scenario[] = [
  ...states('admin', `${admin}/companies`, {
    'admin-companies': loaded,
    'admin-companies-stuck-mail': answeringReload('**/api/mail/stuck', stuckMail, (page) =>
      expect(page.getByRole('alert')).toContainText('3 письма ждут отправки с'),
    ),
    'admin-companies-unconfirmed': async (page) => {
      const reply = { json: [{ ...wholeCompany, confirmed: false }], headers: { 'x-total-count': '1' } };
      await page.route('**/api/company?*confirmed=false*', (route) => route.fulfill(reply));
      await page.getByRole('button', { name: 'Фильтр' }).click();
      await page.getByRole('menuitemradio', { name: 'Почта не подтверждена' }).click();
      await expect(page.getByRole('row', { name: /почта не подтверждена.*ждёт.*user0@/ })).toBeVisible();
    },
    'admin-companies-create': press('Добавить'),
    'admin-companies-edit': rowDialog(/Ромашка/, 'Редактировать'),
    'admin-companies-link': answering('**/api/company/invitation', invitation, async (page) => {
      await page.getByRole('button', { name: 'Пригласить компанию' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox', { name: 'Почта' }).fill(invitation.email);
      await dialog.getByLabel(/^Ваш текущий пароль/).fill('correct horse');
      await dialog.getByRole('button', { name: 'Сделать ссылку' }).click();
      await expect(page.getByRole('textbox', { name: 'Ссылка для регистрации' })).toBeVisible();
    }),
    'admin-companies-invite': rowDialog(/Ромашка/, 'Пригласить владельца'),
    'admin-companies-remove': rowDialog(/Ромашка/, 'Удалить'),
  }),
  ...states('admin', `${admin}/invitations`, {
    'admin-invitations': answeringReload('**/api/company/invitations?*', invitations, shows('Отозвано')),
    'admin-invitations-empty': shows('Приглашений нет'),
    'admin-invitations-again': answeringReload(
      '**/api/company/invitations?*',
      invitations,
      rowDialog(/new@romashka0/, 'Пригласить ещё раз'),
    ),
  }),
  ...states('admin', `${admin}/users`, {
    'admin-users': loaded,
    // A changed email makes the form ask for the admin's password.
    'admin-users-edit': inOrder(rowDialog(/Орлов/, 'Редактировать'), fill('Почта', 'new@romashka.ru')),
  }),
  ...states('admin', `${admin}/proxies`, { 'admin-proxies': loaded, 'admin-proxies-edit': editProxy }),
  ...tariffScenarios.admin,
  ...states('admin', `${admin}/proxies-default`, {
    'admin-platform-proxies': loaded,
    'admin-platform-proxies-create': press('Добавить'),
  }),
  ...states('admin', '/dashboard/personal-data', { 'admin-personal': loaded }),
];

/** Expands the first audit event that lists changed fields. */
const changedFields: Steps = (page) =>
  page
    .getByRole('row', { name: /политика доступа/ })
    .first()
    .getByText('Подробнее')
    .click();

const audit: Scenario[] = [
  ...states('owner', `${creator}/audit`, {
    audit: loaded,
    'audit-loading': pending('**/api/audit?*'),
    'audit-failed': failing('**/api/audit?*', shows('Список не загрузился')),
  }),
  ...states('owner', `${creator}/audit?name=Продажи`, { 'audit-more': changedFields }),
  ...states('owner', `${creator}/audit?name=nothing`, { 'audit-no-match': loaded }),
  ...states('owner', `${creator}/audit?from=2020-01-01&to=2020-01-02`, { 'audit-none-then': loaded }),
  ...states('newcomer', `${creator}/audit`, {
    'audit-empty': answeringReload(
      '**/api/audit?*',
      { rows: [], count: 0 },
      shows('Пока ничего не произошло'),
    ),
  }),
  ...states('admin', `${admin}/audit`, { 'admin-audit': loaded }),
  ...states('admin', `${admin}/audit?name=Продажи`, { 'admin-audit-more': changedFields }),
];

/** Every screen, dialog and state, for every role. */
export const scenarios: readonly Scenario[] = [
  ...auth,
  ...shell,
  ...siteList,
  ...company,
  ...agent,
  ...sessionScenarios,
  ...platform,
  ...audit,
  ...factorScenarios,
  ...roleScenarios,
  ...rolloutScenarios,
];
