import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/**
 * From the third migration on, a migration only expands the schema. The previous release therefore works with the new schema
 * while several apis are upgraded one by one. Unused columns and tables are dropped one release later.
 */
const folder = new URL('./migrations/', import.meta.url);
const contracts =
  /\bdrop\s+(?:table|column|view|type|function)\b|\brename\b|\balter\s+column\s+\S+\s+(?:set\s+data\s+)?type\b|\bset\s+not\s+null\b|\badd\s+column(?:(?!\bdefault\b|\bgenerated\b)[^;,])*\bnot\s+null(?!(?:(?!;|,).)*\bdefault\b)/i;

test('migrations after 0.2 change or remove nothing that the previous release uses', () => {
  const later = readdirSync(folder).filter((name) => name.endsWith('.sql') && name >= '003');
  const unfit = later.filter((name) => contracts.test(readFileSync(new URL(name, folder), 'utf8')));
  expect(unfit).toEqual([]);
});

test.each([
  'alter table sites drop column address',
  'DROP TABLE sites',
  'alter table sites rename to places',
  'alter table sites alter column name type text',
  'alter table sites alter column name set not null',
  'alter table sites add column kind text not null',
])('a migration after 0.2 may not contain the statement: %s', (statement) => {
  expect(statement).toMatch(contracts);
});

test.each([
  'alter table sites add column kind text',
  "alter table sites add column kind text not null default 'a'",
  "alter table sites add column kind text default 'a' not null",
  'create table kinds (id int not null)',
  'drop index sites_old',
])('a migration after 0.2 may contain the statement: %s', (statement) => {
  expect(statement).not.toMatch(contracts);
});
