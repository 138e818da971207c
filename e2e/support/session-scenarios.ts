import { expect, type Page } from '@playwright/test';
import {
  answeringReload,
  failing,
  loaded,
  pending,
  press,
  type Scenario,
  type Steps,
  states,
} from './scenario.ts';
import { sessions } from './stubbed-replies.ts';

const calls = '**/api/me/sessions';

/** Shows the sessions card with a stubbed list of sessions. */
const sessionsAre = (answer: object, then: Steps = loaded) =>
  answeringReload(calls, answer, async (page) => {
    await page.getByRole('list', { name: 'Открытые сеансы' }).scrollIntoViewIfNeeded();
    await page.getByRole('main').getByText('Других открытых').or(endOthers(page)).scrollIntoViewIfNeeded();
    await then(page);
  });
const endOthers = (page: Page) => page.getByRole('button', { name: 'Завершить остальные' });

/** Saves a changed form after the session has ended. */
const ended: Steps = async (page) => {
  const json = { code: 'unauthorized', message: 'Войдите в приложение' };
  await page.route('**/api/domain-allowed', (route) => route.fulfill({ status: 401, json }));
  await press('Добавить')(page);
  const form = page.getByRole('dialog', { name: 'Новый сайт' });
  await form.getByRole('textbox', { name: 'Адрес' }).fill('wiki.romashka.test');
  await form.getByRole('button', { name: 'Сохранить' }).click();
  await expect(page.getByRole('dialog', { name: 'Сеанс завершён' })).toBeVisible();
};
/** The state `ended`, then a sign-in that requires the code of a second factor. */
const endedWithFactor: Steps = async (page) => {
  const json = { code: 'second_factor_needed', message: 'Введите код' };
  await page.route('**/api/auth/login', (route) => route.fulfill({ status: 401, json }));
  await ended(page);
  const again = page.getByRole('dialog', { name: 'Сеанс завершён' });
  // Type the email address: the stubbed reply can contain hostile text in its place.
  await again.getByLabel('Почта').fill('irina@romashka.test');
  const password = again.getByLabel('Пароль', { exact: true });
  await password.fill('correct horse');
  await password.press('Enter');
  await expect(again.getByLabel('Код из приложения или запасной код')).toBeFocused();
};

/** The sessions card in every state, and the dialog for a session that ends while a form is changed. */
export const sessionScenarios: readonly Scenario[] = [
  ...states('owner', '/dashboard/creator/domains', {
    'session-ended': ended,
    'session-ended-factor': endedWithFactor,
  }),
  ...states('agent', '/dashboard/user/personal-data', {
    'agent-sessions': sessionsAre(sessions),
    'agent-sessions-end': sessionsAre(
      sessions,
      press('Завершить: Chrome, Android, 2001:db8:85a3:8d3:1319:8a2e:370:7348'),
    ),
    'agent-sessions-alone': sessionsAre({ rows: sessions.rows.slice(0, 1), count: 1 }),
    'agent-sessions-failed': failing(calls, (page) =>
      page
        .getByRole('region', { name: 'Сеансы' })
        .getByRole('button', { name: 'Повторить' })
        .scrollIntoViewIfNeeded(),
    ),
    'agent-sessions-loading': pending(calls, async (page) => {
      const bones = page.locator('.mantine-Skeleton-root');
      // Wait until only the sessions card still shows a skeleton.
      await expect(bones).toHaveCount(1);
      await bones.last().scrollIntoViewIfNeeded();
    }),
  }),
];
