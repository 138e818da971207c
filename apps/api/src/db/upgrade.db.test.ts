import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { login } from '@propusk/contract/auth';
import { getSiteCheck, getSiteLock } from '@propusk/contract/lock';
import { createSite, listSites } from '@propusk/contract/sites';
import { dump } from '@propusk/supervisor/backup/dump';
import { load } from '@propusk/supervisor/backup/load';
import { verify } from '@propusk/supervisor/backup/reader';
import { PASSWORD, startApi, testPasswords } from '@propusk/test-kit/api/api';
import { createTestDatabase, type TestDatabase } from '@propusk/test-kit/api/database';
import { everything } from '@propusk/test-kit/backup/compare';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createEncryption } from '../encryption.ts';
import { ofProcess } from '../passwords.ts';
import { DatabaseUnfit, migrate } from './migrate.ts';

const serverUrl = inject('serverUrl');
const migrations = fileURLToPath(new URL('./migrations/', import.meta.url));
const files = (await readdir(migrations)).toSorted();
const keys = { SECRET_KEY: 'the sealing secret of all the tests', GATEWAY_SECRET: 'x'.repeat(32) };
const phrase = 'correct horse battery staple';

let folder: string;
let hash: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'propusk-upgrade-'));
  hash = await testPasswords.hash(PASSWORD, ofProcess);
});
afterAll(() => rm(folder, { recursive: true }));

/** A folder with the first migrations, and optionally one that a test adds. */
async function folderOf(names: readonly string[], own: Record<string, string> = {}): Promise<URL> {
  const made = await mkdtemp(join(folder, 'sql-'));
  for (const name of names) await cp(join(migrations, name), join(made, name));
  for (const [name, text] of Object.entries(own)) await writeFile(join(made, name), text);
  return pathToFileURL(`${made}/`);
}

/** A database as an earlier version left it, with rows in every table of that version. */
async function earlier(count: number): Promise<TestDatabase> {
  const database = await createTestDatabase(serverUrl, { empty: true });
  await migrate(database.db, await folderOf(files.slice(0, count)));
  const rows = [
    `insert into platform (key_check) values ('\\x${createEncryption(keys.SECRET_KEY).check.toString('hex')}')`,
    `insert into companies (company_name, company_site) values ('ООО Ромашка', 'romashka.test'), ('Б', 'b.test')`,
    `insert into users (company_id, email, name, surname, password_hash, roles) values
      (1, 'ivan@romashka.test', 'Иван', '', '${hash}', '{CREATOR}'), (1, 'anna@romashka.test', 'Анна', '', '${hash}', '{USER}'),
      (null, 'admin@platform.test', '', '', '${hash}', '{ADMIN}')`,
    `insert into sessions (token_hash, user_id, expires_at) values ('\\x01', 1, now() + interval '1 day')`,
    `insert into proxies (company_id, type, host, port, password_sealed) values
      (null, 'default', 'gate.test', 3128, null), (1, 'users', 'own.test', 8080, '\\x00ff')`,
    `insert into sites (company_id, address, shown_address) values (1, 'crm.example.ru', 'crm.example.ru')`,
    `insert into policies (company_id, name, description, proxy_id, proxy_owner_id) values (1, 'П', '', 1, 0)`,
    'insert into policy_users values (1, 1, 2)',
    'insert into policy_sites values (1, 1, 1)',
    `insert into gateway_acknowledgements (gateway, company_id, version) values ('g', 1, 1)`,
    // Columns that later migrations added.
    ...(count > 1
      ? [
          `insert into mail_links (token_hash, user_id, expires_at) values ('\\x02', 1, now() + interval '1 day')`,
          `insert into idempotency_keys (user_id, key, fingerprint) values (1, 'k', '\\x03')`,
          `insert into rate_limits (key) values ('k')`,
        ]
      : []),
    ...(count > 2
      ? [
          `insert into proxy_egress (owner_id, proxy_id, address) values (0, 1, '192.0.2.7')`,
          'insert into proxy_learning (owner_id, proxy_id) values (0, 1)',
          `insert into site_checks (company_id, site_id, state, verdict) values (1, 1, 'done', 'protected')`,
          `insert into lock_links (token_hash, company_id, site_id, made_by, expires_at) values ('\\x04', 1, 1, 1, now() + interval '1 day')`,
        ]
      : []),
    ...(count > 3
      ? [
          `insert into pairing_codes (token_hash, session_hash, user_id, expires_at) values ('\\x05', '\\x01', 1, now() + interval '1 day')`,
        ]
      : []),
    ...(count > 5
      ? [
          `insert into audit (at, company_id, company, actor_id, actor_name, actor_email, actor_roles, address, action, object_kind,
            object_id, object_name) select now() - n * interval '13 months', 1, 'ООО Ромашка', 1, 'Иван', 'ivan@romashka.test',
            '{CREATOR}', '192.0.2.7', 'created', 'site', 1, 'crm.example.ru' from generate_series(0, 2) n`,
        ]
      : []),
    ...(count > 6
      ? [
          `insert into second_factors (user_id, secret_sealed) values (1, '\\x06')`,
          `insert into recovery_codes (user_id, code_hash) values (1, '\\x07')`,
        ]
      : []),
    ...(count > 8
      ? [
          `insert into audit_removals (partition, from_at, to_at, rows, retention_months) values
            ('audit_2020_01', '2020-01-01', '2020-02-01', 7, 60)`,
        ]
      : []),
    ...(count > 10
      ? [
          `insert into company_invitations (token_hash, email, made_by, expires_at) values
            ('\\x08', 'new@company.test', 3, now() + interval '1 day')`,
        ]
      : []),
    ...(count > 11
      ? [
          `insert into vantages (name, key_sealed) values ('v', '\\x08')`,
          `insert into vantage_tasks (id, vantage_id, plan, groups, expires_at)
            values ('6f1e6f0a-5d0f-4a63-9d5c-0a4f6a3f3c11', 1, '', 1, now() + interval '1 day')`,
        ]
      : []),
    ...(count > 12
      ? [
          `insert into mails (id, sealed, has_link, expires_at)
            values ('6f1e6f0a-5d0f-4a63-9d5c-0a4f6a3f3c12', '\\x09', true, now() + interval '1 day')`,
        ]
      : []),
  ];
  for (const statement of rows) await database.pool.query(statement);
  return database;
}

/** Every row, reduced to the columns of the earlier version. */
async function held(database: TestDatabase): Promise<Record<string, Record<string, unknown>[]>> {
  const { rows: tables } = await database.pool.query(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and not relispartition and relname not like 'kysely%' order by 1`,
  );
  const found: Record<string, Record<string, unknown>[]> = {};
  for (const { name } of tables) {
    const { rows } = await database.pool.query(`select to_jsonb(t) as row from ${name} t order by t::text`);
    found[name] = rows.map(({ row }) => row);
  }
  return found;
}

describe.each(files.map((name, i) => [name.slice(0, 3), i + 1] as const))(
  'the schema after %s',
  (_, count) => {
    test('an upgrade of an earlier schema keeps every row and the product works on it', async () => {
      const database = await earlier(count);
      const before = await held(database);
      for (const [name, rows] of Object.entries(before)) expect(rows.length, name).toBeGreaterThan(0);
      await migrate(database.db);
      const after = await held(database);
      for (const [name, rows] of Object.entries(before)) {
        expect(after[name], name).toMatchObject(rows);
        expect(after[name], name).toHaveLength(rows.length);
      }
      const { rows: claims } = await database.pool.query('select claim from sites');
      expect(claims).toEqual([{ claim: 1 }]);

      const api = await startApi(serverUrl, { shared: database });
      const { token } = await api.must(null, login, {
        body: { email: 'ivan@romashka.test', password: PASSWORD },
      });
      await api.must(token, createSite, { body: { address: 'new.example.ru', politics: [1] } });
      const sites = await api.must(token, listSites, { query: {} });
      expect(sites.rows.map(({ address }) => address).toSorted()).toEqual([
        'crm.example.ru',
        'new.example.ru',
      ]);
      await api.close();
      await database.drop();
    });

    test('a failed upgrade leaves the schema unchanged and the earlier version still works on it', async () => {
      const database = await earlier(count);
      const before = [await held(database), await everything(database.pool)];
      // The last statement fails after every earlier file was applied.
      const broken = { '900-broken.sql': 'alter table users drop column name; select 1 / 0;' };
      await expect(migrate(database.db, await folderOf(files, broken))).rejects.toThrow(
        /900-broken.*не прошло, база осталась прежней/,
      );
      expect([await held(database), await everything(database.pool)]).toEqual(before);
      // The earlier version still finds its own schema, and the next version upgrades it.
      await migrate(database.db, await folderOf(files.slice(0, count)));
      await database.pool.query(`update users set name = 'Пётр' where id = 1`);
      await migrate(database.db);
      await database.drop();
    });

    test('a backup of an earlier schema restores to that schema and then upgrades', async () => {
      const database = await earlier(count);
      const path = join(folder, `${count}.backup`);
      const header = await dump(database.url, keys, phrase, path);
      expect(`${header.migration}.sql`).toBe(files[count - 1]);
      const target = await createTestDatabase(serverUrl, { empty: true });
      await load(target.url, await verify(path, phrase));
      await migrate(database.db);
      const [old, fresh] = [await everything(database.pool), await everything(target.pool)];
      const { kysely_migration: ran, ...rows } = fresh.tables;
      expect(ran).toHaveLength(files.length);
      const { kysely_migration: _, ...expected } = old.tables;
      expect(rows).toEqual(expected);
      await database.drop();
      await target.drop();
    });
  },
);

test('probe sentences stored before migration 010 are still shown', async () => {
  const database = await earlier(files.indexOf('010-check-codes.sql'));
  const steps = [
    { title: 'Снаружи, https://crm.example.ru', vantage: 'outside', outcome: 'passed', detail: '403' },
    { title: 'Через proxy.ru', vantage: 'through', outcome: 'waiting', detail: '' },
  ] as const;
  await database.pool.query(
    'update site_checks set verdict = $1, meaning = $2, advice = $3, steps = $4, finished_at = now()',
    ['open', 'Сайт открыт всем.', 'Вставьте строки.', JSON.stringify(steps)],
  );
  await database.pool.query(`update proxy_learning set problem = 'Прокси не отвечает.'`);
  await migrate(database.db);
  const api = await startApi(serverUrl, { shared: database });
  const { token } = await api.must(null, login, {
    body: { email: 'ivan@romashka.test', password: PASSWORD },
  });
  expect(await api.must(token, getSiteCheck, { params: { id: 1 } })).toMatchObject({
    meaning: 'Сайт открыт всем.',
    advice: 'Вставьте строки.',
    steps,
  });
  const { egress } = await api.must(token, getSiteLock, { params: { id: 1 } });
  expect(egress.map(({ problem }) => problem)).toEqual(['Прокси не отвечает.']);
  await api.close();
  await database.drop();
});

test('a program older than its database prints one line and exits', async () => {
  const database = await createTestDatabase(serverUrl, { empty: true });
  const future = { '900-future.sql': 'create table future (id int)' };
  await migrate(database.db, await folderOf(files, future));
  await expect(migrate(database.db)).rejects.toThrow(DatabaseUnfit);
  const child = fork(fileURLToPath(new URL('../main.ts', import.meta.url)), {
    env: { PATH: process.env.PATH, DATABASE_URL: database.url, DATA_DIR: folder, ...keys },
    execArgv: [],
    silent: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => (output += bytes));
  const [code] = await once(child, 'close');
  expect(code).toBe(1);
  expect(output.trim()).toMatch(/^База данных создана более новой версией «Пропуска».*[^\n]$/);
  expect(output.trim().split('\n')).toHaveLength(1);
  await database.drop();
});

test('the migration files are numbered without gaps', () => {
  expect(files.map((name) => Number(name.slice(0, 3)))).toEqual(files.map((_, i) => i + 1));
});
