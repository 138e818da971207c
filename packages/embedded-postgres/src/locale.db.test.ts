import { join } from 'node:path';
import { ask, makeScratch, removeScratch } from '@propusk/test-kit/embedded/scratch';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EmbeddedDatabase, openEmbedded } from './open.ts';
import { urlOf } from './readiness.ts';

let scratch: string;
let db: EmbeddedDatabase;
beforeAll(async () => {
  scratch = makeScratch();
  db = await openEmbedded({ dataDir: join(scratch, 'data') });
  await ask(db.url, 'create extension citext');
  await ask(db.url, 'create extension pg_trgm');
});
afterAll(async () => {
  await db.close();
  removeScratch(scratch);
});

test("'иван' finds 'Иван' by ILIKE, lower(), a regular expression and citext", async () => {
  expect(
    await ask(
      db.url,
      `select 'Иван Ёжиков' ilike '%иван ё%' as ilike, lower('ИВАН ЁЖ') = 'иван ёж' as lower, upper('ё') = 'Ё' as upper,
       'ИВАН' ~* 'иван' as regexp, 'Иван'::citext = 'иВАН'::citext as citext`,
    ),
  ).toEqual([{ ilike: true, lower: true, upper: true, regexp: true, citext: true }]);
});

test('a trigram index sees Cyrillic letters, ignores their case and finds what a scan finds', async () => {
  expect(
    await ask(db.url, "select show_trgm('Ёж') = show_trgm('ёж') as same, cardinality(show_trgm('ёж')) as n"),
  ).toEqual([{ same: true, n: 3 }]);
  await ask(db.url, 'create table people (name text not null)');
  await ask(
    db.url,
    `insert into people select (array['Иванов','ПЕТРОВА','сидоров','Ёлкина'])[1 + i % 4] || ' ' || md5(i::text)
     from generate_series(1, 20000) i`,
  );
  await ask(db.url, 'create index people_name on people using gin (name gin_trgm_ops)');
  await ask(db.url, 'vacuum analyze people');
  for (const text of ['петрова', 'ЁЛКИН', 'Иванов a']) {
    const count = `select count(*)::int as found from people where name ilike '%${text}%'`;
    const byIndex = `${db.url}&options=-c%20enable_seqscan%3Doff`;
    const byScan = `${db.url}&options=-c%20enable_bitmapscan%3Doff`;
    expect(JSON.stringify(await ask(byIndex, `explain ${count}`))).toContain('people_name');
    expect(JSON.stringify(await ask(byScan, `explain ${count}`))).not.toContain('people_name');
    expect(await ask(byIndex, count)).toEqual(await ask(byScan, count));
  }
  expect(await ask(db.url, "select count(*)::int as found from people where name ilike '%петрова%'")).toEqual(
    [{ found: 5000 }],
  );
});

test('names sort as in a Russian directory: ignoring case, ё beside е, Cyrillic first', async () => {
  const rows = await ask(
    db.url,
    `select name from unnest(array['Яна','anna','авдеев','Ёлкин','Жуков','Елкин','Boris','Йод','Иван','ёж','9']) as name
     order by name`,
  );
  expect(rows.map(({ name }) => name)).toEqual([
    '9',
    'авдеев',
    'ёж',
    'Елкин',
    'Ёлкин',
    'Жуков',
    'Иван',
    'Йод',
    'Яна',
    'anna',
    'Boris',
  ]);
});

test('unique keys compare strings exactly, without folding case', async () => {
  expect(await ask(db.url, "select 'Иван' = 'иван' as folded, 'ё' = 'е' as merged")).toEqual([
    { folded: false, merged: false },
  ]);
});

test('indexes are rebuilt when the package brings another ICU', async () => {
  const socketDir = join(scratch, 'data', 'postgres');
  await ask(
    urlOf(socketDir, 'postgres', 'postgres'),
    "update pg_database set datcollversion = '1' where datname <> 'template0'",
  );
  const before = await ask(db.url, "select pg_relation_filenode('people_name') as node");
  await db.close();
  const said: string[] = [];
  db = await openEmbedded({ dataDir: join(scratch, 'data'), onProgress: (line) => said.push(line) });

  expect(said).toEqual(['Правила сортировки PostgreSQL обновились: индексы базы данных перестраиваются.']);
  expect(await ask(db.url, "select pg_relation_filenode('people_name') as node")).not.toEqual(before);
  expect(
    await ask(
      db.url,
      'select from pg_database where datcollversion <> pg_database_collation_actual_version(oid)',
    ),
  ).toEqual([]);
});
