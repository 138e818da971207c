import { readdir } from 'node:fs/promises';
import { health } from '@propusk/contract/health';
import { startApi, testEncryption } from '@propusk/test-kit/api/api';
import { createTestDatabase } from '@propusk/test-kit/api/database';
import { expect, inject, test } from 'vitest';
import { createEncryption } from '../encryption.ts';
import { checkKey } from './key-check.ts';
import { DatabaseUnfit, migrate } from './migrate.ts';

const serverUrl = inject('serverUrl');

test('several processes may migrate at once, and once more', async () => {
  const database = await createTestDatabase(serverUrl, { empty: true });
  await Promise.all([migrate(database.db), migrate(database.db), migrate(database.db)]);
  await migrate(database.db);
  const { rows } = await database.pool.query('select name from kysely_migration order by name');
  const files = await readdir(new URL('./migrations/', import.meta.url));
  expect(files.length).toBeGreaterThan(2);
  expect(rows.map(({ name }) => `${name}.sql`)).toEqual(files.toSorted());
  await database.drop();
});

test('a schema from a newer program is refused and left alone', async () => {
  const database = await createTestDatabase(serverUrl);
  await database.pool.query(`insert into kysely_migration values ('999-from-the-future', now())`);
  await expect(migrate(database.db)).rejects.toThrow(/более новой версией/);
  await database.drop();
});

test('a migration that fails leaves nothing behind', async () => {
  const database = await createTestDatabase(serverUrl, { empty: true });
  // Stands in the way in the middle of the first file.
  await database.pool.query('create table proxies (id int)');
  await expect(migrate(database.db)).rejects.toThrow(DatabaseUnfit);
  const { rows } = await database.pool.query(`select tablename from pg_tables where schemaname = 'public'`);
  expect(rows.map(({ tablename }) => tablename)).not.toContain('companies');
  await database.drop();
});

test.each([
  `encoding 'SQL_ASCII' locale_provider libc locale 'C' template template0`,
  `encoding 'UTF8' locale_provider libc locale 'C' template template0`,
  // ICU folds what ILIKE compares, but pg_trgm finds no letters under the C beside it.
  `encoding 'UTF8' locale_provider icu icu_locale 'ru' locale 'C' template template0`,
])('a database that cannot fold Cyrillic letters is refused: %s', async (options) => {
  const database = await createTestDatabase(serverUrl, { empty: true, options });
  await expect(migrate(database.db)).rejects.toThrow(/русские буквы/);
  await database.drop();
});

test('another SECRET_KEY is refused, and the right one still opens', async () => {
  const database = await createTestDatabase(serverUrl);
  await checkKey(database.db, testEncryption);
  await expect(checkKey(database.db, createEncryption('quite another secret of the tests'))).rejects.toThrow(
    /SECRET_KEY/,
  );
  await checkKey(database.db, testEncryption);
  await database.drop();
});

test('without its database the api says so, and is well again with it', async () => {
  const api = await startApi(serverUrl);
  expect((await api.call(null, health)).status).toBe(200);
  await api.database.shut();
  const away = await api.call(null, health);
  expect([away.status, away.error.code]).toEqual([503, 'unavailable']);
  await api.database.reopen();
  expect((await api.call(null, health)).status).toBe(200);
  await api.close();
});
