import { expect, type Page } from '@playwright/test';
import { answering, press } from './page-actions.ts';
import type { Scenario } from './scenarios.ts';
import { sessions } from './stubbed-replies.ts';

/** Shows the sessions card with a stubbed list of sessions. */
const sessionsAre = (answer: object, then: (page: Page) => Promise<void> = async () => {}) =>
  answering('**/api/me/sessions', answer, async (page) => {
    await page.reload();
    await page.getByRole('list', { name: 'Открытые сеансы' }).scrollIntoViewIfNeeded();
    await page.getByRole('main').getByText('Других открытых').or(endOthers(page)).scrollIntoViewIfNeeded();
    await then(page);
  });
const endOthers = (page: Page) => page.getByRole('button', { name: 'Завершить все другие' });
const sessionsFailed = async (page: Page) => {
  await page.route('**/api/me/sessions', (route) => route.fulfill({ status: 500, body: '' }));
  await page.reload();
  await page
    .getByRole('region', { name: 'Сеансы' })
    .getByRole('button', { name: 'Повторить' })
    .scrollIntoViewIfNeeded();
};
const sessionsLoading = async (page: Page) => {
  await page.route('**/api/me/sessions', () => {});
  await page.reload();
  const bones = page.locator('.mantine-Skeleton-root');
  // The skeletons of the other cards disappear.
  await expect(bones).toHaveCount(1);
  await bones.last().scrollIntoViewIfNeeded();
};

/** A changed form whose save finds that the session has ended. */
const ended = async (page: Page) => {
  const json = { code: 'unauthorized', message: 'Войдите в приложение' };
  await page.route('**/api/domain-allowed', (route) => route.fulfill({ status: 401, json }));
  await press('Добавить')(page);
  const form = page.getByRole('dialog', { name: 'Новый сайт' });
  await form.getByRole('textbox', { name: 'Адрес' }).fill('wiki.romashka.test');
  await form.getByRole('button', { name: 'Сохранить' }).click();
  await expect(page.getByRole('dialog', { name: 'Сеанс завершён' })).toBeVisible();
};
/** `ended` for a user with a second factor. */
const endedWithFactor = async (page: Page) => {
  const json = { code: 'second_factor_needed', message: 'Введите код' };
  await page.route('**/api/auth/login', (route) => route.fulfill({ status: 401, json }));
  await ended(page);
  const again = page.getByRole('dialog', { name: 'Сеанс завершён' });
  await again.getByLabel('Пароль', { exact: true }).fill('correct horse');
  await again.getByRole('button', { name: 'Войти' }).click();
  await expect(again.getByLabel('Код из приложения или запасной код')).toBeFocused();
};

/** The sessions card in every state, and a session that ends under a changed form. */
export const sessionScenarios: Scenario[] = [
  { name: 'session-ended', role: 'owner', path: '/dashboard/creator/domains', open: ended },
  { name: 'session-ended-factor', role: 'owner', path: '/dashboard/creator/domains', open: endedWithFactor },
  {
    name: 'agent-sessions',
    role: 'agent',
    path: '/dashboard/user/personal-data',
    open: sessionsAre(sessions),
  },
  {
    name: 'agent-sessions-end',
    role: 'agent',
    path: '/dashboard/user/personal-data',
    open: sessionsAre(sessions, press('Завершить: Chrome, Android, 2001:db8:85a3:8d3:1319:8a2e:370:7348')),
  },
  {
    name: 'agent-sessions-alone',
    role: 'agent',
    path: '/dashboard/user/personal-data',
    open: sessionsAre({ rows: sessions.rows.slice(0, 1), count: 1 }),
  },
  {
    name: 'agent-sessions-failed',
    role: 'agent',
    path: '/dashboard/user/personal-data',
    open: sessionsFailed,
  },
  {
    name: 'agent-sessions-loading',
    role: 'agent',
    path: '/dashboard/user/personal-data',
    open: sessionsLoading,
  },
];
