import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { login } from '@propusk/contract/auth';
import { getSiteCheck } from '@propusk/contract/probe';
import { createSite, listSites } from '@propusk/contract/sites';
import { load } from '@propusk/supervisor/backup/load';
import { verify } from '@propusk/supervisor/backup/reader';
import { PASSWORD, startApi, testEncryption } from '@propusk/test-kit/api/api';
import { createTestDatabase, type TestDatabase } from '@propusk/test-kit/api/database';
import { everything } from '@propusk/test-kit/backup/compare';
import { nodeEnvironment } from '@propusk/test-kit/node-environment';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { passwordPlace } from '../encryption.ts';
import { bindPasswords } from '../proxies/store.ts';
import { DatabaseUnfit, migrate } from './migrate.ts';

const serverUrl = inject('serverUrl');
const migrations = fileURLToPath(new URL('./migrations/', import.meta.url));
/** A pg_dump of a database of release 0.1, and a backup of that database by `npm run backup`. */
const release = new URL('../../test/release-0.1.sql', import.meta.url);
const backup = fileURLToPath(new URL('../../test/release-0.1.backup', import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'propusk-upgrade-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Copies the product's migrations into a new folder and adds a migration of the test. */
async function folderWith(name: string, text: string): Promise<URL> {
  const made = await mkdtemp(join(folder, 'sql-'));
  await cp(migrations, made, { recursive: true });
  await writeFile(join(made, name), text);
  return pathToFileURL(`${made}/`);
}

async function databaseOfRelease(): Promise<TestDatabase> {
  const database = await createTestDatabase(serverUrl, { empty: true });
  const client = database.client();
  await client.connect();
  await client.query(await readFile(release, 'utf8'));
  await client.end();
  return database;
}

/**
 * Reads columns, constraints, indexes, triggers and functions. Omits the monthly partitions of the audit, which depend on the
 * date. Omits parentheses, because pg_dump adds some.
 */
async function schemaOf({ pool }: TestDatabase): Promise<string[]> {
  const { rows } = await pool.query<{ line: string }>(`
    select line from (
      select concat_ws(' ', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
          pg_get_expr(d.adbin, d.adrelid), a.attidentity, a.attgenerated) as line
        from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'S')
      union all select concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
        where connamespace = 'public'::regnamespace and contype <> 'n'
      union all select indexdef from pg_indexes where schemaname = 'public'
      union all select concat_ws(' ', pg_get_triggerdef(oid), tgenabled) from pg_trigger where not tgisinternal
      union all select pg_get_functiondef(p.oid) from pg_proc p where pronamespace = 'public'::regnamespace
        and not exists (select from pg_depend where objid = p.oid and deptype = 'e')) as lines`);
  const lines = rows.map(({ line }) => line.replaceAll(/[()]/g, ''));
  return lines.filter((line) => !/audit_\d{4}_\d\d/.test(line)).toSorted();
}

type Columns = ReadonlyMap<string, readonly string[]>;

/** The columns of each table, except the list of migrations and a table that release 0.2 drops. */
async function columnsOf({ pool }: TestDatabase): Promise<Columns> {
  const { rows } = await pool.query<{ name: string; columns: string[] }>(`
    select table_name as name, array_agg(column_name::text) as columns from information_schema.columns
    where table_schema = 'public' and table_name not in ('kysely_migration', 'gateway_acknowledgements') group by 1`);
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}

/** Reads the rows of the tables, with only the given columns. */
async function rowsOf({ pool }: TestDatabase, columns: Columns): Promise<Record<string, unknown[]>> {
  const { tables } = await everything(pool);
  const narrow = (name: string, row: string) => {
    const values = Object.entries(JSON.parse(row) as Record<string, unknown>);
    return Object.fromEntries(values.filter(([column]) => columns.get(name)?.includes(column)));
  };
  const known = Object.entries(tables).filter(([name]) => columns.has(name));
  return Object.fromEntries(known.map(([name, rows]) => [name, rows.map((row) => narrow(name, row))]));
}

async function expectToServe(database: TestDatabase): Promise<void> {
  await bindPasswords(database.db, testEncryption);
  const { rows } = await database.pool.query('select host, port, password_sealed from proxies where id = 2');
  const place = passwordPlace(1, { id: 2, host: rows[0].host, port: rows[0].port });
  expect(testEncryption.open(place, rows[0].password_sealed)).toBe('a password of 0.1');

  const api = await startApi(serverUrl, { shared: database });
  const { token } = await api.must(null, login, {
    body: { email: 'ivan@romashka.test', password: PASSWORD },
  });
  const check = await api.must(token, getSiteCheck, { params: { id: 1 } });
  expect(check).toMatchObject({ verdict: 'open', meaning: expect.stringMatching(/У сайта нет политики/) });
  expect(check?.steps).toMatchObject([
    { title: 'Снаружи, https://crm.example.ru (192.0.2.9)', detail: '200' },
  ]);
  await api.must(token, createSite, { body: { address: 'new.example.ru', politics: [1] } });
  const sites = await api.must(token, listSites, { query: {} });
  expect(sites.rows.map(({ address }) => address).toSorted()).toEqual(['crm.example.ru', 'new.example.ru']);
  await api.close();
}

test('the upgrade of a database of release 0.1 keeps every row and produces the current schema', async () => {
  const database = await databaseOfRelease();
  const columns = await columnsOf(database);
  const before = await rowsOf(database, columns);
  await migrate(database.db);
  expect(await rowsOf(database, columns)).toEqual(before);
  const fresh = await createTestDatabase(serverUrl);
  expect(await schemaOf(database)).toEqual(await schemaOf(fresh));
  const applied = 'select name from kysely_migration order by name';
  expect((await database.pool.query(applied)).rows).toEqual((await fresh.pool.query(applied)).rows);
  await fresh.drop();
  await expectToServe(database);
  await database.drop();
});

test('a failed upgrade leaves a database of release 0.1 unchanged', async () => {
  const database = await databaseOfRelease();
  const before = [await everything(database.pool), await schemaOf(database)];
  const broken = await folderWith('900-broken.sql', 'alter table users drop column name; select 1 / 0;');
  await expect(migrate(database.db, broken)).rejects.toThrow(/900-broken.*не прошло, база осталась прежней/);
  expect([await everything(database.pool), await schemaOf(database)]).toEqual(before);
  await migrate(database.db);
  await database.drop();
});

test('a backup of release 0.1 is restored with every row', async () => {
  const database = await databaseOfRelease();
  const columns = await columnsOf(database);
  const before = await rowsOf(database, columns);
  const target = await createTestDatabase(serverUrl, { empty: true });
  await load(target.url, await verify(backup, 'correct horse battery staple'));
  expect(await rowsOf(target, columns)).toEqual(before);
  await expectToServe(target);
  await database.drop();
  await target.drop();
});

test('a program older than its database prints one line and exits', async () => {
  const database = await createTestDatabase(serverUrl);
  await migrate(database.db, await folderWith('900-future.sql', 'create table future (id int)'));
  await expect(migrate(database.db)).rejects.toThrow(DatabaseUnfit);
  const secrets = { SECRET_KEY: 'the sealing secret of all the tests', GATEWAY_SECRET: 'x'.repeat(32) };
  const child = fork(fileURLToPath(new URL('../main.ts', import.meta.url)), {
    env: { ...nodeEnvironment(), DATABASE_URL: database.url, DATA_DIR: folder, ...secrets },
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

test('the migration files are numbered without gaps', async () => {
  const files = (await readdir(migrations)).toSorted();
  expect(files.map((name) => Number(name.slice(0, 3)))).toEqual(files.map((_, i) => i + 1));
});
