import type { Expression, Selectable, SqlBool } from 'kysely';
import { AppError } from '../core/errors.ts';
import { expectVersion, type IfMatch } from '../core/versions.ts';
import { lockCompany } from './company.ts';
import type { Tx } from './open.ts';
import type { Tables } from './schema.ts';

type Owned = 'users' | 'proxies' | 'sites' | 'policies';

/**
 * Locks a row for a change, and its company before it, in the order of every write.
 * @param visible whether the actor may change the row at all
 * @throws AppError not_found, for a row that is another company's as for none; changed_meanwhile
 */
export async function lockRow<T extends Owned>(
  tx: Tx,
  table: T,
  id: number,
  visible: Expression<SqlBool>,
  ifMatch: IfMatch,
): Promise<Selectable<Tables[T]>> {
  const missing = () => new AppError('not_found');
  // Every table of the four has these columns; the builder cannot tell of a union of them.
  const find = () =>
    tx
      .selectFrom(table as 'proxies')
      .selectAll()
      .where('id', '=', id)
      .where(visible);
  const seen = await find().executeTakeFirstOrThrow(missing);
  if (seen.company_id !== null) await lockCompany(tx, seen.company_id);
  // Whoever held the lock before may have deleted or changed it.
  const row = await find().forNoKeyUpdate().executeTakeFirstOrThrow(missing);
  expectVersion(ifMatch, row.version);
  return row as unknown as Selectable<Tables[T]>;
}
