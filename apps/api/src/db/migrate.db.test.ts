import { readdir } from 'node:fs/promises';
import { health } from '@propusk/contract/health';
import { startApi, testEncryption } from '@propusk/test-kit/api/api';
import { createTestDatabase } from '@propusk/test-kit/api/database';
import { expect, inject, test } from 'vitest';
import { createEncryption } from '../encryption.ts';
import { checkKey } from './key-check.ts';
import { DatabaseUnfit, migrate } from './migrate.ts';

const serverUrl = inject('serverUrl');

test('several processes can migrate at once, and a repeated migration succeeds', async () => {
  const database = await createTestDatabase(serverUrl, { empty: true });
  await Promise.all([migrate(database.db), migrate(database.db), migrate(database.db)]);
  await migrate(database.db);
  const { rows } = await database.pool.query('select name from kysely_migration order by name');
  const files = await readdir(new URL('./migrations/', import.meta.url));
  expect(rows.map(({ name }) => `${name}.sql`)).toEqual(files.toSorted());
  await database.drop();
});

test('the api refuses the schema of a newer version and leaves it unchanged', async () => {
  const database = await createTestDatabase(serverUrl);
  await database.pool.query(`insert into kysely_migration values ('999-from-the-future', now())`);
  await expect(migrate(database.db)).rejects.toThrow(/более новой версией/);
  await database.drop();
});

test('a failed migration rolls back completely', async () => {
  const database = await createTestDatabase(serverUrl, { empty: true });
  // This table conflicts with a statement in the middle of the first migration file.
  await database.pool.query('create table proxies (id int)');
  await expect(migrate(database.db)).rejects.toThrow(DatabaseUnfit);
  const { rows } = await database.pool.query(`select tablename from pg_tables where schemaname = 'public'`);
  expect(rows.map(({ tablename }) => tablename)).not.toContain('companies');
  await database.drop();
});

test.each([
  `encoding 'SQL_ASCII' locale_provider libc locale 'C' template template0`,
  `encoding 'UTF8' locale_provider libc locale 'C' template template0`,
  // ILIKE folds case by ICU, but pg_trgm uses LC_CTYPE. With LC_CTYPE=C, pg_trgm ignores Cyrillic letters.
  `encoding 'UTF8' locale_provider icu icu_locale 'ru' locale 'C' template template0`,
])('the api refuses a database that cannot fold Cyrillic letters: %s', async (options) => {
  const database = await createTestDatabase(serverUrl, { empty: true, options });
  await expect(migrate(database.db)).rejects.toThrow(/русские буквы/);
  await database.drop();
});

test('the api refuses to start with another SECRET_KEY and starts again with the right key', async () => {
  const database = await createTestDatabase(serverUrl);
  await checkKey(database.db, testEncryption);
  await expect(checkKey(database.db, createEncryption('quite another secret of the tests'))).rejects.toThrow(
    /SECRET_KEY/,
  );
  await checkKey(database.db, testEncryption);
  await database.drop();
});

test('health reports an unreachable database and recovers when the database is back', async () => {
  const api = await startApi(serverUrl);
  expect((await api.call(null, health)).status).toBe(200);
  await api.database.shut();
  const away = await api.call(null, health);
  expect([away.status, away.error.code]).toEqual([503, 'unavailable']);
  await api.database.reopen();
  expect((await api.call(null, health)).status).toBe(200);
  await api.close();
});
