import { expect } from '@playwright/test';
import { useLink } from '@propusk/contract/auth';
import { listPolicies } from '@propusk/contract/policies';
import { createSite } from '@propusk/contract/sites';
import { companyUsers } from '@propusk/contract/users';
import { type Inbox, openInbox } from '@propusk/test-kit/api/inbox';
import {
  choose,
  dialogOf,
  enter,
  field,
  heading,
  PASSWORD,
  row,
  startConsole,
  stored,
  test,
} from '../support/console.ts';

/** An owner invites agents by mail, and the agents set their passwords themselves. */
const users = '/dashboard/creator/users';

test.describe('with a mail server', () => {
  let inbox: Inbox;
  let owner: string;
  test.beforeAll(async () => {
    inbox = await openInbox();
  });
  test.afterAll(() => inbox.close());
  const product = startConsole(
    async (console) => {
      owner = await console.owner('owner@romashka.test');
    },
    () => ({ SMTP_URL: inbox.url }),
  );

  test('an owner invites pasted addresses with a new policy, and an invited agent sets a password', async ({
    page,
    browser,
  }) => {
    await enter(page, product.url + users, owner);
    await page.getByRole('button', { name: 'Пригласить по почте' }).click();
    const dialog = dialogOf(page);
    const addresses = field(dialog, 'Почта сотрудников');
    const submit = dialog.getByRole('button', { name: 'Пригласить', exact: true });
    await addresses.fill('anna@romashka.test, petr');
    await addresses.blur();
    await expect(dialog.getByText(/^petr: /)).toBeVisible();
    await expect(submit).toBeDisabled();
    await addresses.fill('Анна <anna@romashka.test>; petr@romashka.test\nowner@romashka.test');
    const policies = dialog.getByRole('combobox', { name: 'Политики доступа' });
    await policies.fill('Отдел продаж');
    await policies.press('Enter');
    await expect(dialog.getByText('Отдел продаж', { exact: true })).toBeVisible();
    await submit.click();
    await expect(dialog.getByText('Уже есть в «Пропуске»: owner@romashka.test')).toBeVisible();
    await addresses.fill('Анна <anna@romashka.test>; petr@romashka.test');
    await submit.click();
    await expect(dialog).toHaveCount(0);
    await expect(page.getByText('Отправлено: 2 приглашения')).toBeVisible();
    const anna = row(page, /anna@romashka\.test/);
    await expect(anna.getByText(/^Приглашение до \d\d\.\d\d\.\d{4}$/)).toBeVisible();
    await expect(anna.getByText('Отдел продаж')).toBeVisible();
    const [policy] = (await product.call(owner, listPolicies)).rows;
    const site = { address: 'crm.romashka.test', politics: [policy?.id ?? 0] };
    await product.call(owner, createSite, { body: site });

    const mail = await inbox.take('anna@romashka.test');
    const link = /https?:\/\/\S+#\S+/.exec(mail.text)?.[0] ?? '';
    const agent = await (await browser.newContext()).newPage();
    await agent.goto(link);
    await expect(heading(agent, 'Добро пожаловать в «Пропуск»')).toBeVisible();
    await expect(agent.getByText('Компания «ООО „Ромашка“» открывает вам свои сайты')).toBeVisible();
    await agent.getByLabel('Новый пароль', { exact: true }).fill(PASSWORD);
    await agent.getByLabel('Повторите пароль', { exact: true }).fill(PASSWORD);
    // A name is required, so that nobody is shown as «No name».
    await expect(agent.getByRole('button', { name: 'Задать пароль и войти' })).toBeDisabled();
    await field(agent.locator('form'), 'Имя').fill('Анна');
    await field(agent.locator('form'), 'Фамилия').fill('Петрова');
    // From the mail, two clicks lead to the installation of the extension: the link and this button.
    await agent.getByRole('button', { name: 'Задать пароль и войти' }).click();
    await expect(heading(agent, 'Шаг 1 из 2: установите расширение')).toBeVisible();
    await agent.goto(`${product.url}/dashboard`);
    await expect(heading(agent, 'Сайты')).toBeVisible();
    await expect(
      agent.getByRole('dialog').getByRole('link', { name: 'Установить расширение' }),
    ).toBeVisible();
    await agent.getByRole('button', { name: 'Understood!' }).click();
    await expect(agent.getByRole('banner').getByText('Анна Петрова')).toBeVisible();
    await expect(agent.getByRole('link', { name: 'crm.romashka.test' })).toHaveAttribute(
      'href',
      'https://crm.romashka.test/',
    );
    await agent.getByRole('link', { name: 'Нужно расширение' }).click();
    await expect(heading(agent, 'Шаг 1 из 2: установите расширение')).toBeVisible();
    await agent.goBack();
    await expect(heading(agent, 'Сайты')).toBeVisible();
    expect(new URL(agent.url()).pathname).toBe('/dashboard/user/domains');
    expect(await stored(agent, 'access_token')).not.toBeNull();

    await agent.goto('about:blank');
    await agent.goto(link);
    await expect(heading(agent, 'Ссылка не действует')).toBeVisible();
    // The form warns when the browser is signed in to another account.
    const second = /https?:\/\/\S+#\S+/.exec((await inbox.take('petr@romashka.test')).text)?.[0] ?? '';
    await agent.goto(second);
    await expect(agent.getByText('В этом браузере уже выполнен вход')).toBeVisible();
    const before = await stored(agent, 'access_token');
    await field(agent.locator('form'), 'Имя').fill('Пётр');
    await agent.getByLabel('Новый пароль', { exact: true }).fill(PASSWORD);
    await agent.getByLabel('Повторите пароль', { exact: true }).fill(PASSWORD);
    await agent.getByRole('button', { name: 'Задать пароль и войти' }).click();
    await expect(heading(agent, 'Шаг 1 из 2: установите расширение')).toBeVisible();
    const answer = await fetch(`${product.url}/api/me`, { headers: { authorization: `Bearer ${before}` } });
    expect(answer.status).toBe(401);
    await agent.goto(link);
    await expect(agent.locator('input[type=password]')).toHaveCount(0);
    await agent.context().close();
    await page.reload();
    await expect(anna).toContainText('Анна Петрова');
    await expect(anna.getByText(/^Приглашение/)).toHaveCount(0);
    expect((await product.call(owner, listPolicies)).rows.map(({ name }) => name)).toEqual(['Отдел продаж']);
  });
});

test.describe('without a mail server', () => {
  let owner: string;
  const product = startConsole(async (console) => {
    owner = await console.owner('owner@lutik.test');
  });

  test('invitation links are shown to the owner; a replaced or withdrawn link no longer works', async ({
    page,
    browser,
  }) => {
    await enter(page, product.url + users, owner);
    await page.getByRole('button', { name: 'Пригласить по почте' }).click();
    await field(dialogOf(page), 'Почта сотрудников').fill('anna@lutik.test petr@lutik.test');
    await dialogOf(page).getByRole('button', { name: 'Пригласить', exact: true }).click();
    const shown = page.getByRole('dialog', { name: 'Ссылки приглашённых' });
    await expect(shown.getByText('Отправка писем на сервере не настроена')).toBeVisible();
    const first = await shown.getByLabel('anna@lutik.test', { exact: true }).inputValue();
    const petrs = await shown.getByLabel('petr@lutik.test', { exact: true }).inputValue();
    const petrsToken = new URLSearchParams(new URL(petrs).hash.slice(1)).get('token') ?? '';
    await shown.getByRole('button', { name: 'Закрыть' }).last().click();

    await choose(page, /anna@lutik\.test/, 'Пригласить ещё раз');
    const second = await shown.getByLabel('anna@lutik.test', { exact: true }).inputValue();
    expect(second).not.toBe(first);
    await shown.getByRole('button', { name: 'Закрыть' }).last().click();
    await expect(shown).toHaveCount(0);
    const visitor = await (await browser.newContext()).newPage();
    await visitor.goto(first);
    await expect(heading(visitor, 'Ссылка не действует')).toBeVisible();

    await choose(page, /anna@lutik\.test/, 'Отозвать приглашение');
    await expect(dialogOf(page)).toContainText('Ссылка перестанет действовать');
    await dialogOf(page).getByRole('button', { name: 'Да', exact: true }).click();
    await expect(page.getByText('Приглашение отозвано')).toBeVisible();
    await expect(row(page, /anna@lutik\.test/)).toHaveCount(0);
    // Petr joins while the list still shows the invitation: withdrawing the invitation must not delete Petr.
    await expect(row(page, /petr@lutik\.test/)).toBeVisible();
    await product.call(null, useLink, { body: { token: petrsToken, password: PASSWORD } });
    await choose(page, /petr@lutik\.test/, 'Отозвать приглашение');
    await dialogOf(page).getByRole('button', { name: 'Да', exact: true }).click();
    await expect(dialogOf(page).getByRole('alert')).toBeVisible();
    await dialogOf(page).getByRole('button', { name: 'Нет', exact: true }).click();
    await expect(row(page, /petr@lutik\.test/).getByText(/^Приглашение/)).toHaveCount(0);
    await visitor.goto('about:blank');
    await visitor.goto(second);
    await expect(heading(visitor, 'Ссылка не действует')).toBeVisible();
    await visitor.context().close();
    const { rows } = await product.call(owner, companyUsers);
    expect(rows.map(({ email }) => email)).toEqual(['owner@lutik.test', 'petr@lutik.test']);
  });
});
