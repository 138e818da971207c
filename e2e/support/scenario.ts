import { readFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';

/**
 * Who views the page: a signed-out visitor, an owner with data, an owner of an empty company, an agent, an
 * agent without policies, or the admin.
 */
export type Viewer = 'nobody' | 'owner' | 'newcomer' | 'agent' | 'stranger' | 'admin';

/** The steps that lead to a state of a page. */
export type Steps = (page: Page) => Promise<unknown>;

/** One state of a page. The tour takes screenshots of it; axe checks it. */
export interface Scenario {
  name: string;
  role: Viewer;
  path: string;
  /** Limits the scenario to phones, where the navigation is behind a menu button. */
  only?: 'phone';
  /** The viewer has not seen the onboarding. */
  firstVisit?: boolean;
  open?: Steps;
}

/** The page as it loads. */
export const loaded: Steps = async () => {};

/** Makes a scenario from each entry of `steps`: the key is the scenario's name, the value leads to the state. */
export function states(
  role: Viewer,
  path: string,
  steps: Readonly<Record<string, Steps>>,
  more: Pick<Scenario, 'only' | 'firstVisit'> = {},
): Scenario[] {
  return Object.entries(steps).map(([name, open]) => ({ name, role, path, open, ...more }));
}

/** Takes several steps, one after the other. */
export const inOrder =
  (...all: Steps[]): Steps =>
  async (page) => {
    for (const step of all) await step(page);
  };

/** Presses a button of the page that opens a dialog. */
export const press =
  (name: string): Steps =>
  async (page) => {
    await page.getByRole('main').getByRole('button', { name, exact: true }).first().click();
    await expect(page.getByRole('dialog')).toBeVisible();
  };

/** Opens the menu of a row. */
export const rowMenu =
  (row: RegExp): Steps =>
  async (page) => {
    await page
      .getByRole('row', { name: row })
      .getByRole('button', { name: /^Действия/ })
      .click();
    await expect(page.getByRole('menu')).toBeVisible();
  };

/** Chooses an item of a row's menu that opens a dialog. */
export const rowDialog = (row: RegExp, item: string): Steps =>
  inOrder(rowMenu(row), async (page) => {
    await page.getByRole('menuitem', { name: item, exact: true }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
  });

/** Opens the form for a new row, and one of its pick lists. */
export const pickList = (label: string): Steps =>
  inOrder(press('Добавить'), async (page) => {
    await page.getByRole('dialog').getByRole('combobox', { name: label }).click();
    // The listbox appears before its options load.
    await expect(page.getByRole('listbox').getByRole('option').first()).toBeVisible();
  });

/** Fills a text field of a dialog. */
export const fill =
  (name: string, value: string): Steps =>
  (page) =>
    page.getByRole('dialog').getByRole('textbox', { name }).fill(value);

/** Waits until the page shows a text. */
export const shows =
  (text: string): Steps =>
  (page) =>
    expect(page.getByText(text)).toBeVisible();

/** Waits until the page shows a title. */
export const titled =
  (name: string | RegExp): Steps =>
  (page) =>
    expect(page.getByRole('heading', { level: 1, name })).toBeVisible();

/** Waits for the chart, which loads after its page. */
export const charted: Steps = (page) =>
  expect(page.getByRole('figure', { name: /^Столбцы/ }).locator('canvas')).toBeVisible();

const reload: Steps = (page) => page.reload();

/** Stubs a call that the demo's data cannot answer. */
export const answering = (call: string, json: unknown, then: Steps): Steps =>
  inOrder((page) => page.route(call, (route) => route.fulfill({ json })), then);

/** Stubs a call, and loads the page again. */
export const answeringReload = (call: string, json: unknown, then: Steps): Steps =>
  answering(call, json, inOrder(reload, then));

/** Changes the replies to a call, and loads the page again. */
export const changing = (call: string, change: (reply: Reply) => Reply, then: Steps = loaded): Steps =>
  inOrder(
    (page) =>
      page.route(call, async (route) =>
        route.fulfill({ json: change((await (await route.fetch()).json()) as Reply) }),
      ),
    reload,
    then,
  );
type Reply = { readonly company?: object; readonly count?: number; readonly rows?: readonly object[] };

/** Loads the page again while a call fails with a 500. */
export const failing = (call: string, then: Steps): Steps =>
  inOrder((page) => page.route(call, (route) => route.fulfill({ status: 500, body: '' })), reload, then);

/** Loads the page again while a call never completes. */
export const pending = (call: string, then: Steps = tableLoads): Steps =>
  inOrder((page) => page.route(call, () => {}), reload, then);

const tableLoads: Steps = (page) => expect(page.locator('table[aria-busy="true"]')).toBeVisible();

/** The file of a console's module in the build, by Vite's manifest. */
export async function chunkOf(module: string): Promise<string> {
  const path = new URL('../../apps/web/dist/.vite/manifest.json', import.meta.url);
  const manifest: Record<string, { file: string } | undefined> = JSON.parse(await readFile(path, 'utf8'));
  const file = manifest[module]?.file;
  if (file === undefined) throw new Error(`no chunk of ${module}`);
  return file;
}
