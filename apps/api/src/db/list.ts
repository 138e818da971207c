import { type ListQuery, storedEmail } from '@propusk/contract/fields';
import { limits } from '@propusk/contract/limits';
import { type Expression, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';

/**
 * Reads a page of a list, and the count of all matching rows. Without parameters, returns all rows in ascending order, up to
 * `limits.list`. Only a list over the whole platform can have more rows than this limit.
 * @param matching the query with its conditions, without order and limit
 * @param keys the sort keys
 */
export async function readList<DB, TB extends keyof DB, O>(
  matching: SelectQueryBuilder<DB, TB, O>,
  query: ListQuery,
  ...keys: readonly Expression<unknown>[]
): Promise<{ rows: O[]; count: number }> {
  const direction = query.order === 'DESC' ? 'desc' : 'asc';
  let ordered = matching;
  for (const key of keys) ordered = ordered.orderBy(key, direction);
  const whole = Object.values(query).every((value) => value === undefined);
  const take = query.take ?? limits.page.take;
  const page = whole
    ? ordered.limit(limits.list)
    : ordered.limit(take).offset(((query.page ?? 1) - 1) * take);
  const rows = await page.execute();
  const counted = matching.clearSelect().select(({ fn }) => fn.countAll<number>().as('count'));
  const { count } = (await counted.executeTakeFirstOrThrow()) as { count: number };
  return { rows, count };
}

/**
 * Returns the SQL condition that every word of the text occurs in one of the columns. The comparison ignores
 * case and takes `%` and `_` literally.
 * @param columns names of columns, or expressions of type text
 * @param everywhere whether the query reads the rows of all companies and may use the trigram indexes. With
 *   these indexes, the time of a query of one company would depend on the names of other companies.
 */
export function contains(
  columns: readonly (string | RawBuilder<string>)[],
  text: string | undefined,
  everywhere: boolean,
): Expression<SqlBool> {
  const words = new Set(text?.match(/\S+/g));
  // The trigram indexes are on columns cast to text, so PostgreSQL can use them for this expression. A query of one company adds an
  // empty string to the expression, so that PostgreSQL uses the index of the company instead.
  const searched = columns.map((column) => {
    const whole = typeof column === 'string' ? sql`${sql.ref(column)}::text` : column;
    return everywhere ? whole : sql`(${whole} || '')`;
  });
  const conditions = [...words].map((word) => {
    // Mail addresses are stored in Punycode and shown in Unicode, so each word is also searched in Punycode. A word with a dot
    // may be the domain of an address. The text of users has U+0451 replaced by U+0435.
    const isDomain = word.includes('.') && !word.includes('@');
    const stored = isDomain ? storedEmail(`@${word}`).slice(1) : storedEmail(word);
    const spellings = [word, stored, word.replace(/\u0451/gi, '\u0435')];
    const patterns = [...new Set(spellings)].map((each) => `%${each.replace(/[\\%_]/g, '\\$&')}%`);
    return sql`(${sql.join(
      searched.flatMap((column) => patterns.map((pattern) => sql`${column} ilike ${pattern}`)),
      sql` or `,
    )})`;
  });
  return every(...conditions);
}

/** Returns the SQL condition that all given conditions hold. Leaves out those that are false. */
export function every(...conditions: readonly (RawBuilder<unknown> | false)[]): Expression<SqlBool> {
  const given = conditions.filter((condition) => condition !== false);
  return sql<SqlBool>`(${sql.join([sql`true`, ...given], sql` and `)})`;
}
