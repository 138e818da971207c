import { limits } from '@propusk/contract/limits';
import { type SqlBool, sql } from 'kysely';
import { AppError } from '../core/errors.ts';
import { companyLock, type Missing } from '../db/company.ts';
import type { Tx } from '../db/open.ts';
import { pipeline, run, type Statement, statement } from '../db/pipeline.ts';
import type { CountedTable } from '../db/schema.ts';
import { ofCompany } from '../db/scope.ts';

/** Maps each table whose rows a plan limits to the name of the limit. */
const limited = { users: 'people', sites: 'sites', proxies: 'proxies' } as const;
const isLimited = (table: CountedTable): table is keyof typeof limited => table in limited;

/**
 * Locks a company and checks that the company may have more rows of one table. Two limits apply: the
 * product's limit, and the limit of the company's plan.
 * @param companyId null for the platform's own proxies and users
 * @param more.rows the number of rows to add
 * @param more.paid whether the row is a paid proxy, which the limit of the plan does not count
 * @param more.check a statement that is sent with the lock. It may refuse the rows before the limits are checked
 * @throws AppError too_many_objects, plan_limit; `missing` when the company is gone
 */
export async function makeRoom(
  tx: Tx,
  kind: CountedTable,
  companyId: number | null,
  missing: Missing = 'unauthorized',
  more: { readonly rows?: number; readonly paid?: boolean; readonly check?: Statement<void> } = {},
): Promise<void> {
  const { rows = 1, paid = false, check } = more;
  const limit = paid || !isLimited(kind) ? null : limited[kind];
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
  else await pipeline<void[]>(tx, companyLock(tx, companyId, missing), ...(check ? [check] : []), room);
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
