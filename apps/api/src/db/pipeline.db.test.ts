import { createTestDatabase, type TestDatabase } from '@propusk/test-kit/api/database';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { Tx } from './open.ts';
import { pipeline, type Statement, statement } from './pipeline.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase(inject('serverUrl'));
  await sql`create table words (word text primary key)`.execute(database.db);
});
afterAll(() => database.drop());
beforeEach(() => sql`delete from words`.execute(database.db));

const add = (tx: Tx, word: string): Statement<void> =>
  statement(sql`insert into words values (${word})`.compile(tx), () => undefined);
const count = (tx: Tx): Statement<number> =>
  statement(sql<{ held: number }>`select count(*) as held from words`.compile(tx), ([row]) => row?.held ?? 0);
const held = () =>
  database.db.transaction().execute(async (tx) => (await pipeline<[number]>(tx, count(tx)))[0]);

test('a statement sees the rows that earlier statements of the same pipeline wrote', async () => {
  const [, , seen] = await database.db
    .transaction()
    .execute((tx) => pipeline<[void, void, number]>(tx, add(tx, 'one'), add(tx, 'two'), count(tx)));
  expect(seen).toBe(2);
});

test('a pipeline fails with the error of its first failing statement and writes nothing', async () => {
  const work = database.db
    .transaction()
    .execute((tx) => pipeline(tx, add(tx, 'one'), add(tx, 'one'), add(tx, 'two'), count(tx)));
  await expect(work).rejects.toThrow('duplicate key');
  expect(await held()).toBe(0);
});

test('an error that a result callback throws rolls back all statements of the pipeline', async () => {
  const refusal = (tx: Tx) =>
    statement(sql`select 1`.compile(tx), () => {
      throw new Error('refused');
    });
  const work = database.db.transaction().execute((tx) => pipeline(tx, refusal(tx), add(tx, 'one')));
  await expect(work).rejects.toThrow('refused');
  expect(await held()).toBe(0);
});

test('a pipeline fails when its connection closes, and the next pipeline uses another connection', async () => {
  const end = (tx: Tx) =>
    statement(sql`select pg_terminate_backend(pg_backend_pid())`.compile(tx), () => undefined);
  const work = database.db
    .transaction()
    .execute((tx) => pipeline(tx, add(tx, 'one'), end(tx), add(tx, 'two')));
  await expect(work).rejects.toThrow('Client has encountered a connection error');
  expect(await held()).toBe(0);
});
