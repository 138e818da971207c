import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, type Locator, type Page, test } from '@playwright/test';
import { login, register } from '@propusk/contract/auth';
import type { Role } from '@propusk/contract/roles';
import { createUser } from '@propusk/contract/users';
import { freePort } from '@propusk/test-kit/gateway/upstreams';
import { type Call, caller } from '../scripts/call.ts';
import {
  makeDataDir,
  type RunningProduct,
  removeDataDir,
  runProduct,
  stopProduct,
  untilReady,
} from './product.ts';

const run = promisify(execFile);
const PASSWORD = 'correct horse';
const adminEmail = 'admin@propusk.test';

/** The two viewports that every screen is tested in. */
export const screens = [
  ['desktop', { width: 1440, height: 900 }],
  ['phone', { width: 390, height: 844 }],
] as const;

/**
 * Viewports for long tests that both sizes run alike, and that other files cover in both. `npm test` runs
 * them on the desktop; EVERY_SIZE=1 adds the phone.
 */
export const sizesOfWays = process.env.EVERY_SIZE === undefined ? screens.slice(0, 1) : screens;

/** The product of a spec file, and the calls that fill it. */
export interface Console {
  readonly url: string;
  readonly dataDir: string;
  readonly call: Call;
  /** Opens a new session. @returns its token */
  signIn(email: string): Promise<string>;
  admin(): Promise<string>;
  /** Registers a company. @returns its owner's token */
  owner(email: string): Promise<string>;
  /** Adds a user to a company. @returns the user's token */
  agent(owner: string, email: string, politics?: number[]): Promise<string>;
  /** Runs a statement on the product's database, for data that no call makes in time. @returns psql's output */
  sql(statement: string): Promise<string>;
  /** Sets any roles. The console offers no such call, so this writes to the database. */
  setRoles(email: string, roles: readonly Role[]): Promise<void>;
}

/**
 * Starts the product once for the tests of a file.
 * @param fill creates the data that the tests read
 * @param settings environment of the product, where the tests need other values
 */
export function startConsole(
  fill: (console: Console) => Promise<void>,
  settings: (ports: { console: number }) => NodeJS.ProcessEnv = () => ({}),
): Console {
  let product: RunningProduct;
  const console: Console = {
    get url() {
      return product.consoleUrl;
    },
    get dataDir() {
      return product.dataDir;
    },
    call: caller(() => product.consoleUrl),
    async signIn(email) {
      return (await console.call(null, login, { body: { email, password: PASSWORD } })).token;
    },
    admin: () => console.signIn(adminEmail),
    async owner(email) {
      const company = { name: 'Ромашка', companyName: 'ООО «Ромашка»', companySite: 'romashka.test' };
      return (await console.call(null, register, { body: { ...company, email, password: PASSWORD } })).token;
    },
    async agent(owner, email, politics = []) {
      await console.call(owner, createUser, { body: { email, password: PASSWORD, politics } });
      return console.signIn(email);
    },
    async setRoles(email, roles) {
      const set = `update users set roles = '{${roles.join(',')}}' where email = '${email}'`;
      expect(await console.sql(set)).toBe('UPDATE 1');
    },
    async sql(statement) {
      const socket = join(product.dataDir, 'postgres');
      const { stdout } = await run('psql', ['-h', socket, '-U', 'postgres', 'propusk', '-c', statement]);
      return stdout.trim();
    },
  };
  test.beforeAll(async () => {
    const ports = { console: await freePort(), gateway: await freePort() };
    const env = { ADMIN_EMAIL: adminEmail, ADMIN_PASSWORD: PASSWORD, ...settings(ports) };
    product = runProduct(await makeDataDir(), ports, env);
    await untilReady(product);
    await fill(console);
  });
  test.afterAll(async () => {
    await stopProduct(product);
    await removeDataDir(product.dataDir);
  });
  return console;
}

/** Local storage of a browser whose user has finished the onboarding, and folded the first steps. */
const seen = { checkOnboarding: 'true', firstSteps: 'folded' };

/**
 * Opens a page with a token. Local storage is written once, so that a reload finds what the page itself
 * stored.
 */
export async function enter(
  page: Page,
  address: string,
  token: string | null,
  kept: Readonly<Record<string, string>> = seen,
): Promise<void> {
  await page.goto(new URL('/favicon.svg', address).href);
  await page.evaluate(
    (items) => {
      localStorage.clear();
      for (const [name, value] of Object.entries(items)) localStorage.setItem(name, value);
    },
    { ...kept, ...(token !== null && { access_token: token }) },
  );
  await page.goto(address);
}

export const stored = (page: Page, key: string) => page.evaluate((name) => localStorage.getItem(name), key);
export const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
export const row = (page: Page, name: string | RegExp) => page.getByRole('row', { name });
export const dialogOf = (page: Page) => page.getByRole('dialog');
export const saveOf = (dialog: Locator) => dialog.getByRole('button', { name: 'Сохранить' });

/**
 * A field of a dialog or form, by its label: a password input has no role. The label's text includes the
 * mark of a required field.
 */
export const field = (form: Locator, label: string) =>
  form.getByLabel(new RegExp(`^${label}( \\*)?$`)).and(form.locator('input, textarea'));

/** Opens a row's menu, and presses an item. */
export async function choose(page: Page, name: string | RegExp, action: string): Promise<void> {
  // The menu of another row may still be closing.
  await expect(page.getByRole('menu')).toHaveCount(0);
  await row(page, name)
    .getByRole('button', { name: /^Действия/ })
    .click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

/** Picks one or several options of a combobox. */
export async function pick(page: Page, label: string, ...options: string[]): Promise<void> {
  await dialogOf(page).getByRole('combobox', { name: label }).click();
  for (const name of options) await page.getByRole('option', { name, exact: true }).click();
  // A single choice closes the list; a multiple choice leaves it open over the next field.
  if ((await page.getByRole('listbox').count()) > 0) await page.keyboard.press('Tab');
}
