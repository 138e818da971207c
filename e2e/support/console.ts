import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test as base, expect, type Locator, type Page } from '@playwright/test';
import { login } from '@propusk/contract/auth';
import { register } from '@propusk/contract/registration';
import type { Role } from '@propusk/contract/roles';
import { createUser } from '@propusk/contract/users';
import { isInTurn } from '@propusk/test-kit/turns';
import { type Call, caller } from '../../scripts/call.ts';
import { endProduct, type RunningProduct, startProduct } from './product.ts';

const run = promisify(execFile);
/** The password of every account, the admin's too. */
export const PASSWORD = 'correct horse';
const adminEmail = 'admin@propusk.test';

/** The two viewports that every screen is tested in. */
export const screens = [
  ['desktop', { width: 1440, height: 900 }],
  ['phone', { width: 390, height: 844 }],
] as const;

const specs = globSync('*/*.spec.ts', { cwd: new URL('..', import.meta.url) }).toSorted();

/**
 * The viewports for the tests of a spec file: the desktop, and in some runs also the phone (`isInTurn`).
 * @param url the file's `import.meta.url`
 */
export function screensOf(url: string): readonly (typeof screens)[number][] {
  return isInTurn(specs.findIndex((path) => url.endsWith(path))) ? screens : [screens[0]];
}

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
  /** Runs a statement on the product's database, for data that the api cannot create in time. @returns psql's output */
  sql(statement: string): Promise<string>;
  /** Sets any roles. The console offers no such call, so this writes to the database. */
  setRoles(email: string, roles: readonly Role[]): Promise<void>;
}

/** Playwright's `test` with the product that the spec files of a worker share. */
export const test = base.extend<object, { shared: RunningProduct }>({
  shared: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern
    // oxlint-disable-next-line no-empty-pattern -- as above
    async ({}, use) => {
      const product = await launch(() => ({}));
      await psql(product, KEEP);
      await use(product);
      await endProduct(product);
    },
    { scope: 'worker', timeout: 120_000 },
  ],
});

/**
 * Gives the tests of a file a product. Without `settings`, it is the worker's product, reset to the data of a fresh
 * product.
 * @param fill creates the data that the tests read
 * @param settings environment for a product of the file's own
 */
export function startConsole(
  fill: (console: Console) => Promise<void>,
  settings?: (ports: { console: number }) => NodeJS.ProcessEnv,
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
    sql: (statement) => psql(product, statement),
  };
  if (settings === undefined) {
    test.beforeAll(async ({ shared }) => {
      product = shared;
      await psql(product, RESET);
      await rm(join(product.dataDir, 'mail'), { recursive: true, force: true });
      await fill(console);
    });
    return console;
  }
  test.beforeAll(async () => {
    product = await launch(settings);
    await fill(console);
  });
  test.afterAll(() => endProduct(product));
  return console;
}

const launch = (settings: (ports: { console: number }) => NodeJS.ProcessEnv): Promise<RunningProduct> =>
  startProduct((ports) => ({ ADMIN_EMAIL: adminEmail, ADMIN_PASSWORD: PASSWORD, ...settings(ports) }));

async function psql({ dataDir }: RunningProduct, statement: string): Promise<string> {
  const socket = join(dataDir, 'postgres');
  const { stdout } = await run('psql', ['-h', socket, '-U', 'postgres', 'propusk', '-c', statement]);
  return stdout.trim();
}

/** Copies every table of a product that has just started, except the append-only audit. */
const KEEP = `create schema kept; do $$ declare name text; begin
  for name in select relname from pg_class
    where relkind = 'r' and relname !~ '^audit' and relnamespace = 'public'::regnamespace loop
    execute format('create table kept.%I as table public.%I', name, name);
  end loop; end $$`;

/** Restores the copied tables. Sequences are not reset, so that gateways see new ids. Triggers do not run. */
const RESET = `do $$ declare name text; fields text; begin
  perform set_config('session_replication_role', 'replica', true);
  for name in select tablename from pg_tables where schemaname = 'kept' loop
    select string_agg(quote_ident(column_name), ', ') into fields from information_schema.columns
      where table_schema = 'public' and table_name = name and is_generated = 'NEVER';
    execute format('delete from public.%I', name);
    execute format('insert into public.%I (%s) select %s from kept.%I', name, fields, fields, name);
  end loop; end $$`;

/** SQL that makes all probes look a minute old, because the api refuses a probe within 10 s of the last one. */
export const AGE_CHECKS = `update site_checks set started_at = started_at - interval '1 minute'`;

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
export const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });
export const row = (page: Page, name: string | RegExp) => page.getByRole('row', { name });
export const dialogOf = (page: Page) => page.getByRole('dialog');
export const saveOf = (dialog: Locator) => dialog.getByRole('button', { name: 'Сохранить' });

/** Saves the form of a new site, and closes the lock that the dialog then shows. */
export async function saveSite(page: Page): Promise<void> {
  await saveOf(dialogOf(page)).click();
  await expect(dialogOf(page)).toHaveAccessibleName(/^Замок: /);
  await page.keyboard.press('Escape');
  await expect(dialogOf(page)).toHaveCount(0);
}

/** Finds a field by its label, because a password input has no role. A required field has an asterisk in its label. */
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
