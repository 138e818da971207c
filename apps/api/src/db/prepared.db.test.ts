import { createTestDatabase, type TestDatabase } from '@propusk/test-kit/api/database';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { contains } from './list.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase(inject('serverUrl'));
});
afterAll(() => database.drop());

/** The prepared statements of the current connection that query the table `companies`. */
const prepared = sql<{ statement: string }>`select statement from pg_prepared_statements
  where statement like '%companies%' and statement not like '%pg_prepared%'`;

test('a connection prepares a repeated statement, but never a search query', async () => {
  await database.db.connection().execute(async (db) => {
    const byId = (id: number) => db.selectFrom('companies').select('id').where('id', '=', id).execute();
    await byId(1);
    await byId(2);
    await byId(3);
    await db
      .selectFrom('companies')
      .select('id')
      .where(contains(['company_name'], 'a', false))
      .execute();
    const { rows } = await prepared.execute(db);
    expect(rows.map(({ statement }) => statement)).toEqual(['select "id" from "companies" where "id" = $1']);
  });
});

test('a prepared statement fails at most once after an upgrade alters its table', async () => {
  await sql`create table changing (id int primary key, word text)`.execute(database.db);
  await sql`insert into changing values (1, 'one')`.execute(database.db);
  await database.db.connection().execute(async (db) => {
    const all = () => sql<{ word: string }>`select * from changing where id = ${1}`.execute(db);
    await all();
    await all();
    await database.pool.query('alter table changing add more text');
    await expect(all()).rejects.toThrow('cached plan must not change result type');
    for (let again = 0; again < 3; again++)
      expect((await all()).rows).toEqual([{ id: 1, word: 'one', more: null }]);
  });
  await sql`drop table changing`.execute(database.db);
});

test('IN lists of 600 different lengths add no prepared statements', async () => {
  await database.db.connection().execute(async (db) => {
    const among = (ids: number[]) => db.selectFrom('companies').select('id').where('id', 'in', ids).execute();
    const before = (await prepared.execute(db)).rows.length;
    for (let length = 1; length <= 600; length++) await among(Array.from({ length }, (_, index) => index));
    expect((await prepared.execute(db)).rows).toHaveLength(before);
    for (let again = 0; again < 3; again++) await among([1, 2]);
    expect((await prepared.execute(db)).rows).toHaveLength(before + 1);
  });
});
