import { expect, type Locator, type Page } from '@playwright/test';
import { createPolicy, deletePolicy, listPolicies } from '@propusk/contract/policies';
import { createProxy, updateAnyProxy } from '@propusk/contract/proxies';
import { createSite } from '@propusk/contract/sites';
import { createUser } from '@propusk/contract/users';
import {
  choose,
  dialogOf,
  enter,
  field,
  pick,
  row,
  saveOf,
  screensOf,
  startConsole,
  test,
} from '../support/console.ts';

/** The dialog forms: their fields, accepted and refused values, and error texts. */
const creator = '/dashboard/creator';
const login = { username: 'login', password: 'secret' };
let owner: string;
let admin: string;

const product = startConsole(async (console) => {
  admin = await console.admin();
  owner = await console.owner('irina@romashka.test');
  const own = { host: 'own.romashka.test', port: 3128, ...login };
  await console.call(owner, createProxy, { body: own });
  await console.call(admin, createProxy, { body: { host: 'plain.platform.test', port: 3128, ...login } });
  // The gateway's own proxy allows all sites; the other proxy does not.
  const settings = { type: 'default', allSites: true } as const;
  await console.call(admin, updateAnyProxy, { params: { id: 1 }, body: { settings } });
  const politics: number[] = [];
  for (const name of ['Продажи', 'Склад', 'Учёт', 'Склад готового']) {
    politics.push((await console.call(owner, createPolicy, { body: { name, proxyId: 1 } })).id);
  }
  const person = { name: 'Пётр', surname: 'Орлов', email: 'petr@romashka.test', password: 'correct horse' };
  await console.call(owner, createUser, { body: { ...person, politics: politics.slice(0, 1) } });
  await console.call(owner, createSite, { body: { address: 'crm.romashka.test', politics } });
});

/** Test data of a form: values that all fields accept, and refused values with the field's error. */
interface Form {
  name: string;
  path: string;
  title: string;
  /** The row to edit; without it the form creates a row. */
  row?: RegExp;
  token?: () => string;
  labels: readonly string[];
  good: Readonly<Record<string, string>>;
  bad: readonly (readonly [label: string, value: string, says: string])[];
  /** Labels of read-only fields. */
  locked?: readonly string[];
  /** Further accepted values, at the limits of length and range. */
  taken?: readonly (readonly [label: string, value: string])[];
  /** An option that the form preselects. */
  chosen?: readonly [label: string, option: string];
  tags: string[];
}
const EMPTY = 'Заполните это поле';
const FOUR = 'Не короче 4 символов';
const PORT = 'Целое число от 1000 до 65535';
const EMAIL = 'Укажите почту, до @ латиницей: name@company.ru';

const proxyRules = {
  bad: [
    ['Хост', '', EMPTY],
    ['Хост', 'abc', FOUR],
    ['Хост', 'a b.test', 'Здесь есть недопустимые символы'],
    ['Порт', '', EMPTY],
    ['Порт', '999', PORT],
    ['Порт', '65536', PORT],
    ['Порт', '31a8', PORT],
    ['Логин', '', EMPTY],
    ['Логин', 'abc', FOUR],
    ['Пароль', 'abc', FOUR],
  ],
  taken: [
    ['Хост', 'a.ru'],
    ['Порт', '1000'],
    ['Порт', '65535'],
    ['Логин', 'four'],
    ['Пароль', 'four'],
  ],
} as const;
const emailRules = {
  bad: [
    ['Почта', '', EMPTY],
    ['Почта', 'anna@', 'После @ нет имени сервера'],
    ['Почта', 'анна@romashka.test', EMAIL],
    ['Почта', 'anna@romashka.t1', EMAIL],
    ['Почта', `anna@romashka.${'a'.repeat(21)}`, EMAIL],
  ],
  taken: [
    ['Почта', 'A.b_c%d+e-f9@sub-1.romashka.t'],
    ['Почта', `anna@romashka.${'a'.repeat(20)}`],
  ],
} as const;
const policyBad = [
  ['Название', '', EMPTY],
  ['Название', 'abc', FOUR],
] as const;

const forms: readonly Form[] = [
  {
    name: 'a new person',
    path: `${creator}/users`,
    title: 'Новый пользователь',
    labels: ['Имя', 'Фамилия', 'Почта', 'Пароль', 'Политики доступа'],
    good: { Почта: 'anna@romashka.test', Пароль: 'пароль 8' },
    bad: [...emailRules.bad, ['Пароль', '', EMPTY], ['Пароль', '1234567', 'Не короче 8 символов']],
    taken: [...emailRules.taken, ['Пароль', 'ёж! 1 2%']],
    tags: ['@2.51', '@5.1', '@5.2', '@5.9', '@5.15'],
  },
  {
    name: 'a person',
    path: `${creator}/users`,
    title: 'Edit user',
    row: /petr@/,
    labels: ['Имя', 'Фамилия', 'Почта', 'Новый пароль', 'Политики доступа', 'Срок для отдельных политик'],
    good: {},
    bad: [...emailRules.bad, ['Новый пароль', '1234567', 'Не короче 8 символов']],
    // An empty password field keeps the old password.
    taken: [...emailRules.taken, ['Новый пароль', '12345678'], ['Новый пароль', ''], ['Имя', '']],
    tags: ['@2.52', '@5.1', '@5.2', '@5.10', '@5.15'],
  },
  {
    name: 'an owner',
    path: `${creator}/users`,
    title: 'Edit user',
    row: /irina@/,
    labels: ['Имя', 'Фамилия', 'Почта', 'Политики доступа'],
    good: {},
    bad: [],
    // An owner's own email changes only by a link in mail.
    locked: ['Почта'],
    tags: ['@2.52', '@5.10', '@6.5'],
  },
  {
    name: 'a new proxy',
    path: `${creator}/proxies`,
    title: 'Новый прокси-сервер',
    labels: ['Хост', 'Порт', 'Логин', 'Пароль'],
    good: { Хост: 'proxy.test', Порт: '3128', Логин: 'login', Пароль: 'secret' },
    bad: [...proxyRules.bad, ['Пароль', '', EMPTY]],
    taken: proxyRules.taken,
    tags: ['@2.53', '@5.11'],
  },
  {
    name: 'a proxy',
    path: `${creator}/proxies`,
    title: 'Прокси-сервер',
    row: /own\.romashka/,
    labels: ['Хост', 'Порт', 'Логин', 'Пароль'],
    good: {},
    bad: proxyRules.bad,
    // A changed address needs a new password, because the stored password is sent to the stored address only.
    taken: [['Логин', 'four'], ['Пароль', 'four'], ...proxyRules.taken.slice(0, 3)],
    tags: ['@2.53', '@5.11'],
  },
  {
    name: 'a proxy, for an admin',
    path: '/dashboard/admin/proxies',
    title: 'Прокси-сервер',
    row: /own\.romashka/,
    token: () => admin,
    labels: ['Хост', 'Порт', 'Логин', 'Пароль', 'Тип', 'Для всех сайтов'],
    good: {},
    bad: proxyRules.bad.slice(0, 2),
    tags: ['@2.55', '@5.11'],
  },
  {
    name: 'the gateway itself, for an admin',
    path: '/dashboard/admin/proxies',
    title: 'Прокси-сервер',
    row: /Шлюз платформы/,
    token: () => admin,
    labels: ['Хост', 'Порт', 'Тип', 'Для всех сайтов'],
    good: {},
    bad: [],
    tags: ['@2.54'],
  },
  {
    name: 'a new site',
    path: `${creator}/domains`,
    title: 'Новый сайт',
    labels: ['Адрес', 'Кому открыть'],
    good: { Адрес: 'https://wiki.romashka.test/login?x' },
    bad: [['Адрес', '', EMPTY]],
    tags: ['@2.56'],
  },
  {
    name: 'a site',
    path: `${creator}/domains`,
    title: 'Сайт',
    row: /crm\.romashka/,
    labels: ['Адрес', 'Политики доступа'],
    good: {},
    bad: [['Адрес', '', EMPTY]],
    tags: ['@2.56'],
  },
  {
    name: 'a new policy',
    path: `${creator}/politics`,
    title: 'Новая политика доступа',
    labels: ['Название', 'Описание', 'Прокси', 'Использовать для всех сайтов', 'Пользователи', 'Сайты'],
    good: { Название: 'Четы' },
    bad: policyBad,
    chosen: ['Прокси', 'Шлюз платформы'],
    tags: ['@2.58', '@5.12'],
  },
  {
    name: 'a policy',
    path: `${creator}/politics`,
    title: 'Политика доступа',
    row: /Учёт/,
    labels: ['Название', 'Описание', 'Прокси', 'Использовать для всех сайтов', 'Пользователи', 'Сайты'],
    good: {},
    bad: policyBad,
    taken: [['Описание', '']],
    tags: ['@2.58', '@5.12'],
  },
  {
    name: 'a new company, for an admin',
    path: '/dashboard/admin/companies',
    title: 'Новая компания',
    token: () => admin,
    labels: ['Сайт', 'Название'],
    good: { Сайт: 'x' },
    bad: [['Сайт', '', EMPTY]],
    tags: ['@2.57', '@5.14'],
  },
  ...(['owner', 'admin'] as const).map(
    (who): Form => ({
      name: `the company, for its ${who}`,
      path: who === 'owner' ? `${creator}/company` : '/dashboard/admin/companies',
      title: 'Change company',
      row: /romashka\.test/,
      token: () => (who === 'owner' ? owner : admin),
      labels: ['Название', 'Сайт'],
      good: {},
      bad: [
        ['Название', '', EMPTY],
        ['Сайт', '', EMPTY],
      ],
      tags: ['@2.60', '@5.13'],
    }),
  ),
];

/** Opens a form, from the button above the list or from a row's menu. */
async function open(page: Page, form: Pick<Form, 'path' | 'title' | 'row' | 'token'>): Promise<Locator> {
  await enter(page, product.url + form.path, form.token?.() ?? owner);
  if (form.row) await choose(page, form.row, 'Редактировать');
  else await page.getByRole('main').getByRole('button', { name: 'Добавить', exact: true }).click();
  await expect(dialogOf(page).getByRole('heading', { name: form.title, exact: true })).toBeVisible();
  return dialogOf(page);
}

for (const [screen, viewport] of screensOf(import.meta.url)) {
  test.describe(screen, () => {
    test.use({ viewport });

    for (const form of forms) {
      test(`the form of ${form.name} shows its fields and explains each refused value`, {
        tag: form.tags,
      }, async ({ page }) => {
        const dialog = await open(page, form);
        const save = saveOf(dialog);
        // The mark of a required field is hidden from the accessible name.
        const labels = async () =>
          (await dialog.locator('label').allTextContents()).map((label) => label.replace(' *', ''));
        // The form preselects a proxy after the proxy list has loaded, and shows the proxy's checkbox then.
        await expect.poll(labels).toEqual([...form.labels]);
        const begun = form.row !== undefined;
        // Save is disabled for an empty new form and for an unchanged one.
        await expect(save).toBeDisabled();
        // An untouched form shows no errors.
        const complaints = dialog.locator('[id$="-error"]');
        await expect(complaints).toHaveCount(0);

        for (const [label, value] of Object.entries(form.good)) await field(dialog, label).fill(value);
        if (form.chosen) {
          const [label, option] = form.chosen;
          await expect(dialog.getByRole('combobox', { name: label })).toHaveValue(option);
        }
        await expect(save).toBeEnabled({ enabled: !begun });

        for (const label of form.locked ?? []) await expect(field(dialog, label)).toBeDisabled();
        for (const [label, value, says] of form.bad) {
          const input = field(dialog, label);
          const before = form.good[label] ?? (await input.inputValue());
          await input.fill(value);
          await input.blur();
          await expect(input, `${label}: ${value}`).toHaveAccessibleDescription(new RegExp(says));
          await expect(save).toBeDisabled();
          await input.fill(before);
          await expect(complaints).toHaveCount(0);
          await expect(save).toBeEnabled({ enabled: !begun });
        }
        const stored = new Map<string, string>();
        for (const [label] of form.taken ?? []) {
          if (begun) stored.set(label, await field(dialog, label).inputValue());
        }
        for (const [label, value] of form.taken ?? []) {
          await field(dialog, label).fill(value);
          await field(dialog, label).blur();
          await expect(complaints).toHaveCount(0);
          const shown = await Promise.all(
            [...stored].map(async ([name, was]) => (await field(dialog, name).inputValue()) !== was),
          );
          const enabled = !begun || shown.includes(true);
          await expect(save, `${label}: ${value}`).toBeEnabled({ enabled });
        }
      });
    }

    test('the proxy form requires the password while host or port differ from the stored values', {
      tag: ['@2.53'],
    }, async ({ page }) => {
      const dialog = await open(page, forms.find(({ name }) => name === 'a proxy') as Form);
      const password = field(dialog, 'Пароль');
      await expect(password).toHaveAccessibleDescription('Оставьте пустым, чтобы не менять пароль');
      for (const [label, other] of [
        ['Хост', 'other.romashka.test'],
        ['Порт', '3129'],
      ] as const) {
        const before = await field(dialog, label).inputValue();
        await field(dialog, label).fill(other);
        await expect(password).toHaveAccessibleDescription(/введите пароль заново/);
        await expect(saveOf(dialog)).toBeDisabled();
        await password.fill('another secret');
        await expect(saveOf(dialog)).toBeEnabled();
        await password.fill('');
        await field(dialog, label).fill(before);
        await expect(password).toHaveAccessibleDescription('Оставьте пустым, чтобы не менять пароль');
      }
      await field(dialog, 'Хост').fill('OWN.romashka.test');
      await expect(saveOf(dialog)).toBeEnabled();
    });

    test("the policy list in a user's form filters in the browser, 100 ms after the last keystroke", {
      tag: ['@2.51'],
    }, async ({ page }) => {
      await page.clock.install();
      for (const form of [
        { path: `${creator}/users`, title: 'Новый пользователь' },
        { path: `${creator}/users`, title: 'Edit user', row: /petr@/ },
      ]) {
        const dialog = await open(page, form);
        const search = dialog.getByRole('combobox', { name: 'Политики доступа' });
        const options = page.getByRole('option');
        await search.click();
        await expect(options).toHaveText(['Продажи', 'Склад', 'Учёт', 'Склад готового']);
        const calls: string[] = [];
        page.on('request', (request) => calls.push(request.url()));
        // The page's fake clock is ahead of the real one since the previous pause, so read the time in the
        // page.
        await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 3_600_000);
        await search.pressSequentially('СКЛ');
        await page.clock.runFor(99);
        await expect(options).toHaveCount(4);
        await page.clock.runFor(1);
        // The dialog also offers to create a policy with the typed name.
        const offer = (typed: string) => [`Создать политику «${typed}»`];
        await expect(options).toHaveText(['Склад', 'Склад готового', ...offer('СКЛ')]);
        await page.clock.resume();
        await search.fill('учет');
        await expect(options).toHaveText(['Учёт', ...offer('учет')]);
        await options.first().click();
        await expect(dialog.locator('label:has-text("Политики доступа") ~ *')).toContainText(['Учёт']);
        await search.fill('нет такой');
        await expect(options).toHaveText(offer('нет такой'));
        expect(calls).toEqual([]);
        page.removeAllListeners('request');
      }
    });

    test('the policy form offers "all sites" only while the chosen proxy allows it', {
      tag: ['@2.59'],
    }, async ({ page }) => {
      const name = `Все сайты ${screen}`;
      const stored = async () => {
        const { rows } = await product.call(owner, listPolicies);
        return rows.find((policy) => policy.name === name);
      };
      const dialog = await open(page, { path: `${creator}/politics`, title: 'Новая политика доступа' });
      const box = dialog.getByRole('checkbox', { name: 'Использовать для всех сайтов' });
      await dialog.getByRole('textbox', { name: 'Название' }).fill(name);
      // The form preselects the gateway, which allows all sites in this test.
      await expect(box).not.toBeChecked();
      await pick(page, 'Прокси', 'plain.platform.test');
      await expect(box).toHaveCount(0);
      await pick(page, 'Прокси', 'Шлюз платформы');
      await expect(box).not.toBeChecked();
      await box.check();
      await saveOf(dialog).click();
      await expect(dialog).toHaveCount(0);
      expect((await stored())?.allSites).toBe(true);

      await choose(page, name, 'Редактировать');
      await expect(box).toBeChecked();
      await pick(page, 'Прокси', 'own.romashka.test');
      await expect(box).toHaveCount(0);
      await saveOf(dialog).click();
      await expect(dialog).toHaveCount(0);
      expect((await stored())?.allSites).toBe(false);
      await expect(row(page, name)).toContainText('own.romashka.test');
      // Delete the policy: other tests of this file count the policies.
      await product.call(owner, deletePolicy, { params: { id: (await stored())?.id ?? 0 } });
    });

    test('a field that the dialog focused on opening shows no error after a list opens and closes', async ({
      page,
    }) => {
      const dialog = await open(page, { path: `${creator}/politics`, title: 'Новая политика доступа' });
      const name = dialog.getByRole('textbox', { name: 'Название' });
      await expect(name).toBeFocused();
      await dialog.getByRole('combobox', { name: 'Прокси' }).click();
      await page.getByRole('option', { name: 'Шлюз платформы' }).click();
      await expect(page.getByRole('listbox')).toHaveCount(0);
      await expect(dialog.getByText('Заполните это поле')).toHaveCount(0);
      // A field that the user has left empty still shows its error.
      await name.click();
      await dialog.getByRole('textbox', { name: 'Описание' }).click();
      await expect(dialog.getByText('Заполните это поле')).toBeVisible();
    });
  });
}
