import { expect, type Locator, type Page } from '@playwright/test';
import { createPolicy, updatePolicy } from '@propusk/contract/policies';
import { createProxy, updateAnyProxy } from '@propusk/contract/proxies';
import { createSite } from '@propusk/contract/sites';
import { createUser } from '@propusk/contract/users';
import { choose, dialogOf, enter, heading, row, screensOf, startConsole, test } from '../support/console.ts';

/** The cells and menus of each table. */
const creator = '/dashboard/creator';
/** A description of 36 characters, and its first 35. */
const whole = 'Ровно тридцать шесть знаков в строке';
const short = whole.slice(0, 35);
let owner: string;
let agent: string;
let both: string;
let admin: string;

const product = startConsole(async (console) => {
  admin = await console.admin();
  owner = await console.owner('irina@romashka.test');
  const password = 'correct horse';
  const upstream = { port: 3128, username: 'login', password: 'secret' };
  const own = await console.call(owner, createProxy, { body: { host: 'own.romashka.test', ...upstream } });
  const paid = await console.call(owner, createProxy, { body: { host: 'paid.romashka.test', ...upstream } });
  const settings = (type: 'payment' | 'default', allSites: boolean) => ({ settings: { type, allSites } });
  await console.call(admin, updateAnyProxy, { params: { id: paid.id }, body: settings('payment', true) });
  // A proxy that an admin without a company adds belongs to the platform.
  const pro = await console.call(admin, createProxy, { body: { host: 'pro.platform.test', ...upstream } });
  await console.call(admin, updateAnyProxy, { params: { id: pro.id }, body: settings('default', true) });

  const policy = async (name: string, description: string, proxyId: number) =>
    (await console.call(owner, createPolicy, { body: { name, description, proxyId } })).id;
  const sales = await policy('Продажи', whole, own.id);
  const books = await policy('Бухгалтерия', short, 1);
  for (const [address, politics] of [
    ['crm.romashka.test', [sales, books]],
    ['почта.ромашка.рф', []],
  ] as const) {
    await console.call(owner, createSite, { body: { address, politics: [...politics] } });
  }
  const people = { password, politics: [sales, books] };
  const petr = { name: 'Пётр', surname: 'Орлов', email: 'petr@romashka.test', ...people };
  await console.call(owner, createUser, { body: petr });
  await console.agent(owner, 'nameless@romashka.test');
  both = await console.agent(owner, 'both@romashka.test');
  await console.setRoles('both@romashka.test', ['CREATOR', 'USER']);
  await console.agent(owner, 'helper@romashka.test');
  await console.setRoles('helper@romashka.test', ['ADMIN']);
  agent = await console.signIn('petr@romashka.test');
});

/** Returns a row's cell by column title; on a phone the cell itself shows the title. */
const cell = (line: Locator, title: string) => line.locator(`[data-label="${title}"]`);

async function menuOf(page: Page, name: string | RegExp): Promise<string[]> {
  const button = row(page, name).getByRole('button', { name: /^Действия/ });
  await button.click();
  await expect(page.getByRole('menu')).toBeVisible();
  const items = await page.getByRole('menuitem').allTextContents();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0);
  return items;
}

for (const [screen, viewport] of screensOf(import.meta.url)) {
  test.describe(screen, () => {
    test.use({ viewport });
    const open = (page: Page, path: string, token = owner) => enter(page, product.url + path, token);

    test('the users table shows names or "No name", email links, role names and a tag for each policy', {
      tag: ['@2.36', '@2.37', '@2.38', '@2.61', '@6.1', '@6.5'],
    }, async ({ page }) => {
      await open(page, `${creator}/users`);
      const petr = row(page, /petr@/);
      await expect(cell(petr, 'Имя')).toContainText('Пётр Орлов');
      const mail = petr.getByRole('link', { name: 'petr@romashka.test' });
      await expect(mail).toHaveAttribute('href', 'mailto:petr@romashka.test');
      await expect(cell(petr, 'Политики доступа').locator('[data-tone]')).toHaveText([
        'Продажи',
        'Бухгалтерия',
      ]);
      const nameless = row(page, /nameless@/);
      await expect(cell(nameless, 'Имя')).toContainText('No name');
      await expect(cell(nameless, 'Политики доступа')).toHaveText('Без доступа');
      for (const [person, roles, items] of [
        [/petr@/, /^Агент$/, ['Редактировать', 'Сделать владельцем', 'Приостановить', 'Удалить']],
        [/irina@/, /^Пользователь \(владелец\)$/, ['Редактировать']],
        [/helper@/, /^Админ$/, ['Редактировать']],
        [
          /both@/,
          /^(Агент, Пользователь \(владелец\)|Пользователь \(владелец\), Агент)$/,
          ['Редактировать', 'Снять роль владельца', 'Приостановить'],
        ],
      ] as const) {
        await expect(cell(row(page, person), 'Роли')).toHaveText(roles);
        expect(await menuOf(page, person)).toEqual(items);
      }
      // The tooltip of a role name explains the rights of the role.
      for (const [role, may] of [
        ['Агент', 'Открывает сайты своих политик доступа'],
        ['Пользователь', 'Владелец компании: управляет её пользователями'],
        ['Админ', 'Администратор платформы: управляет всеми компаниями'],
      ] as const) {
        const name = page.getByRole('table').getByText(role, { exact: true }).first();
        await expect(name).toHaveAttribute('title', new RegExp(`^${may}`));
      }
    });

    test("the proxies table tags each proxy's kind and hides the platform's ports and menus", {
      tag: ['@2.39', '@2.40', '@2.41', '@2.43', '@2.61', '@6.6'],
    }, async ({ page }) => {
      await open(page, `${creator}/proxies`);
      for (const [host, tag, port] of [
        ['own.romashka.test', 'личный', '3128'],
        ['paid.romashka.test', 'личный', '3128'],
        ['Шлюз платформы', 'стандартный', null],
        ['pro.platform.test', 'PRO', null],
      ] as const) {
        const line = row(page, host);
        await expect(cell(line, 'Тип').locator('[data-tone]')).toHaveText(tag);
        await expect(cell(line, 'Порт')).toHaveText(port ?? 'Порт задан платформой');
        await expect(cell(line, 'Порт').locator('svg')).toHaveCount(port === null ? 1 : 0);
        // The platform's proxies and paid ones can be checked but not changed.
        await expect(line.getByRole('button').last()).toHaveAccessibleName(
          host.startsWith('own') ? `Действия: ${host}` : `Проверить прокси: ${host}`,
        );
      }
      expect(await menuOf(page, 'own.romashka.test')).toEqual([
        'Проверить прокси',
        'Редактировать',
        'Удалить',
      ]);
      const main = page.getByRole('main');
      await expect(main.getByRole('button', { name: 'Добавить', exact: true })).toBeVisible();
      await main.getByRole('button', { name: 'Добавить Платный' }).click();
      const paid = page.getByRole('dialog', { name: 'Платный прокси' });
      await expect(paid).toContainText(/подключить платный прокси-сервер, обратитесь к менеджеру компании/);
      await paid.getByRole('button', { name: 'Отмена' }).click();
      await expect(paid).toHaveCount(0);
    });

    test('the sites and policies tables show policy tags, proxy hosts and descriptions cut at 35 characters', {
      tag: ['@2.45', '@2.46', '@2.61', '@4.21'],
    }, async ({ page }) => {
      await open(page, `${creator}/domains`);
      const crm = row(page, 'crm.romashka.test');
      await expect(cell(crm, 'Политики доступа').locator('[data-tone]')).toHaveText([
        'Продажи',
        'Бухгалтерия',
      ]);
      await expect(row(page, 'почта.ромашка.рф')).toContainText('Без политики');
      expect(await menuOf(page, 'crm.romashka.test')).toEqual([
        'Защитить',
        'Проверить',
        'Проверить доступ пользователя',
        'Редактировать',
        'Удалить',
      ]);

      await open(page, `${creator}/politics`);
      const sales = row(page, 'Продажи');
      const description = cell(sales, 'Описание');
      await expect(cell(sales, 'Прокси')).toHaveText('own.romashka.test');
      await expect(description).toHaveText(`${short}… еще`);
      await description.getByRole('button', { name: 'еще' }).click();
      await expect(description).toHaveText(`${whole} скрыть`);
      await description.getByRole('button', { name: 'скрыть' }).click();
      await expect(description).toHaveText(`${short}… еще`);
      const books = row(page, 'Бухгалтерия');
      await expect(cell(books, 'Прокси')).toHaveText('Шлюз платформы');
      await expect(cell(books, 'Описание')).toHaveText(short);
      await expect(books.getByRole('button', { name: 'еще' })).toHaveCount(0);
      expect(await menuOf(page, 'Продажи')).toEqual(['Редактировать', 'Удалить']);
    });

    test('an agent can only read their sites and policies, and an agent who is also an owner can edit them', {
      tag: ['@2.23', '@2.24'],
    }, async ({ page }) => {
      for (const [path, title, shown] of [
        ['domains', 'Сайты', ['crm.romashka.test']],
        ['politics', 'Политики доступа', ['Продажи', 'Бухгалтерия']],
      ] as const) {
        await open(page, `/dashboard/user/${path}`, agent);
        await expect(heading(page, title)).toBeVisible();
        await expect(page.getByRole('rowheader')).toHaveText([...shown]);
        await expect(page.getByRole('button', { name: 'Добавить' })).toHaveCount(0);
        await expect(page.getByRole('button', { name: /^Действия/ })).toHaveCount(0);
      }
      // The server also refuses the change that the page does not offer.
      const id = (await product.call(owner, createPolicy, { body: { name: `Чужая ${screen}`, proxyId: 1 } }))
        .id;
      const answer = await fetch(`${product.url}/api/politics/${id}`, {
        method: updatePolicy.method,
        headers: { authorization: `Bearer ${agent}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'Моя политика' }),
      });
      expect(answer.status).toBe(403);

      await open(page, `/dashboard/user/politics?name=Чужая ${screen}`, both);
      await expect(page.getByRole('button', { name: 'Добавить' })).toBeVisible();
      expect(await menuOf(page, `Чужая ${screen}`)).toEqual(['Редактировать', 'Удалить']);
      await choose(page, `Чужая ${screen}`, 'Удалить');
      await dialogOf(page).getByRole('button', { name: 'Да', exact: true }).click();
      await expect(row(page, `Чужая ${screen}`)).toHaveCount(0);
    });

    test('a tap or a key expands the hidden policies of a site, and the users and sites of a policy', async ({
      page,
    }) => {
      const number = (index: number) => `${screen} номер ${index}`;
      const politics: number[] = [];
      for (const index of [1, 2, 3, 4, 5])
        politics.push(
          (await product.call(owner, createPolicy, { body: { name: number(index), proxyId: 1 } })).id,
        );
      await product.call(owner, createSite, { body: { address: `many-${screen}.romashka.test`, politics } });
      await open(page, `${creator}/domains?name=many-${screen}`);
      const many = row(page, `many-${screen}`);
      await expect(many).not.toContainText(number(5));
      const more = many.getByRole('button', { name: 'Показать ещё 2' });
      await more.press('Enter');
      await expect(many.getByText(number(5))).toBeVisible();
      await expect(dialogOf(page)).toHaveCount(0);
      await many.getByRole('button', { name: 'скрыть' }).press('Enter');
      await expect(many).not.toContainText(number(5));

      await open(page, '/dashboard/user/politics', agent);
      const sales = row(page, 'Продажи');
      await expect(sales).not.toContainText('crm.romashka.test');
      await sales.getByRole('button', { name: '1 сайт' }).click();
      await expect(sales).toContainText(': Пётр Орлов');
      await expect(sales).toContainText('1 сайт: crm.romashka.test');
    });

    test("the personal data page shows an owner's gateway password, and the company page does not", async ({
      page,
    }) => {
      await open(page, `${creator}/company`);
      await expect(page.getByRole('region', { name: 'Второй фактор' })).toBeVisible();
      await expect(page.getByText('Пароль шлюза')).toHaveCount(0);
      await open(page, '/dashboard/personal-data');
      await expect(page.getByRole('region', { name: 'Как подключиться' })).toContainText('Пароль шлюза');
    });

    test('personal data is read-only, at most 800 pixels wide, with a password form', {
      tag: ['@2.25', '@2.26'],
    }, async ({ page }) => {
      await open(page, '/dashboard/user/personal-data', agent);
      await expect(heading(page, 'Персональные данные')).toBeVisible();
      const main = page.getByRole('main');
      for (const [term, value] of [
        ['Имя', 'Пётр'],
        ['Фамилия', 'Орлов'],
        ['Почта', 'petr@romashka.test'],
      ] as const) {
        const definition = main.locator('dt', { hasText: new RegExp(`^${term}$`) }).locator('..');
        await expect(definition.getByRole('definition')).toContainText(value);
      }
      // Personal data is read-only: the only inputs are those of the password form.
      await expect(main.locator('input:visible')).toHaveCount(3);
      await expect(main.locator('input:visible:not([type="password"])')).toHaveCount(0);
      const card = await page.getByRole('region', { name: 'Пароль', exact: true }).boundingBox();
      if (screen === 'desktop') expect(card?.width).toBe(800);
      else expect(card?.width).toBeGreaterThan(340);
    });

    test('the admin tables show the company of each row and proxy settings as JSON, and mark default proxies', {
      tag: ['@2.19', '@2.44', '@2.48', '@2.61'],
    }, async ({ page }) => {
      const days = ['Создано', 'Изменено'];
      await open(page, '/dashboard/admin/proxies', admin);
      const proxyColumns = ['Хост', 'Порт', ...days, 'Компания', 'Настройки', 'Действия'];
      await expect(page.getByRole('columnheader')).toHaveText(proxyColumns);
      const own = row(page, 'own.romashka.test');
      await expect(cell(own, 'Компания')).toContainText('ООО «Ромашка»romashka.test');
      await expect(cell(own, 'Настройки')).toHaveText('{"type":"users","allSites":false}');
      await expect(cell(own, 'Порт')).toHaveText('3128');
      await expect(own).not.toHaveClass(/default/);
      await expect(row(page, 'pro.platform.test')).toHaveClass(/default/);
      await expect(cell(row(page, 'pro.platform.test'), 'Настройки')).toHaveText(
        '{"type":"default","allSites":true}',
      );
      if (screen === 'desktop') {
        // The settings are truncated to one line; a click shows them in full.
        const settings = cell(row(page, 'pro.platform.test'), 'Настройки').locator('code');
        const isCut = () => settings.evaluate((one) => one.scrollWidth > one.clientWidth);
        expect((await settings.boundingBox())?.height).toBeLessThan(24);
        expect(await isCut()).toBe(true);
        await settings.click();
        await expect.poll(isCut).toBe(false);
        await expect(page.getByRole('dialog')).toHaveCount(0);
      }
      await page.getByRole('link', { name: 'Прокси платформы' }).click();
      await expect(heading(page, 'Прокси платформы')).toBeVisible();
      await expect(page.getByRole('columnheader')).toHaveText(proxyColumns);
      await expect(row(page, 'own.romashka.test')).toHaveCount(0);

      await open(page, '/dashboard/admin/users', admin);
      const userColumns = ['Имя', 'Компания', 'Роли', 'Политики доступа', ...days, 'Действия'];
      await expect(page.getByRole('columnheader')).toHaveText(userColumns);
      await expect(cell(row(page, /petr@/), 'Компания')).toContainText('ООО «Ромашка»');

      await open(page, '/dashboard/admin/companies', admin);
      await expect(page.getByRole('columnheader')).toHaveText(['Название', ...days, 'Действия']);
      expect(await menuOf(page, 'ООО «Ромашка»')).toEqual([
        'Открыть компанию',
        'Редактировать',
        'Пригласить владельца',
        'Удалить',
      ]);
    });
  });
}
