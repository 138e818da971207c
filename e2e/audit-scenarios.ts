import { expect, type Page } from '@playwright/test';
import type { Scenario } from './scenarios.ts';

const path = '/dashboard/creator/audit';
const calls = '**/api/audit?*';

/** Expands the first row that lists changed fields. */
const opened = async (page: Page) => {
  await page
    .getByRole('row', { name: /политика доступа/ })
    .first()
    .getByText('Подробнее')
    .click();
};
const answered = (answer: object | null, shown: string) => async (page: Page) => {
  await page.route(calls, (route) =>
    answer === null ? route.fulfill({ status: 500, body: '' }) : route.fulfill({ json: answer }),
  );
  await page.reload();
  await expect(page.getByText(shown)).toBeVisible();
};
const silent = async (page: Page) => {
  await page.route(calls, () => {});
  await page.reload();
  await expect(page.locator('table[aria-busy="true"]')).toBeVisible();
};

/** The audit of a company and of the platform. */
export const auditScenarios: readonly Scenario[] = [
  { name: 'audit', role: 'owner', path },
  { name: 'audit-more', role: 'owner', path: `${path}?name=Продажи`, open: opened },
  { name: 'audit-no-match', role: 'owner', path: `${path}?name=nothing` },
  { name: 'audit-none-then', role: 'owner', path: `${path}?from=2020-01-01&to=2020-01-02` },
  { name: 'audit-loading', role: 'owner', path, open: silent },
  { name: 'audit-failed', role: 'owner', path, open: answered(null, 'Список не загрузился') },
  {
    name: 'audit-empty',
    role: 'newcomer',
    path,
    open: answered({ rows: [], count: 0 }, 'Пока ничего не произошло'),
  },
  { name: 'admin-audit', role: 'admin', path: '/dashboard/admin/audit' },
  { name: 'admin-audit-more', role: 'admin', path: '/dashboard/admin/audit?name=Продажи', open: opened },
];
