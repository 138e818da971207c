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

/** The two sizes that every screen is looked at in. */
export const screens = [
  ['desktop', { width: 1440, height: 900 }],
  ['phone', { width: 390, height: 844 }],
] as const;

/**
 * The sizes of the long ways through forms that both show alike, and that other files look at in both: `npm test` goes them at
 * a desk, and with EVERY_SIZE=1 on a phone too.
 */
export const sizesOfWays = process.env.EVERY_SIZE === undefined ? screens.slice(0, 1) : screens;

/** The product of a spec file, and the calls that fill it. */
export interface Console {
  readonly url: string;
  readonly dataDir: string;
  readonly call: Call;
  /** A token of somebody's new session. */
  signIn(email: string): Promise<string>;
  admin(): Promise<string>;
  /** The owner of a new company. */
  owner(email: string): Promise<string>;
  /** Adds somebody to a company, and signs them in. */
  agent(owner: string, email: string, politics?: number[]): Promise<string>;
  /** Gives somebody any roles: the console has no way to, so the database is told. */
  setRoles(email: string, roles: readonly Role[]): Promise<void>;
}

/**
 * Starts the product once for the tests of a file.
 * @param fill puts in what its tests look at
 * @param settings of the product, where its tests need other ones
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
      const sql = `update users set roles = '{${roles.join(',')}}' where email = '${email}'`;
      const socket = join(product.dataDir, 'postgres');
      const { stdout } = await run('psql', ['-h', socket, '-U', 'postgres', 'propusk', '-c', sql]);
      expect(stdout.trim()).toBe('UPDATE 1');
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

/** What a browser keeps of somebody who has been here before. */
const seen = { checkOnboarding: 'true' };

/** Opens a page as whoever holds the token. What is kept is put there once: a reload finds what the page made of it. */
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

/** A field of a dialog or a form, by its label: a password has no role. The mark of a required one is in the text. */
export const field = (form: Locator, label: string) =>
  form.getByLabel(new RegExp(`^${label}( \\*)?$`)).and(form.locator('input, textarea'));

/** Presses a row's menu button, and an item of the menu. */
export async function choose(page: Page, name: string | RegExp, action: string): Promise<void> {
  // That of another row may still be closing.
  await expect(page.getByRole('menu')).toHaveCount(0);
  await row(page, name)
    .getByRole('button', { name: /^Действия/ })
    .click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** Picks one or several in a list that opens under a field. */
export async function pick(page: Page, label: string, ...options: string[]): Promise<void> {
  await dialogOf(page).getByRole('combobox', { name: label }).click();
  for (const name of options) await page.getByRole('option', { name, exact: true }).click();
  // One choice closes the list; several leave it open over what comes next.
  if ((await page.getByRole('listbox').count()) > 0) await page.keyboard.press('Tab');
}
