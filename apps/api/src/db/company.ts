import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Member } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import type { Db, Tx } from './open.ts';
import { run, type Statement, statement } from './pipeline.ts';
import type { EntityTable } from './schema.ts';

/** The error for a deleted company. */
export type Missing = 'unauthorized' | 'not_found';

/**
 * Serializes the writes of one company, so that counts and references cannot change between a check and the write. Each
 * write takes this lock first, so that writes cannot deadlock.
 * @throws AppError with the code in `missing` when the company was deleted
 */
export async function lockCompany(tx: Tx, companyId: number, missing: Missing = 'not_found'): Promise<void> {
  await run(tx, companyLock(tx, companyId, missing));
}

/**
 * Locks the actor's own company before a row of the company is created.
 * @throws AppError unauthorized when the company was deleted, because its users were deleted too
 */
export function lockOwnCompany(tx: Tx, { companyId }: Member): Promise<void> {
  return lockCompany(tx, companyId, 'unauthorized');
}

/**
 * Refuses a company without a confirmed mailbox. Such a company gets no gateway credentials, and the api opens no connections
 * on its behalf (ADR 020).
 * @throws AppError company_unconfirmed
 */
export async function demandConfirmed(db: Db, companyId: number): Promise<void> {
  const unconfirmed = sql`select from companies where id = ${companyId} and not confirmed`;
  if ((await unconfirmed.execute(db)).rows.length > 0) throw new AppError('company_unconfirmed');
}

const companyColumns: Partial<Record<EntityTable, RawBuilder<unknown>>> = {
  companies: sql`id`,
  plans: sql`null::bigint`,
};

/** Finds and locks the company of a row in one statement. @param visible SQL condition for the rows that the actor may change */
export function lockCompanyOf(
  tx: Tx,
  table: EntityTable,
  id: number,
  visible: Expression<SqlBool> = sql<SqlBool>`true`,
): Statement<void> {
  const lock = sql`select from companies where id = (select ${companyColumns[table] ?? sql`company_id`}
    from ${sql.table(table)} where id = ${id} and ${visible}) for no key update`;
  return statement(lock.compile(tx), () => undefined);
}

/** A statement that locks a company. Fails with the error code in `missing` when the company was deleted. */
export function companyLock(tx: Tx, companyId: number, missing: Missing): Statement<void> {
  const lock = tx.selectFrom('companies').select('id').where('id', '=', companyId).forNoKeyUpdate();
  return statement(lock.compile(), (rows) => {
    if (rows.length === 0) throw new AppError(missing);
  });
}
