import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CDPSession, expect, type Page, test } from '@playwright/test';
import { useLink } from '@propusk/contract/auth';
import { endpoints } from '@propusk/contract/endpoints';
import { me } from '@propusk/contract/me';
import { createPolicy } from '@propusk/contract/policies';
import { createProxy, updateProxy } from '@propusk/contract/proxies';
import { register } from '@propusk/contract/registration';
import { createSite } from '@propusk/contract/sites';
import { createUser } from '@propusk/contract/users';
import { freePort } from '@propusk/test-kit/daemon';
import { threatCase } from '@propusk/test-kit/threat-case';
import { type Call, caller } from '../../scripts/call.ts';
import { choose, dialogOf, field, heading, row as lineOf, saveOf } from '../support/console.ts';
import {
  makeDataDir,
  type RunningProduct,
  removeDataDir,
  runProduct,
  stopProduct,
  untilReady,
} from '../support/product.ts';

/**
 * Searches for a proxy's password everywhere outside the memory of api and gateway. Each password here is
 * unique text; the search covers its plain form and the encodings that programs use.
 */
const root = fileURLToPath(new URL('../..', import.meta.url));
const admin = 'admin@propusk.test';
const PASSWORD = 'canary-person-4f8b1c';
const secrets = {
  made: 'canary-proxy-made-9d2e7a',
  changed: 'canary-proxy-changed-51c0fe',
  platform: 'canary-proxy-platform-c3a988',
  typed: 'canary-proxy-typed-77b6d4',
  retyped: 'canary-proxy-retyped-20e9af',
};
const LOGIN = 'canary-login';
let outer: string;
let product: RunningProduct;
let call: Call;
let owner: string;

test.describe.configure({ mode: 'serial' });

/** Returns the encodings in which the bytes of a secret may appear. */
function spellings(secret: string): Buffer[] {
  const bytes = Buffer.from(secret);
  const basic = Buffer.from(`${LOGIN}:${secret}`).toString('base64').replace(/=+$/, '').slice(0, -1);
  // The base64 of a substring has three forms, by its offset modulo 3.
  const shifted = ['', 'x', 'xx'].map((before) => {
    const text = Buffer.from(before + secret).toString('base64');
    return text.slice(before === '' ? 0 : 4, Math.floor(((before.length + secret.length) * 8) / 6) - 3);
  });
  return [
    bytes,
    Buffer.from(secret, 'utf16le'),
    ...[bytes.toString('hex'), basic, ...shifted].map((text) => Buffer.from(text)),
  ];
}
const needles = (values: readonly string[]) =>
  values.flatMap((secret) => spellings(secret).map((bytes) => ({ secret, bytes })));
const found = (text: Buffer | string, values: readonly string[] = Object.values(secrets)) => {
  const bytes = Buffer.from(text);
  return needles(values)
    .filter((one) => bytes.includes(one.bytes))
    .map(({ secret }) => secret);
};

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

test.beforeAll(async () => {
  outer = await makeDataDir();
  const ports = { console: await freePort(), gateway: await freePort() };
  const env = { ADMIN_EMAIL: admin, ADMIN_PASSWORD: PASSWORD, LOG_LEVEL: 'trace' };
  product = runProduct(join(outer, 'data'), ports, env);
  await untilReady(product);
  call = caller(() => product.consoleUrl);
  const company = { name: 'Ромашка', companyName: 'ООО «Ромашка»', companySite: 'romashka.test' };
  ({ token: owner } = await call(null, register, {
    body: { ...company, email: 'owner@romashka.test', password: PASSWORD },
  }));
});
test.afterAll(async () => {
  await stopProduct(product);
  await removeDataDir(outer);
});

test('no reply of any call reveals a proxy password to any role', () =>
  threatCase(
    'stored proxy secrets',
    'the replies of all reading calls to every role, and of the writing calls',
    async (tally) => {
      const upstream = { host: 'proxy.romashka.test', port: 8080, username: LOGIN };
      const answers: unknown[] = [];
      const platform = await signIn(admin);
      const made = await call(owner, createProxy, { body: { ...upstream, password: secrets.made } });
      const key = { 'idempotency-key': 'canary' };
      for (let again = 0; again < 2; again++) {
        const body = JSON.stringify({ ...upstream, host: 'keyed.romashka.test', password: secrets.made });
        answers.push(await ask('POST', createProxy.path, owner, body, key));
      }
      answers.push(
        made,
        await call(owner, updateProxy, { params: { id: made.id }, body: { password: secrets.changed } }),
      );
      answers.push(
        await call(platform, createProxy, {
          body: { ...upstream, host: 'shared.propusk.test', password: secrets.platform },
        }),
      );
      const policy = await call(owner, createPolicy, { body: { name: 'Продажи', proxyId: made.id } });
      const site = await call(owner, createSite, {
        body: { address: 'crm.romashka.test', politics: [policy.id] },
      });
      const email = 'agent@romashka.test';
      const { id } = await call(owner, createUser, {
        body: { email, password: PASSWORD, politics: [policy.id] },
      });
      await call(null, useLink, { body: { email } });
      const ids = [made.id, policy.id, site.id, id, (await call(owner, me, {})).company?.id ?? 0, 1];
      const reading = endpoints.filter(({ method, access }) => method === 'GET' && access !== 'gateway');
      for (const token of [null, owner, await signIn(email), platform]) {
        for (const { path } of reading) {
          for (const one of path.includes(':') ? ids : [0]) {
            const query = path.endsWith('/why') ? `?user=${id}&host=crm.romashka.test&port=443` : '';
            answers.push(await ask('GET', path.replace(/:\w+/, String(one)) + query, token));
          }
        }
      }
      for (const answer of answers) {
        const hits = found(JSON.stringify(answer));
        tally.see(hits.length === 0, `${hits.join(', ')} in ${JSON.stringify(answer).slice(0, 200)}`);
      }
      expect(answers.length).toBeGreaterThan(100);
    },
  ));

async function signIn(email: string): Promise<string> {
  const { token } = JSON.parse(
    (await ask('POST', '/auth/login', null, JSON.stringify({ email, password: PASSWORD }))).body,
  ) as { token: string };
  return token;
}

/** @returns status, headers and body of the api's reply */
async function ask(
  method: string,
  path: string,
  token: string | null,
  body?: string,
  more: Record<string, string> = {},
) {
  const answer = await fetch(`${product.consoleUrl}/api${path}`, {
    method,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...more,
    },
    ...(body !== undefined && { body }),
  });
  return { body: await answer.text(), headers: [...answer.headers], status: answer.status };
}

/** Returns the strings of a page's heap after garbage collection. */
async function heapOf(devtools: CDPSession): Promise<string> {
  const parts: string[] = [];
  const take = ({ chunk }: { chunk: string }) => void parts.push(chunk);
  devtools.on('HeapProfiler.addHeapSnapshotChunk', take);
  await devtools.send('HeapProfiler.enable');
  for (let i = 0; i < 3; i++) await devtools.send('HeapProfiler.collectGarbage');
  await devtools.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  devtools.off('HeapProfiler.addHeapSnapshotChunk', take);
  return parts.join('');
}

test('browser memory holds a proxy password only while a user types it', ({ page, context }) =>
  threatCase(
    'stored proxy secrets',
    "in the heap of the console's page: list, form, saved, elsewhere, signed out",
    async (tally) => {
      const devtools = await context.newCDPSession(page);
      const look = async (when: string, values: readonly string[], expected: readonly string[] = []) => {
        const hits = [...new Set(found(await heapOf(devtools), values))];
        tally.see(JSON.stringify(hits) === JSON.stringify(expected), `${when}: ${hits.join(', ') || 'none'}`);
      };
      await page.goto(`${product.consoleUrl}/auth/login`);
      await page.getByRole('textbox', { name: 'Почта' }).fill('owner@romashka.test');
      await page.getByLabel(/^Пароль/).fill(PASSWORD);
      await page.getByRole('button', { name: 'Войти', exact: true }).click();
      await expect(heading(page, 'Сайты')).toBeVisible();
      expect(await valuesOf(page)).not.toContain(PASSWORD);
      await page.evaluate("localStorage.setItem('checkOnboarding', 'true')");
      await look('signed in', [PASSWORD]);
      await page.goto(`${product.consoleUrl}/dashboard/creator/proxies`);
      await choose(page, /^proxy\.romashka/, 'Редактировать');
      await expect(field(dialogOf(page), 'Пароль')).toHaveValue('');
      await look('the list and an untouched form', Object.values(secrets));

      // Proves that the search finds a password while it is typed.
      await field(dialogOf(page), 'Пароль').fill(secrets.typed);
      await look('while it is typed', [secrets.typed], [secrets.typed]);
      await saveOf(dialogOf(page)).click();
      await expect(dialogOf(page)).toBeHidden();
      await page.getByRole('link', { name: 'Пользователи' }).click();
      await expect(heading(page, 'Пользователи')).toBeVisible();
      await page.waitForTimeout(500);
      await look('saved, and on another page', [secrets.typed]);
      await page.reload();
      await expect(heading(page, 'Пользователи')).toBeVisible();
      await look('loaded again', [secrets.typed, PASSWORD]);
      await page.goto(`${product.consoleUrl}/dashboard/creator/proxies`);
      await choose(page, /^proxy\.romashka/, 'Редактировать');
      await field(dialogOf(page), 'Пароль').fill(secrets.retyped);
      await saveOf(dialogOf(page)).click();
      await expect(dialogOf(page)).toBeHidden();
      await expect(lineOf(page, /^proxy\.romashka/)).toBeVisible();
      await page.getByRole('banner').getByRole('button', { name: 'Выйти' }).click();
      await dialogOf(page).getByRole('button', { name: 'Yes' }).click();
      await expect(heading(page, 'Вход')).toBeVisible();
      await look('signed out', [...Object.values(secrets), PASSWORD]);
      const kept = await page.evaluate<string>(
        'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
      );
      tally.see(found(kept, [...Object.values(secrets), PASSWORD]).length === 0, `kept: ${kept}`);
    },
  ));

const valuesOf = (page: Page) =>
  page.evaluate<string[]>("[...document.querySelectorAll('input, textarea')].map(({ value }) => value)");

test('no file, log or backup contains a proxy password', () =>
  threatCase(
    'stored proxy secrets',
    'in files of the data folder with database and WAL, the log at trace, a backup',
    async (tally) => {
      const backup = join(outer, 'propusk.backup');
      const env = {
        ...process.env,
        DATA_DIR: product.dataDir,
        BACKUP_PASSPHRASE: 'верная лошадь, батарейка и скоба',
      };
      const child = spawn('npm', ['run', '--silent', 'backup', '--', backup], {
        cwd: root,
        stdio: 'ignore',
        env,
      });
      expect((await once(child, 'close'))[0]).toBe(0);
      // Wait until the gateway has received the policy and written its snapshot.
      await expect
        .poll(async () => (await filesOf(product.dataDir)).some((file) => /snapshot/.test(file)))
        .toBe(true);
      await stopProduct(product);
      const values = [...Object.values(secrets), PASSWORD];
      const log = product.output();
      expect(log).toContain('/api/proxy');
      tally.see(found(log, values).length === 0, `the log holds ${found(log, values).join(', ')}`);
      const files = await filesOf(outer);
      let rows = 0;
      for (const file of files) {
        const bytes = await readFile(file);
        if (bytes.includes('proxy.romashka.test')) rows++;
        const hits = found(bytes, values);
        tally.see(hits.length === 0, `${file} holds ${hits.join(', ')}`);
      }
      // Proves that the search reads the table and the WAL, where the proxy's host name is unencrypted.
      expect(rows).toBeGreaterThan(1);
      expect(files.filter((file) => /pg_wal/.test(file)).length).toBeGreaterThan(0);
      expect(files.some((file) => file.endsWith('.eml'))).toBe(true);
      tally.note(`${files.length} files`);
    },
  ));
