import { expect, type Page } from '@playwright/test';
import { changing, failing, loaded, type Scenario, type Steps, states, titled } from './scenario.ts';

// Page states of the second factor for the tour and axe. Every server reply is stubbed.
const secret = {
  secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  uri: 'otpauth://totp/Propusk:anna@romashka.test?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
};
const codes = { codes: Array.from({ length: 10 }, (_, i) => `7K3M-Q9XT-2HVD-W5P${i}`) };
const password = 'correct horse';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const card = (page: Page) => page.locator('#second-factor');

/** Stubs the state of the second factor, and the reply that begins an enrolment. */
const factorIs =
  (on: boolean, recoveryCodes: number, then: Steps = loaded): Steps =>
  async (page) => {
    const state = { on, since: on ? '2026-03-02T09:30:00.000Z' : null, recoveryCodes };
    await page.route('**/api/me/second-factor', (route) =>
      route.fulfill({ json: route.request().method() === 'GET' ? state : secret }),
    );
    await page.reload();
    // Wait until the card has replaced its skeleton.
    await card(page).getByRole('button').first().scrollIntoViewIfNeeded();
    await then(page);
  };

const begin = async (page: Page) => {
  await button(page, 'Включить второй фактор').click();
  await card(page)
    .getByLabel(/^Текущий пароль/)
    .fill(password);
};
const scan = async (page: Page) => {
  await begin(page);
  await button(page, 'Продолжить').click();
  await expect(page.getByRole('img', { name: 'QR-код для приложения' })).toBeVisible();
};
const keep = async (page: Page) => {
  await page.route('**/api/me/second-factor/confirm', (route) => route.fulfill({ json: codes }));
  await scan(page);
  await page.getByRole('textbox', { name: 'Код из приложения' }).fill('287082');
  await button(page, 'Включить').click();
  await expect(page.getByText('Сохраните запасные коды')).toBeVisible();
};
const refused = async (page: Page) => {
  await page.route('**/api/me/second-factor/confirm', (route) =>
    route.fulfill({
      status: 400,
      json: { code: 'bad_input', message: 'Проверьте введённые данные', fields: { code: 'Код не подошёл' } },
    }),
  );
  await scan(page);
  await page.getByRole('textbox', { name: 'Код из приложения' }).fill('000000');
  await button(page, 'Включить').click();
  await expect(card(page).getByRole('alert')).toBeVisible();
};
const askedForCode = async (page: Page) => {
  await page.route('**/api/auth/login', (route) =>
    route.fulfill({ status: 401, json: { code: 'second_factor_needed', message: 'Введите код' } }),
  );
  await page.getByRole('textbox', { name: 'Почта' }).fill('anna@romashka.test');
  await page.getByRole('textbox', { name: 'Пароль' }).fill(password);
  await button(page, 'Войти').click();
  await titled('Подтвердите вход')(page);
};

export const factorScenarios: readonly Scenario[] = [
  ...states('nobody', '/auth/login', { 'login-code': askedForCode }),
  ...states('agent', '/dashboard/user/personal-data', {
    'factor-off': factorIs(false, 0),
    'factor-password': factorIs(false, 0, begin),
    'factor-scan': factorIs(false, 0, scan),
    'factor-wrong-code': factorIs(false, 0, refused),
    'factor-codes': factorIs(false, 0, keep),
    'factor-on': factorIs(true, 10),
    'factor-few-codes': factorIs(true, 2),
    'factor-turn-off': factorIs(true, 10, (page) => button(page, 'Выключить').click()),
    'factor-failed': failing('**/api/me/second-factor', (page) =>
      card(page).getByRole('button', { name: 'Повторить' }).scrollIntoViewIfNeeded(),
    ),
    // The company requires a second factor that the user does not have.
    'factor-required': changing(
      '**/api/me',
      (me) => ({ ...me, company: { ...me.company, secondFactorRequired: true } }),
      titled('Включите второй фактор'),
    ),
  }),
];
