import { expect, type Page } from '@playwright/test';
import { createPolicy, listPolicies } from '@propusk/contract/policies';
import { createSite, listSites } from '@propusk/contract/sites';
import { companyUsers } from '@propusk/contract/users';
import {
  choose,
  dialogOf,
  enter,
  field,
  heading,
  row,
  saveOf,
  screens,
  screensOf,
  startConsole,
  test,
} from '../support/console.ts';

/** An owner creates missing sites and users inside the dialog that needs them. */
let owner: string;
let crm: number;
const product = startConsole(
  async (console) => {
    owner = await console.owner('owner@romashka.test');
    await console.agent(owner, 'anna@romashka.test');
    crm = (await console.call(owner, createSite, { body: { address: 'crm.romashka.test' } })).id;
  },
  (ports) => ({
    GATEWAY_EGRESS: '127.0.0.2',
    GATEWAY_HOSTS: 'console.test=127.0.0.1',
    GATEWAY_ALLOW_NETWORKS: '127.0.0.0/8',
    // ECHO_URL needs a host name, because the gateway denies IP addresses as hosts.
    ECHO_URL: `http://console.test:${ports.console}`,
  }),
);

/** Counts the clicks and taps on a page, and the dialogs that have opened. A modal that shows another dialog counts once. */
async function countSteps(page: Page): Promise<{ clicks: number; dialogs: number }> {
  const counted = { clicks: 0, dialogs: 0 };
  await page.exposeFunction('countStep', (step: keyof typeof counted) => counted[step]++);
  await page.addInitScript(`
    addEventListener('pointerdown', () => { void window.countStep('clicks'); }, { capture: true });
    const opened = new WeakSet();
    new MutationObserver(() => {
      for (const dialog of document.querySelectorAll('[role$=dialog]')) {
        if (!opened.has(dialog)) void window.countStep('dialogs');
        opened.add(dialog);
      }
    }).observe(document, { childList: true, subtree: true });`);
  return counted;
}

/** The button that discards the input of a dialog. */
const question = (page: Page) =>
  page
    .getByRole('dialog', { name: /^Закрыть и потерять|^Уйти со страницы/ })
    .getByRole('button', { name: 'Закрыть' });

for (const [screen, viewport] of screensOf(import.meta.url)) {
  test.describe(screen, () => {
    test.use({ viewport });

    test('after the registration, a new owner needs at most 9 clicks and 3 dialogs to see the lock lines of a site and to invite an agent', async ({
      page,
    }) => {
      const counted = await countSteps(page);
      await enter(page, `${product.url}/auth/register`, null, {});
      const form = page.getByRole('main');
      await field(form, 'Имя').fill('Иван');
      await field(form, 'Название компании').fill('ООО «Лютик»');
      await field(form, 'Сайт компании').fill('lutik.test');
      await field(form, 'Почта').fill(`ivan-${screen}@lutik.test`);
      await form.getByLabel(/^Пароль/).fill('correct horse');
      await form.getByLabel(/^Повторите пароль/).fill('correct horse');
      await form.getByRole('checkbox').check();
      await form.getByRole('button', { name: 'Зарегистрироваться' }).click();
      await page.getByRole('button', { name: 'Understood!' }).click();

      await page.getByRole('button', { name: 'Указать адрес сайта' }).click();
      const address = `crm-${screen}.lutik.test`;
      const dialog = dialogOf(page);
      await field(dialog, 'Адрес').fill(address);
      // The new company has no policy, so the form offers to open the site to its owner.
      await expect(
        dialog.getByText(`откроет сайт новая политика «${address}»`, { exact: false }),
      ).toBeVisible();
      await saveOf(dialog).click();
      const lines = dialog.getByRole('region', { name: 'Строки замка' }).locator('pre');
      await expect(lines).toContainText('Require ip 127.0.0.2');
      await expect(dialog).toHaveAccessibleName(`Замок: ${address}`);
      expect(new URL(page.url()).pathname).toMatch(/^\/dashboard\/creator\/domains\/\d+\/lock$/);
      await dialog.getByRole('button', { name: 'Закрыть', exact: true }).click();
      await expect(dialog).toHaveCount(0);

      const steps = page.getByRole('region', { name: 'Первые шаги' });
      await expect(steps.getByText('2 из 6')).toBeVisible();
      await steps.getByRole('button', { name: 'Пригласить агента' }).click();
      await expect(field(dialog, 'Почта сотрудников')).toBeFocused();
      await field(dialog, 'Почта сотрудников').fill(`anna-${screen}@lutik.test`);
      // The company has only one policy, so the form preselects it.
      await expect(dialog.getByRole('combobox', { name: 'Политики доступа' }).locator('..')).toContainText(
        address,
      );
      await dialog.getByRole('button', { name: 'Пригласить', exact: true }).click();
      await expect(page.getByRole('dialog', { name: 'Ссылки приглашённых' })).toBeVisible();
      test.info().annotations.push({ type: 'steps', description: JSON.stringify(counted) });
      expect(counted.clicks).toBeLessThanOrEqual(9);
      expect(counted.dialogs).toBeLessThanOrEqual(3);
    });

    test('after a new site is saved, a reload still shows its lock, and Back closes the dialog', async ({
      page,
    }) => {
      const fresh = await product.owner(`reload-${screen}@lutik.test`);
      await enter(page, `${product.url}/dashboard/creator/domains`, fresh);
      await page.getByRole('button', { name: 'Добавить', exact: true }).first().click();
      const dialog = dialogOf(page);
      await field(dialog, 'Адрес').fill('crm.reload.test');
      await saveOf(dialog).click();
      await expect(dialog).toHaveAccessibleName('Замок: crm.reload.test');
      await expect(dialog).toBeFocused();
      await page.reload();
      await expect(dialog).toHaveAccessibleName('Замок: crm.reload.test');
      await page.goBack();
      await expect(dialog).toHaveCount(0);
      await expect(row(page, 'crm.reload.test')).toBeVisible();
    });

    test('a dialog that is closed without a save deletes the policy or site that was created inside it', async ({
      page,
    }) => {
      const fresh = await product.owner(`cancel-${screen}@lutik.test`);
      await enter(page, `${product.url}/dashboard/creator/users`, fresh);
      await page.getByRole('button', { name: 'Добавить', exact: true }).click();
      const dialog = dialogOf(page);
      await dialog.getByRole('combobox', { name: 'Политики доступа' }).fill('Бухгалтерия');
      await page.getByRole('option', { name: 'Создать политику «Бухгалтерия»' }).click();
      await expect(dialog.getByText('Бухгалтерия', { exact: true })).toBeVisible();
      expect((await product.call(fresh, listPolicies)).count).toBe(1);
      await page.keyboard.press('Tab');
      await dialog.getByRole('button', { name: 'Отмена' }).click();
      await question(page).click();
      await expect(dialog).toHaveCount(0);
      await expect.poll(async () => (await product.call(fresh, listPolicies)).count).toBe(0);

      await page.goto(`${product.url}/dashboard/creator/politics`);
      await page.getByRole('button', { name: 'Добавить', exact: true }).first().click();
      await dialog.getByRole('combobox', { name: 'Сайты' }).fill('wiki.cancel.test');
      await page.getByRole('option', { name: 'Добавить сайт «wiki.cancel.test»' }).click();
      await expect(dialog.getByText('wiki.cancel.test', { exact: true })).toBeVisible();
      expect((await product.call(fresh, listSites)).count).toBe(1);
      await page.goBack();
      await question(page).click();
      await expect(dialog).toHaveCount(0);
      await expect.poll(async () => (await product.call(fresh, listSites)).count).toBe(0);

      // A new site and its new policy are one call, so a form that is left has created neither.
      await page.goto(`${product.url}/dashboard/creator/domains/new`);
      await field(dialog, 'Адрес').fill('crm.cancel.test');
      await dialog.getByRole('combobox', { name: 'Кому открыть' }).fill('Склад');
      await page.getByRole('option', { name: 'Создать политику «Склад»' }).click();
      await expect(dialog.getByText('Склад', { exact: true })).toBeVisible();
      expect((await product.call(fresh, listPolicies)).count).toBe(0);
      await page.keyboard.press('Tab');
      await saveOf(dialog).click();
      await expect(dialog).toHaveAccessibleName('Замок: crm.cancel.test');
      const { rows } = await product.call(fresh, listPolicies);
      expect(rows).toMatchObject([{ name: 'Склад', sites: [{ name: 'crm.cancel.test' }], users: [{}] }]);
    });

    test('the policy dialog preselects the gateway, offers the sites, and creates a new site by its address', async ({
      page,
    }) => {
      await enter(page, `${product.url}/dashboard/creator/politics`, owner);
      await page.getByRole('button', { name: 'Добавить', exact: true }).first().click();
      const dialog = dialogOf(page);
      await expect(field(dialog, 'Прокси')).toHaveValue(/шлюз/i);
      await expect(dialog.getByText('Ничего подключать не нужно')).toBeVisible();
      await field(dialog, 'Название').fill(`Отдел ${screen}`);
      const sites = dialog.getByRole('combobox', { name: 'Сайты' });
      await sites.click();
      await page.getByRole('option', { name: 'crm.romashka.test' }).click();
      await sites.fill('не адрес');
      await page.getByRole('option', { name: 'Добавить сайт «не адрес»' }).click();
      await expect(dialog.getByText('Укажите адрес сайта, например crm.example.ru')).toBeVisible();
      await sites.fill(`wiki-${screen}.romashka.test`);
      await page.getByRole('option', { name: `Добавить сайт «wiki-${screen}.romashka.test»` }).click();
      await expect(dialog.getByText(`wiki-${screen}.romashka.test`, { exact: true })).toBeVisible();
      await page.keyboard.press('Tab');
      await saveOf(dialog).click();
      await expect(dialog).toHaveCount(0);
      const made = row(page, new RegExp(`Отдел ${screen}`));
      await expect(made).toContainText('2 сайта');
      await expect(made.getByRole('button', { name: '2 сайта' })).toHaveAttribute(
        'title',
        /crm\.romashka\.test/,
      );
      const { rows } = await product.call(owner, listPolicies);
      const policy = rows.find(({ name }) => name === `Отдел ${screen}`);
      expect(policy?.sites.map(({ name }) => name)).toEqual([
        'crm.romashka.test',
        `wiki-${screen}.romashka.test`,
      ]);
    });

    test('an owner removes a site from a policy in the policy dialog', async ({ page }) => {
      const name = `Правка ${screen}`;
      await product.call(owner, createPolicy, { body: { name, proxyId: 1, sites: [crm] } });
      await enter(page, `${product.url}/dashboard/creator/politics`, owner);
      await expect(heading(page, 'Политики доступа')).toBeVisible();
      await choose(page, new RegExp(name), 'Редактировать');
      const dialog = dialogOf(page);
      await dialog.getByRole('combobox', { name: 'Сайты' }).click();
      await page.getByRole('option', { name: 'crm.romashka.test' }).click();
      await page.keyboard.press('Tab');
      await saveOf(dialog).click();
      await expect(dialog).toHaveCount(0);
      await expect(row(page, new RegExp(name))).toContainText('0 сайтов');
      const { rows } = await product.call(owner, listSites);
      const site = rows.find(({ id }) => id === crm);
      expect(site?.politics.some((politic) => politic.name === name)).toBe(false);
    });
  });
}

test('Enter in the policy select picks the exact match, else the first match, else the offered new policy', async ({
  page,
}) => {
  for (const name of ['Склад и доставка', 'Склад']) {
    await product.call(owner, createPolicy, { body: { name, proxyId: 1 } });
  }
  await enter(page, `${product.url}/dashboard/creator/domains`, owner);
  for (const [address, typed, taken, settles] of [
    ['exact.romashka.test', 'склад', 'Склад', true],
    ['quick.romashka.test', 'склад', 'Склад', false],
    ['first.romashka.test', 'доставк', 'Склад и доставка', true],
    ['new.romashka.test', 'Отдел кадров', 'Отдел кадров', true],
    ['new-quick.romashka.test', 'Отдел закупок', 'Отдел закупок', false],
  ] as const) {
    await page.getByRole('button', { name: 'Добавить', exact: true }).first().click();
    const dialog = dialogOf(page);
    await field(dialog, 'Адрес').fill(address);
    const select = dialog.getByRole('combobox', { name: 'Кому открыть' });
    await select.fill(typed);
    if (settles) await expect(page.locator('[data-combobox-selected]')).toContainText(taken);
    await select.press('Enter');
    await expect(dialog.getByText(taken, { exact: true })).toBeVisible();
    await select.press('Enter');
    await expect(dialog).toHaveAccessibleName(`Замок: ${address}`);
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    const { rows } = await product.call(owner, listSites);
    expect(rows.find((site) => site.address === address)?.politics.map(({ name }) => name)).toEqual([taken]);
  }
});

test('Enter in the policy select toggles an option and keeps the search text', async ({ page }) => {
  for (const name of ['Цех А', 'Цех Б', 'Цех В']) {
    await product.call(owner, createPolicy, { body: { name, proxyId: 1 } });
  }
  await enter(page, `${product.url}/dashboard/creator/users`, owner);
  await page.getByRole('button', { name: 'Добавить', exact: true }).first().click();
  const dialog = dialogOf(page);
  const select = dialog.getByRole('combobox', { name: 'Политики доступа' });
  const picked = dialog.locator('.mantine-Pill-label');
  const options = page.getByRole('option');
  const active = page.locator('[role=option][data-combobox-selected]');
  await select.fill('цех');
  await expect(options).toHaveText(['Цех А', 'Цех Б', 'Цех В', 'Создать политику «цех»']);
  await expect(active).toHaveText('Цех А');
  await select.press('Enter');
  await expect(picked).toHaveText(['Цех А']);
  // The search text stays. A list that Arrow Down opens starts at the first option that is not picked.
  await expect(select).toHaveValue('цех');
  await expect(options).toHaveCount(0);
  await select.press('ArrowDown');
  await expect(options).toHaveCount(4);
  await expect(options.first()).toHaveAttribute('aria-selected', 'true');
  await expect(active).toHaveText('Цех Б');
  await expect(select).toHaveAttribute('aria-activedescendant', (await active.getAttribute('id')) ?? '');
  await select.press('Enter');
  await expect(picked).toHaveText(['Цех А', 'Цех Б']);
  // Another Enter would save the form. Arrow Down goes on to the next option.
  await expect(active).toHaveCount(0);
  await select.press('ArrowDown');
  await expect(active).toHaveText('Цех В');
  await select.press('Enter');
  await expect(picked).toHaveText(['Цех А', 'Цех Б', 'Цех В']);
  // Once every match is picked, Enter does not create a policy.
  await page.keyboard.type('цех');
  await expect(options).toHaveCount(4);
  await expect(active).toHaveCount(0);
  await select.press('Enter');
  await expect(picked).toHaveText(['Цех А', 'Цех Б', 'Цех В']);
  await select.press('ArrowDown');
  await options.getByText('Цех А').click();
  await expect(picked).toHaveText(['Цех Б', 'Цех В']);
  await select.press('ArrowUp');
  await select.press('ArrowUp');
  await expect(active).toHaveText('Цех В');
  await select.press('Enter');
  await expect(picked).toHaveText(['Цех Б']);
  // The list opens below its field.
  const [list, input] = [await page.getByRole('listbox').boundingBox(), await select.boundingBox()];
  expect(list?.y).toBeGreaterThan((input?.y ?? 0) + (input?.height ?? 0));
});

test('a form cannot be saved while a select holds text that matches no picked option', async ({ page }) => {
  await enter(page, `${product.url}/dashboard/creator/domains`, owner);
  await page.getByRole('button', { name: 'Добавить', exact: true }).first().click();
  const dialog = dialogOf(page);
  await field(dialog, 'Адрес').fill('typed.romashka.test');
  const select = dialog.getByRole('combobox', { name: 'Кому открыть' });
  await select.fill('Отдел прод');
  await select.press('Tab');
  await expect(dialog.getByText('«Отдел прод» ещё не выбрано')).toBeVisible();
  await expect(select).toHaveValue('Отдел прод');
  await expect(saveOf(dialog)).toBeDisabled();
  await select.fill('');
  await expect(saveOf(dialog)).toBeEnabled();
  await field(dialog, 'Адрес').fill('');
  await select.fill('Отдел прод');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(page.getByText('Закрыть и потерять введённое?')).toBeVisible();
});

for (const [screen, viewport] of screens) {
  test(`on a ${screen} Tab closes the policy list that covers Save, and a click on Save adds the user`, async ({
    page,
  }) => {
    await page.setViewportSize(viewport);
    const policy = `Приёмная ${screen}`;
    for (const name of [policy, 'Архив', 'Бухгалтерия', 'Касса', 'Логистика', 'Охрана']) {
      await product.call(owner, createPolicy, { body: { name, proxyId: 1 } });
    }
    await enter(page, `${product.url}/dashboard/creator/users`, owner);
    await page.getByRole('button', { name: 'Добавить', exact: true }).first().click();
    const dialog = dialogOf(page);
    const email = `list-${screen}@romashka.test`;
    await field(dialog, 'Почта').fill(email);
    await field(dialog, 'Пароль').fill('correct horse');
    await dialog.getByRole('combobox', { name: 'Политики доступа' }).click();
    await page.getByRole('option', { name: policy }).click();
    await expect(dialog.getByText(policy, { exact: true })).toBeVisible();
    await page.keyboard.press('Tab');
    await saveOf(dialog).click();
    await expect(dialog).toHaveCount(0);
    const { rows } = await product.call(owner, companyUsers);
    expect(rows.find((user) => user.email === email)?.politics.map(({ name }) => name)).toEqual([policy]);
  });
}

test('the row of a site with 60 policies is at most 64 pixels high and names hidden policies in a tooltip', async ({
  page,
}) => {
  const politics: number[] = [];
  for (let n = 1; n <= 60; n++) {
    const body = { name: `Политика с длинным названием ${n}`, proxyId: 1 };
    politics.push((await product.call(owner, createPolicy, { body })).id);
  }
  await product.call(owner, createSite, { body: { address: 'many.romashka.test', politics } });
  await enter(page, `${product.url}/dashboard/creator/domains`, owner);
  const many = row(page, /many\.romashka\.test/);
  await expect(many.getByText('+57')).toHaveAttribute('title', /Политика с длинным названием 60|\+37/);
  expect((await many.boundingBox())?.height).toBeLessThanOrEqual(64);
});

test('the policy dialog creates a missing user in a second dialog on top, and keeps the values typed so far', async ({
  page,
}) => {
  await enter(page, `${product.url}/dashboard/creator/politics`, owner);
  await page.getByRole('button', { name: 'Добавить', exact: true }).first().click();
  const policy = page.getByRole('dialog', { name: /политик/i });
  await field(policy, 'Название').fill('Новая политика');
  await policy.getByRole('combobox', { name: 'Пользователи' }).click();
  await policy.getByRole('combobox', { name: 'Пользователи' }).fill('nina@romashka.test');
  await page.getByRole('option', { name: 'Добавить пользователя «nina@romashka.test»' }).click();
  const person = page.getByRole('dialog', { name: /пользовател/i });
  await expect(field(person, 'Почта')).toHaveValue('nina@romashka.test');
  // Escape closes only the upper dialog.
  await page.keyboard.press('Escape');
  await expect(person).toHaveCount(0);
  await expect(field(policy, 'Название')).toHaveValue('Новая политика');

  // The select keeps the typed text.
  await policy.getByRole('combobox', { name: 'Пользователи' }).press('Enter');
  await field(person, 'Пароль').fill('correct horse');
  await person.getByRole('button', { name: 'Сохранить' }).click();
  await expect(person).toHaveCount(0);
  await expect(policy.getByText('nina@romashka.test')).toBeVisible();
  await policy.getByRole('button', { name: 'Сохранить' }).click();
  await expect(policy).toHaveCount(0);
  const { rows } = await product.call(owner, listPolicies);
  const created = rows.find(({ name }) => name === 'Новая политика');
  expect(created?.users).toHaveLength(1);
});

test('the dialog of a policy with 500 users shows Save on a desktop and on a phone', async ({ page }) => {
  test.slow();
  const big = await product.owner('owner@big.test');
  const { id } = await product.call(big, createPolicy, { body: { name: 'Весь отдел', proxyId: 1 } });
  const company = `(select company_id from policies where id = ${id})`;
  await product.sql(`insert into users (company_id, name, surname, email, roles, password_hash)
    select ${company}, 'Имя' || n, 'Фамилия', 'person' || n || '@big.test', '{USER}', 'none' from generate_series(1, 500) n`);
  await product.sql(`insert into policy_users (company_id, policy_id, user_id)
    select company_id, ${id}, id from users where email like 'person%@big.test'`);
  for (const [, viewport] of screens) {
    await page.setViewportSize(viewport);
    await enter(page, `${product.url}/dashboard/creator/politics`, big);
    const line = row(page, 'Весь отдел');
    await expect(line.getByText('500 пользователей')).toBeVisible();
    await choose(page, 'Весь отдел', 'Редактировать');
    const dialog = dialogOf(page);
    const save = saveOf(dialog);
    await expect(field(dialog, 'Название')).toHaveValue('Весь отдел');
    await expect(save).toBeInViewport();
    // The dialog still works: a change is saved.
    await field(dialog, 'Описание').fill(`Ширина ${viewport.width}`);
    await save.click();
    await expect(dialog).toHaveCount(0);
    await expect(line.getByText(`Ширина ${viewport.width}`)).toBeVisible();
  }
});
