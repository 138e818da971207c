import { expect } from '@playwright/test';
import { me } from '@propusk/contract/me';
import { register } from '@propusk/contract/registration';
import { choose, enter, row, startConsole, test } from '../support/console.ts';

/**
 * The product is public and has no mail server, so an admin confirms a new company instead of a mailed
 * link.
 */
const product = startConsole(
  async () => {},
  ({ console: port }) => ({ PUBLIC_URL: `http://console.test:${port}` }),
);

test('an admin sees an unconfirmed company and confirms it', async ({ page }) => {
  const body = { name: 'Анна', companyName: 'Ромашка', companySite: 'romashka.test' };
  const { token } = await product.call(null, register, {
    body: { ...body, email: 'owner@romashka.test', password: 'correct horse' },
  });
  await enter(page, `${product.url}/dashboard/admin/companies`, await product.admin());
  await expect(row(page, /Ромашка/)).toContainText('почта не подтверждена');
  await choose(page, /Ромашка/, 'Подтвердить без письма');
  const question = page.getByRole('dialog', { name: 'Подтвердить компанию «Ромашка» без письма?' });
  await question.getByRole('button', { name: 'Подтвердить без письма' }).click();
  await expect(page.getByText('Компания подтверждена')).toBeVisible();
  await expect(row(page, /Ромашка/)).not.toContainText('почта не подтверждена');
  expect((await product.call(token, me)).company?.confirmed).toBe(true);
});
