import { readFileSync } from 'node:fs';
import { createTestDatabase, type TestDatabase } from '@propusk/test-kit/api/database';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase(inject('serverUrl'));
});
afterAll(() => database.drop());

type Columns = Record<string, string>;

/** Parses the fields of a type literal in schema.ts. @returns by column: whether it is nullable, and whether it has a default or is generated */
function columnsOf(literal: string): Columns {
  const fields = literal.matchAll(/(\w+): ([^;]+?)\s*(?:;|$)/g);
  return Object.fromEntries(
    Array.from(fields, ([, name = '', type = '']) => [
      name,
      [
        /\| null\b|^unknown$/.test(type) ? 'null' : 'not null',
        type.startsWith('GeneratedAlways<') ? 'generated' : type.startsWith('Generated<') ? 'default' : '',
      ].join(' '),
    ]),
  );
}

function typedTables(): Record<string, Columns> {
  const text = readFileSync(new URL('./schema.ts', import.meta.url), 'utf8');
  const rowOf = columnsOf(/interface Row \{([\s\S]*?)\n\}/.exec(text)?.[1] ?? '');
  const [, body = ''] = /interface Tables \{([\s\S]*?)\n\}/.exec(text) ?? [];
  const tables = Array.from(body.matchAll(/^ {2}(\w+): (Row & )?\{([\s\S]*?)\};$/gm));
  expect(tables).toHaveLength(body.match(/^ {2}\w+:/gm)?.length ?? 0);
  return Object.fromEntries(
    tables.map(([, table = '', row, literal = '']) => [table, { ...(row && rowOf), ...columnsOf(literal) }]),
  );
}

test('the table types match the columns, nullability and defaults of the migrated database', async () => {
  const typed = typedTables();
  const { rows } = await sql<{ table: string; column: string; nullable: boolean; filled: string }>`
    select table_name as table, column_name as column, is_nullable = 'YES' as nullable,
      case when is_generated = 'ALWAYS' or identity_generation = 'ALWAYS' then 'generated'
        when column_default is not null or is_identity = 'YES' then 'default' else '' end as filled
    from information_schema.columns where table_schema = 'public'
      and table_name in (${sql.join(Object.keys(typed))})`.execute(database.db);
  const stored: Record<string, Columns> = {};
  for (const { table, column, nullable, filled } of rows) {
    stored[table] ??= {};
    stored[table][column] = `${nullable ? 'null' : 'not null'} ${filled}`;
  }
  expect(typed).toEqual(stored);
});
