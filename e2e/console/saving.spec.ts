import { expect, type Page } from '@playwright/test';
import { createCompany, updateCompany } from '@propusk/contract/companies';
import type { Endpoint } from '@propusk/contract/endpoint';
import { createPolicy, updatePolicy } from '@propusk/contract/policies';
import { createProxy, updateProxy } from '@propusk/contract/proxies';
import { createSite, listSites, updateSite } from '@propusk/contract/sites';
import { createUser, updateUser } from '@propusk/contract/users';
import {
  choose,
  dialogOf,
  enter,
  field,
  PASSWORD,
  pick,
  row,
  saveOf,
  saveSite,
  screensOf,
  startConsole,
  test,
} from '../support/console.ts';

/** Saving typed values: a success is confirmed, and a failure keeps them in the form. */
const creator = '/dashboard/creator';
let owner: string;
let admin: string;
const product = startConsole(async (console) => {
  admin = await console.admin();
  owner = await console.owner('irina@romashka.test');
});

const fill = async (page: Page, values: Readonly<Record<string, string>>) => {
  for (const [label, value] of Object.entries(values)) await field(dialogOf(page), label).fill(value);
};
const add = (page: Page) =>
  page.getByRole('main').getByRole('button', { name: 'Добавить', exact: true }).first().click();
const said = (page: Page, sentence: string) => page.getByRole('status').filter({ hasText: sentence }).last();

/** One entity of each kind, from creation to deletion. */
interface Life {
  name: string;
  path: string;
  admin?: boolean;
  create: (screen: string) => Record<string, string>;
  pick?: readonly [label: string, option: string];
  /** Text that identifies the row. */
  row: (screen: string) => string;
  shows: (screen: string) => string;
  edit: (screen: string) => Record<string, string>;
  edited: (screen: string) => string;
  question: string;
  /** Whether the confirmation dialog also asks for the password. */
  proved?: boolean;
  hint: (screen: string) => string;
}
const lives: readonly Life[] = [
  {
    name: 'a site',
    path: `${creator}/domains`,
    create: (screen) => ({ Адрес: `https://${screen}.ромашка.рф/login` }),
    row: (screen) => `${screen}.ромашка.рф`,
    shows: (screen) => `${screen}.ромашка.рф`,
    edit: (screen) => ({ Адрес: `*.${screen}.ромашка.рф:8443` }),
    edited: (screen) => `*.${screen}.ромашка.рф:8443`,
    question: 'Вы действительно хотите удалить сайт из списка разрешенных?',
    hint: (screen) => `*.${screen}.ромашка.рф:8443`,
  },
  {
    name: 'a proxy',
    path: `${creator}/proxies`,
    create: (screen) => ({ Хост: `${screen}.test`, Порт: '3129', Логин: 'login', Пароль: 'secret' }),
    row: (screen) => `${screen}.test`,
    shows: () => 'Порт 3129',
    edit: () => ({ Порт: '8080', Пароль: 'another' }),
    edited: (screen) => `${screen}.test`,
    question: 'Вы действительно хотите удалить прокси?',
    hint: (screen) => `${screen}.test:8080`,
  },
  {
    name: 'a policy',
    path: `${creator}/politics`,
    create: (screen) => ({ Название: `Продажи ${screen}` }),
    pick: ['Прокси', 'Шлюз платформы'],
    row: (screen) => `Продажи ${screen}`,
    shows: (screen) => `Продажи ${screen}`,
    edit: (screen) => ({ Название: `Закупки ${screen}` }),
    edited: (screen) => `Закупки ${screen}`,
    question: 'Вы действительно хотите удалить политику доступа?',
    hint: (screen) => `Закупки ${screen}`,
  },
  {
    name: 'a person',
    path: `${creator}/users`,
    create: (screen) => ({ Имя: 'Анна', Почта: `anna-${screen}@romashka.test`, Пароль: 'correct horse' }),
    row: (screen) => `anna-${screen}@`,
    shows: () => 'Анна',
    edit: () => ({ Фамилия: 'Иванова' }),
    edited: (screen) => `Анна Иванова anna-${screen}@romashka.test`,
    question: 'Do you really want to delete the user?',
    hint: (screen) => `Анна Иванова, anna-${screen}@romashka.test`,
  },
  {
    name: 'a company',
    path: '/dashboard/admin/companies',
    admin: true,
    create: (screen) => ({ Сайт: `${screen}.vasilek.test` }),
    row: (screen) => `${screen}.vasilek.test`,
    shows: (screen) => `${screen}.vasilek.test`,
    edit: (screen) => ({ Название: `Василёк ${screen}` }),
    edited: (screen) => `Василёк ${screen}`,
    question: 'Do you really want to delete the company?',
    proved: true,
    hint: (screen) =>
      `Василёк ${screen}. Все её данные пропадут безвозвратно: пользователи, сайты, прокси-серверы и политики доступа.`,
  },
];

/**
 * For each kind of entity, the field that another user changes meanwhile and the field that this user
 * edits.
 */
const stale: readonly {
  name: string;
  path: string;
  admin?: boolean;
  make: (screen: string) => [create: Endpoint, body: object, row: string];
  theirs: [update: Endpoint, body: object, label: string, value: string];
  ours: [label: string, value: string];
}[] = [
  {
    name: 'a site',
    path: `${creator}/domains`,
    make: (screen) => [
      createSite,
      { address: `stale-${screen}.romashka.test` },
      `stale-${screen}.romashka.test`,
    ],
    theirs: [updateSite, { politics: [] }, 'Адрес', ''],
    ours: ['Адрес', 'mine'],
  },
  {
    name: 'a proxy',
    path: `${creator}/proxies`,
    make: (screen) => [
      createProxy,
      { host: `stale-${screen}.test`, port: 3128, username: 'login', password: 'secret' },
      `stale-${screen}.test`,
    ],
    theirs: [updateProxy, { port: 8080, password: 'another' }, 'Порт', '8080'],
    ours: ['Логин', 'mine'],
  },
  {
    name: 'a policy',
    path: `${creator}/politics`,
    make: (screen) => [createPolicy, { name: `Общая ${screen}`, proxyId: 1 }, `Общая ${screen}`],
    theirs: [updatePolicy, { description: 'Их описание' }, 'Описание', 'Их описание'],
    ours: ['Название', 'Наше название'],
  },
  {
    name: 'a person',
    path: `${creator}/users`,
    make: (screen) => [
      createUser,
      { name: 'Олег', email: `oleg-${screen}@romashka.test`, password: 'correct horse' },
      `oleg-${screen}@`,
    ],
    theirs: [updateUser, { surname: 'Их' }, 'Фамилия', 'Их'],
    ours: ['Имя', 'Наше'],
  },
  {
    name: 'a company',
    path: '/dashboard/admin/companies',
    admin: true,
    make: (screen) => [
      createCompany,
      { companyName: `Лютик ${screen}`, companySite: 'lutik.test' },
      `Лютик ${screen}`,
    ],
    theirs: [updateCompany, { companySite: 'their.test' }, 'Сайт', 'their.test'],
    ours: ['Название', 'Наше название'],
  },
];

for (const [screen, viewport] of screensOf(import.meta.url)) {
  test.describe(screen, () => {
    test.use({ viewport });

    for (const life of lives) {
      test(`${life.name} is added, changed and deleted: each step shows its confirmation and updates the list`, {
        tag: [
          ...['@2.61', '@2.62', '@4.19', '@8.8', '@8.9', '@8.10', '@8.11'],
          ...(life.admin ? ['@2.48', '@2.57', '@2.60', '@2.63'] : []),
        ],
      }, async ({ page }) => {
        const dialog = dialogOf(page);
        await enter(page, product.url + life.path, life.admin ? admin : owner);
        await add(page);
        await fill(page, life.create(screen));
        if (life.pick) await pick(page, ...life.pick);
        await (life.path === `${creator}/domains` ? saveSite(page) : saveOf(dialog).click());
        await expect(said(page, 'Успешное создание!')).toContainText(life.shows(screen));
        await expect(dialog).toHaveCount(0);
        await expect(row(page, life.row(screen))).toHaveCount(1);

        await choose(page, life.row(screen), 'Редактировать');
        await fill(page, life.edit(screen));
        await saveOf(dialog).click();
        await expect(said(page, 'Успешное обновление!')).toBeVisible();
        await expect(dialog).toHaveCount(0);
        const changed = row(page, life.edited(screen));
        await expect(changed).toHaveCount(1);

        await choose(page, life.edited(screen), 'Удалить');
        await expect(dialog).toHaveAccessibleName(life.question);
        await expect(dialog.getByText(life.hint(screen), { exact: true })).toBeVisible();
        const buttons = dialog.getByRole('button').filter({ hasText: /./ });
        await expect(buttons).toHaveText(['Нет', 'Да']);
        await dialog.getByRole('button', { name: 'Нет' }).click();
        await expect(dialog).toHaveCount(0);
        await expect(changed).toHaveCount(1);
        await choose(page, life.edited(screen), 'Удалить');
        if (life.proved) await dialog.getByLabel(/^Ваш текущий пароль/).fill(PASSWORD);
        await dialog.getByRole('button', { name: 'Да', exact: true }).click();
        await expect(said(page, 'Успешное удаление!')).toBeVisible();
        await expect(changed).toHaveCount(0);
      });
    }

    test("a value that the server refuses stays in the form, with the server's message at its field", {
      tag: ['@8.12'],
    }, async ({ page }) => {
      const dialog = dialogOf(page);
      const address = `taken-${screen}.romashka.test`;
      await product.call(owner, createSite, { body: { address } });
      for (const [path, values, message, label, says] of [
        [
          'users',
          { Имя: 'Анна', Почта: 'IRINA@romashka.test', Пароль: 'correct horse' },
          'Пользователь с такой почтой уже есть',
          'Почта',
          'Эта почта уже занята',
        ],
        ['domains', { Адрес: `HTTP://${address}/x` }, 'Этот сайт уже есть в списке', null, ''],
        ['domains', { Адрес: '10.0.0.1' }, 'Проверьте введённые данные', 'Адрес', '.+'],
        ['domains', { Адрес: 'localhost' }, 'Проверьте введённые данные', 'Адрес', '.+'],
      ] as const) {
        await enter(page, `${product.url}${creator}/${path}`, owner);
        await add(page);
        await fill(page, values);
        await saveOf(dialog).click();
        await expect(dialog.getByRole('alert')).toContainText(message);
        for (const [name, value] of Object.entries(values)) {
          await expect(field(dialog, name)).toHaveValue(value);
        }
        if (label !== null) {
          await expect(field(dialog, label)).toHaveAttribute('aria-invalid', 'true');
          await expect(field(dialog, label)).toHaveAccessibleDescription(new RegExp(says));
        }
      }
      // The refused value can be corrected and saved in place.
      await fill(page, { Адрес: `mended-${screen}.romashka.test` });
      await saveSite(page);
      await expect(row(page, `mended-${screen}.romashka.test`)).toHaveCount(1);
    });

    test('a save without a network keeps the form, and a retry or a double click creates one row', {
      tag: ['@8.12'],
    }, async ({ page }) => {
      const dialog = dialogOf(page);
      const address = `once-${screen}.romashka.test`;
      let posts = 0;
      await enter(page, `${product.url}${creator}/domains`, owner);
      await add(page);
      await fill(page, { Адрес: address });
      await page.route('**/api/domain-allowed', (route) => route.abort());
      await saveOf(dialog).click();
      await expect(dialog.getByRole('alert')).toContainText('Нет связи с сервером');
      await expect(field(dialog, 'Адрес')).toHaveValue(address);
      await page.unroute('**/api/domain-allowed');

      // The server creates the row, but its reply is lost.
      await page.route('**/api/domain-allowed', async (route) => {
        await route.fetch();
        await route.abort();
      });
      await saveOf(dialog).click();
      await expect(dialog.getByRole('alert')).toContainText('Нет связи с сервером');
      await page.unroute('**/api/domain-allowed');
      page.on('request', (request) => {
        if (request.method() === 'POST' && request.url().endsWith('/domain-allowed')) posts++;
      });
      await saveOf(dialog).dblclick();
      await expect(dialog).toHaveAccessibleName(`Замок: ${address}`);
      await expect(row(page, address)).toHaveCount(1);
      expect(posts).toBe(1);
      const { rows } = await product.call(owner, listSites);
      expect(rows.filter((site) => site.address === address)).toHaveLength(1);
    });

    test('a changed form asks before it closes, and an unchanged one closes at once', {
      tag: ['@8.12'],
    }, async ({ page }) => {
      const form = page.getByRole('dialog', { name: 'Новый сайт' });
      const question = page.getByRole('dialog', { name: 'Закрыть и потерять введённое?' });
      await enter(page, `${product.url}${creator}/domains`, owner);
      const opener = page.getByRole('main').getByRole('button', { name: 'Добавить', exact: true }).first();
      await opener.click();
      await expect(field(form, 'Адрес')).toBeFocused();
      await page.keyboard.press('Escape');
      await expect(form).toHaveCount(0);
      await expect(opener).toBeFocused();

      await opener.click();
      await fill(page, { Адрес: 'crm.romashka.test' });
      for (const close of [
        () => page.keyboard.press('Escape'),
        () => form.getByRole('button', { name: 'Отмена' }).click(),
        () => form.locator('header').getByRole('button').click(),
        () => page.mouse.click(3, 3),
      ]) {
        await close();
        await question.getByRole('button', { name: 'Остаться' }).click();
        await expect(question).toHaveCount(0);
        await expect(field(form, 'Адрес')).toHaveValue('crm.romashka.test');
      }
      await form.getByRole('button', { name: 'Отмена' }).click();
      await question.getByRole('button', { name: 'Закрыть' }).click();
      await expect(page.getByRole('dialog')).toHaveCount(0);
    });

    test('a changed form asks before closing at the first and at the second Escape', {
      tag: ['@8.12'],
    }, async ({ page }) => {
      const question = page.getByRole('dialog', { name: 'Закрыть и потерять введённое?' });
      await enter(page, `${product.url}${creator}/domains`, owner);
      await add(page);
      await fill(page, { Адрес: 'crm.romashka.test' });
      for (const answer of ['Остаться', 'Закрыть']) {
        await page.keyboard.press('Escape');
        await question.getByRole('button', { name: answer, exact: true }).click({ timeout: 2_000 });
        await expect(question).toHaveCount(0);
      }
      await expect(page.getByRole('dialog')).toHaveCount(0, { timeout: 2_000 });
    });

    test('after a change by another user a form reports the conflict, loads the change and keeps the typed values', {
      tag: ['@8.12'],
    }, async ({ page }) => {
      const dialog = dialogOf(page);
      for (const { name, path, admin: byAdmin, make, theirs, ours } of stale) {
        await test.step(name, async () => {
          const token = byAdmin ? admin : owner;
          const [create, body, shown] = make(screen);
          const { id } = (await product.call(token, create, { body })) as { id: number };
          await enter(page, product.url + path, token);
          await choose(page, shown, 'Редактировать');
          const [update, change, theirLabel, theirValue] = theirs;
          const [label, typed] = ours;
          const value = typed === 'mine' && label === 'Адрес' ? `mine-${screen}.romashka.test` : typed;
          await fill(page, { [label]: value });
          await product.call(token, update, { params: { id }, body: change });
          await saveOf(dialog).click();
          const alert = dialog.getByRole('alert');
          await expect(alert).toContainText('Пока вы правили, запись изменил кто-то другой');
          await expect(field(dialog, label)).toHaveValue(value);
          await alert.getByRole('button', { name: 'Загрузить изменения' }).click();
          await expect(alert).toContainText('введённое вами осталось');
          await expect(field(dialog, label)).toHaveValue(value);
          if (theirLabel !== label) await expect(field(dialog, theirLabel)).toHaveValue(theirValue);
          await saveOf(dialog).click();
          await expect(dialog).toHaveCount(0);
          await expect(said(page, 'Успешное обновление!')).toBeVisible();
        });
      }
    });
  });
}
