import { expect, type Page } from '@playwright/test';

/** Presses a button of the page that opens a dialog. */
export const press = (name: string) => async (page: Page) => {
  await page.getByRole('main').getByRole('button', { name, exact: true }).first().click();
  await expect(page.getByRole('dialog')).toBeVisible();
};

/** Opens the menu of a row. */
export const rowMenu = (row: RegExp) => async (page: Page) => {
  await page
    .getByRole('row', { name: row })
    .getByRole('button', { name: /^Действия/ })
    .click();
  await expect(page.getByRole('menu')).toBeVisible();
};

/** Chooses an item of a row's menu that opens a dialog. */
export const rowDialog = (row: RegExp, item: string) => async (page: Page) => {
  await rowMenu(row)(page);
  await page.getByRole('menuitem', { name: item, exact: true }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
};

/** Opens the form for a new row, and one of its pick lists. */
export const pickList = (label: string) => async (page: Page) => {
  await press('Добавить')(page);
  await page.getByRole('dialog').getByRole('combobox', { name: label }).click();
  // The listbox appears before its options load.
  await expect(page.getByRole('listbox').getByRole('option').first()).toBeVisible();
};

/** Stubs a call that the demo's data cannot answer. */
export const answering =
  (call: string, body: unknown, then: (page: Page) => Promise<void>) => async (page: Page) => {
    await page.route(call, (route) => route.fulfill({ json: body }));
    await then(page);
  };
