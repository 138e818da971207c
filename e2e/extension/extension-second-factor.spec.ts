import { rm } from 'node:fs/promises';
import { expect, type Page, test } from '@playwright/test';
import { updateMyCompany } from '@propusk/contract/companies';
import { confirmSecondFactor, startSecondFactor } from '@propusk/contract/second-factor';
import { createUser } from '@propusk/contract/users';
import { appCode } from '@propusk/test-kit/api/app-code';
import { type ExtensionBrowser, launchWithExtension } from '../support/extension-browser.ts';
import { startWorldOnce } from '../support/extension-world.ts';

/**
 * The extension's popup and the second factor: a sign-in with a code, and a company that requires the
 * factor.
 */
const world = startWorldOnce();
let browser: ExtensionBrowser;

test.describe.configure({ mode: 'serial' });
test.beforeAll(async () => {
  browser = await launchWithExtension();
});
test.afterAll(async () => {
  await browser?.context.close();
  if (browser !== undefined) await rm(browser.profile, { recursive: true, force: true });
});

async function enrol(token: string): Promise<string> {
  const { call, agent } = world();
  const { secret } = await call(token, startSecondFactor, { body: { currentPassword: agent.password } });
  await call(token, confirmSecondFactor, { body: { code: appCode(secret) } });
  return secret;
}

async function signIn(popup: Page, email: string): Promise<void> {
  await popup.getByLabel('Адрес консоли').fill(world().product.consoleUrl);
  await popup.getByLabel('Почта').fill(email);
  await popup.getByLabel('Пароль').fill(world().agent.password);
  await popup.getByRole('button', { name: 'Войти' }).click();
}

test("the popup asks for the second factor's code after the password, and keeps the typed values", async () => {
  const { agent } = world();
  const secret = await enrol(await world().signIn());
  const popup = await browser.context.newPage();
  await popup.goto(`${browser.home}/popup.html`);
  await signIn(popup, agent.email);
  await expect(popup.getByText('Пароль верный')).toBeVisible();
  await expect(popup.getByLabel('Код')).toBeFocused();
  await popup.screenshot({ path: test.info().outputPath('code.png') });
  await popup.getByLabel('Код').fill('000000');
  await popup.getByRole('button', { name: 'Войти' }).click();
  await expect(popup.getByRole('alert')).toContainText('Код не подошёл');
  await popup.getByRole('button', { name: 'Назад' }).click();
  await expect(popup.getByLabel('Почта')).toHaveValue(agent.email);
  await expect(popup.getByLabel('Пароль')).toHaveValue(agent.password);
  await popup.getByRole('button', { name: 'Войти' }).click();
  await popup.getByLabel('Код').fill(appCode(secret, 1));
  await popup.getByRole('button', { name: 'Войти' }).click();
  await expect(popup.getByRole('link', { name: /crm\.romashka\.test/ })).toBeVisible();
  const page = await browser.context.newPage();
  expect((await page.goto(world().lockedUrl))?.status()).toBe(200);
  await popup.getByRole('button', { name: 'Выйти' }).click();
  await expect(popup.getByLabel('Пароль')).toBeVisible();
  await popup.close();
});

test('the popup tells a user without the required second factor to enable it, and links to the console', async () => {
  const { call, owner, agent, policyId, product } = world();
  const email = 'without@romashka.test';
  await call(owner, createUser, { body: { email, password: agent.password, politics: [policyId] } });
  await enrol(owner);
  await call(owner, updateMyCompany, { body: { secondFactorRequired: true } });
  const popup = await browser.context.newPage();
  await popup.goto(`${browser.home}/popup.html`);
  await signIn(popup, email);
  await expect(popup.getByRole('alert').filter({ hasText: 'требует второй фактор' })).toBeVisible();
  const way = popup.getByRole('link', { name: 'Открыть консоль' });
  await expect(way).toHaveAttribute('href', product.consoleUrl);
  await popup.screenshot({ path: test.info().outputPath('required.png') });
  const page = await browser.context.newPage();
  // A new URL, which the browser has not cached.
  expect((await page.goto(`${world().lockedUrl}?again`))?.status()).toBe(403);
});
