import type { ListQuery } from '@propusk/contract/fields';
import { limits } from '@propusk/contract/limits';
import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';

/**
 * The page of a list by id. Without parameters: all rows, in ascending order (answers.md).
 */
export function paged<DB, TB extends keyof DB, O>(
  rows: SelectQueryBuilder<DB, TB, O>,
  query: ListQuery,
  id: Expression<number>,
): SelectQueryBuilder<DB, TB, O> {
  const ordered = rows.orderBy(id, query.order === 'DESC' ? 'desc' : 'asc');
  const whole = Object.values(query).every((value) => value === undefined);
  if (whole) return ordered;
  const take = query.take ?? limits.page.take;
  return ordered.limit(take).offset(((query.page ?? 1) - 1) * take);
}

/** Whether one of the columns holds the text anywhere, letter case ignored; `%` and `_` are letters. */
export function contains(columns: Expression<string>[], text: string | undefined): Expression<SqlBool> {
  if (text === undefined || text === '') return sql<SqlBool>`true`;
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return sql<SqlBool>`(${sql.join(
    columns.map((column) => sql`${column}::text ilike ${pattern}`),
    sql` or `,
  )})`;
}
