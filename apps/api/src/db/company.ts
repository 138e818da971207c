import { limits } from '@propusk/contract/limits';
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Member } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import type { Db, Tx } from './open.ts';
import { pipeline, run, type Statement, statement } from './pipeline.ts';
import { ofCompany } from './scope.ts';

/** The error for a deleted company. */
type Missing = 'unauthorized' | 'not_found';

/**
 * Serializes the writes of one company: counts and links cannot change between a check and its write. Every such write
 * takes this lock first, so all writes lock in one order.
 * @throws AppError `missing` when the company was deleted
 */
export async function lockCompany(tx: Tx, companyId: number, missing: Missing = 'not_found'): Promise<void> {
  await run(tx, companyLock(tx, companyId, missing));
}

/** Locks the actor's own company before a create in it. @throws AppError unauthorized when it was deleted, and the actor with it */
export function lockOwnCompany(tx: Tx, { companyId }: Member): Promise<void> {
  return lockCompany(tx, companyId, 'unauthorized');
}

/**
 * Refuses gateway credentials of a company of which nobody has proved a mailbox yet, and calls that make this server dial for it
 * (ADR 020).
 * @throws AppError company_unconfirmed
 */
export async function demandConfirmed(db: Db, companyId: number): Promise<void> {
  const unconfirmed = sql`select from companies where id = ${companyId} and not confirmed`;
  if ((await unconfirmed.execute(db)).rows.length > 0) throw new AppError('company_unconfirmed');
}

/** The tables of entities that limits count. In rows of the platform, such as shared proxies, `company_id` is null. */
type Counted = 'users' | 'proxies' | 'sites' | 'policies';
/** The tables of entities. */
export type EntityTable = Counted | 'companies' | 'plans';

const companyColumns: Partial<Record<EntityTable, RawBuilder<unknown>>> = {
  companies: sql`id`,
  plans: sql`null::bigint`,
};

/** Finds and locks the company of a row in one statement. @param visible the condition of rows that the actor may change */
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

function companyLock(tx: Tx, companyId: number, missing: Missing): Statement<void> {
  const lock = tx.selectFrom('companies').select('id').where('id', '=', companyId).forNoKeyUpdate();
  return statement(lock.compile(), (rows) => {
    if (rows.length === 0) throw new AppError(missing);
  });
}

/** The limits of a plan by the table whose rows they count. A plan does not limit policies. */
const limited = { users: 'people', sites: 'sites', proxies: 'proxies' } as const;

/**
 * Locks a company and enforces its limits of rows of one table: the product's, and those of its plan.
 * @param companyId null for the platform's own proxies and users
 * @param more.rows the number of rows to add
 * @param more.paid for a paid proxy, which the plan's limit of own proxies does not count
 * @throws AppError too_many_objects; plan_limit; `missing` when the company is gone
 */
export async function makeRoom(
  tx: Tx,
  kind: Counted,
  companyId: number | null,
  missing: Missing = 'unauthorized',
  more: { readonly rows?: number; readonly paid?: boolean } = {},
): Promise<void> {
  const { rows = 1, paid = false } = more;
  const limit = paid || kind === 'policies' ? null : limited[kind];
  const own = sql.raw<SqlBool>(kind === 'proxies' ? "type <> 'payment'" : 'true');
  const plan = sql`from companies c cross join plan_of(c) p where c.id = ${companyId}`;
  const count = sql<{ held: number; own: number; most: number | null; plan: string }>`
    select count(*) as held, count(*) filter (where ${own}) as own,
      ${limit === null ? sql`null::int` : sql`(select p.${sql.ref(limit)} ${plan})`} as most,
      (select p.name ${plan}) as plan
    from ${sql.table(kind)} where ${ofCompany(companyId)}`;
  const room = statement(count.compile(tx), ([row]) => {
    if (row === undefined || row.held + rows > limits.objectsPerCompany)
      throw new AppError('too_many_objects');
    if (limit === null || row.most === null || row.own + rows <= row.most) return;
    throw new AppError('plan_limit', { detail: ['plan_limit_of', limit, row.most, row.plan] });
  });
  if (companyId === null) await run(tx, room);
  else await pipeline(tx, companyLock(tx, companyId, missing), room);
}

/** @throws AppError not_in_plan when the plan of the company lacks the feature */
export async function demandInPlan(
  tx: Tx,
  companyId: number,
  feature: 'paid_proxies' | 'all_sites',
): Promise<void> {
  const { rows } = await sql`select from companies c cross join plan_of(c) p
    where c.id = ${companyId} and p.${sql.ref(feature)}`.execute(tx);
  if (rows.length === 0) throw new AppError('not_in_plan');
}
