import { expect, type Page } from '@playwright/test';
import type { Scenario } from './scenarios.ts';

// The second factor in every state. No account enables it: every server reply is stubbed.
const personal = '/dashboard/user/personal-data';
const secret = {
  secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  uri: 'otpauth://totp/Propusk:anna@romashka.test?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
};
const codes = { codes: Array.from({ length: 10 }, (_, i) => `7K3M-Q9XT-2HVD-W5P${i}`) };
const password = 'correct horse';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const card = (page: Page) => page.locator('#second-factor');

/** Stubs the state of the second factor. */
const factorIs = (on: boolean, recoveryCodes: number, then: (page: Page) => Promise<void> = async () => {}) =>
  answering(
    '**/api/me/second-factor',
    { on, since: on ? '2026-03-02T09:30:00.000Z' : null, recoveryCodes },
    then,
  );

function answering(call: string, json: unknown, then: (page: Page) => Promise<void>) {
  return async (page: Page) => {
    await page.route(call, (route) =>
      route.request().method() === 'GET' ? route.fulfill({ json }) : route.fulfill({ json: secret }),
    );
    await page.reload();
    // The card replaces its skeleton.
    await card(page).getByRole('button').first().scrollIntoViewIfNeeded();
    await then(page);
  };
}

const begin = async (page: Page) => {
  await button(page, 'Включить второй фактор').click();
  await card(page).getByLabel('Текущий пароль').fill(password);
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
  await expect(page.getByRole('heading', { level: 1, name: 'Подтвердите вход' })).toBeVisible();
};
/** The company requires a second factor that the user does not have. */
const led = async (page: Page) => {
  await page.route('**/api/me', async (route) => {
    const answer = await route.fetch();
    const me = (await answer.json()) as { company: object };
    await route.fulfill({ json: { ...me, company: { ...me.company, secondFactorRequired: true } } });
  });
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'Включите второй фактор' })).toBeVisible();
};
const failed = async (page: Page) => {
  await page.route('**/api/me/second-factor', (route) => route.fulfill({ status: 500, body: '' }));
  await page.reload();
  await card(page).getByRole('button', { name: 'Повторить' }).scrollIntoViewIfNeeded();
};

/** Every screen and state of the second factor. */
export const factorScenarios: readonly Scenario[] = [
  { name: 'login-code', role: 'nobody', path: '/auth/login', open: askedForCode },
  { name: 'factor-off', role: 'agent', path: personal, open: factorIs(false, 0) },
  { name: 'factor-password', role: 'agent', path: personal, open: factorIs(false, 0, begin) },
  { name: 'factor-scan', role: 'agent', path: personal, open: factorIs(false, 0, scan) },
  { name: 'factor-wrong-code', role: 'agent', path: personal, open: factorIs(false, 0, refused) },
  { name: 'factor-codes', role: 'agent', path: personal, open: factorIs(false, 0, keep) },
  { name: 'factor-on', role: 'agent', path: personal, open: factorIs(true, 10) },
  { name: 'factor-few-codes', role: 'agent', path: personal, open: factorIs(true, 2) },
  {
    name: 'factor-turn-off',
    role: 'agent',
    path: personal,
    open: factorIs(true, 10, (page) => button(page, 'Выключить').click()),
  },
  { name: 'factor-failed', role: 'agent', path: personal, open: failed },
  { name: 'factor-required', role: 'agent', path: personal, open: led },
];
