import type { Plan, PlanCompany, PlanInput } from '@propusk/contract/plans';
import { minorDigits } from '@propusk/contract/reference/currencies';
import { keptName } from '@propusk/contract/shown-text';
import { standardPlan } from '@propusk/phrases/errors';
import { sql } from 'kysely';
import { type AuditFields, record } from '../audit/store.ts';
import type { Actor } from '../core/actor.ts';
import { AppError, found } from '../core/errors.ts';
import { expectVersion, type IfMatch } from '../core/versions.ts';
import type { Db, Tx } from '../db/open.ts';

/** The most plans of the platform, archived ones included: the console shows them on one page. */
const MOST_PLANS = 100;

/** What the company `c` of a query has of each limited kind, as a JSON object. */
export const usage = sql`json_build_object(
  'people', (select count(*) from users where company_id = c.id),
  'sites', (select count(*) from sites where company_id = c.id),
  'proxies', (select count(*) from proxies where owner_id = c.id and type <> 'payment'),
  'paidProxies', (select count(*) from proxies where owner_id = c.id and type = 'payment'),
  'allSites', (select count(*) from policies where company_id = c.id and all_sites))`;

/** Reads plans by id, in the order of their ids; without ids all. */
export async function readPlans(db: Db, ids?: readonly number[]): Promise<Plan[]> {
  const rows = await db
    .selectFrom('plans')
    .selectAll()
    .select(
      sql<number>`(select count(*) from companies
        where plan_id = plans.id or (plans.standard and plan_id is null))`.as('companies'),
    )
    .$if(ids !== undefined, (plans) => plans.where('id', 'in', ids ?? []))
    .orderBy('id')
    .execute();
  return rows.map(({ price_amount: amount, price_currency: currency, ...row }) => ({
    id: row.id,
    name: row.name === '' ? standardPlan : row.name,
    price: amount === null || currency === null ? null : { amount, currency },
    people: row.people,
    sites: row.sites,
    proxies: row.proxies,
    paidProxies: row.paid_proxies,
    allSites: row.all_sites,
    offered: row.offered,
    trial: row.trial,
    standard: row.standard,
    companies: row.companies,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }));
}

const findPlan = async (db: Db, id: number) => found((await readPlans(db, [id]))[0]);

/** @throws AppError too_many_objects, plan_exists */
export async function createPlan(tx: Tx, actor: Actor, body: PlanInput): Promise<Plan> {
  const all = await lockPlans(tx, body);
  if (all.length >= MOST_PLANS) throw new AppError('too_many_objects');
  await moveTrialMark(tx, body, 0);
  const { id } = await tx.insertInto('plans').values(columns(body)).returning('id').executeTakeFirstOrThrow();
  const plan = await findPlan(tx, id);
  await record(tx, actor, { ...target(plan), action: 'created', after: auditFields(plan) });
  return plan;
}

/** @throws AppError not_found, changed_meanwhile, plan_exists, standard_plan */
export async function updatePlan(
  tx: Tx,
  actor: Actor,
  id: number,
  body: PlanInput,
  ifMatch: IfMatch,
): Promise<Plan> {
  const before = found((await lockPlans(tx, body, id)).find((plan) => plan.id === id));
  expectVersion(ifMatch, before.version);
  if (before.standard && (!body.offered || body.trial)) throw new AppError('standard_plan');
  await moveTrialMark(tx, body, id);
  await tx
    .updateTable('plans')
    .set({
      ...columns({ ...body, name: keptName(body.name, before.name) }),
      version: before.version + 1,
      updated_at: sql<string>`now()`,
    })
    .where('id', '=', id)
    .execute();
  const plan = await findPlan(tx, id);
  const event = { ...target(before), action: 'changed', before: auditFields(before) } as const;
  await record(tx, actor, { ...event, after: auditFields(plan) });
  return plan;
}

/** The companies that a change of a plan concerns, and what each has beyond it. @throws AppError not_found */
export async function findConcerned(
  db: Db,
  id: number,
  body: PlanInput,
): Promise<{ rows: PlanCompany[]; count: number }> {
  await findPlan(db, id);
  const { rows } = await sql<{ id: number; name: string; used: Record<string, number>; count: number }>`
    select c.id, c.company_name as name, ${usage} as used, count(*) over () as count from companies c
    where c.plan_id = ${id} or (plan_of(c)).id = ${id} order by c.id limit 100`.execute(db);
  return {
    count: rows[0]?.count ?? 0,
    rows: rows.map(({ id: companyId, name, used }) => ({
      ...{ id: companyId, name },
      beyond: (['people', 'sites', 'proxies', 'paidProxies', 'allSites'] as const).filter((kind) => {
        const limit = body[kind];
        return (used[kind] ?? 0) > (limit === false ? 0 : typeof limit === 'number' ? limit : Infinity);
      }),
    })),
  };
}

/**
 * Serializes the changes of plans, so that names stay unique and the trial mark moves atomically.
 * @throws AppError plan_exists when the name is new for plan `id` and another plan has it
 */
async function lockPlans(tx: Tx, { name }: PlanInput, id?: number): Promise<Plan[]> {
  await sql`lock table plans in share row exclusive mode`.execute(tx);
  const plans = await readPlans(tx);
  const isTaken = (plan: Plan) => plan.id !== id && plan.name.toLowerCase() === name.toLowerCase();
  const isNew = plans.every((plan) => plan.id !== id || plan.name !== name);
  if (isNew && plans.some(isTaken)) throw new AppError('plan_exists');
  return plans;
}

async function moveTrialMark(tx: Tx, { trial }: PlanInput, to: number): Promise<void> {
  if (!trial) return;
  await sql`update plans set trial = false, version = version + 1 where trial and id <> ${to}`.execute(tx);
}

function columns({ price, paidProxies, allSites, people, sites, proxies, ...rest }: PlanInput) {
  return {
    ...rest,
    price_amount: price?.amount ?? null,
    price_currency: price?.currency ?? null,
    people: people ?? null,
    sites: sites ?? null,
    proxies: proxies ?? null,
    paid_proxies: paidProxies,
    all_sites: allSites,
  };
}

const target = ({ id, name }: Plan) => ({ kind: 'plan', id, name, companyId: null }) as const;

function auditFields({ name, price, people, sites, proxies, ...flags }: Plan): AuditFields {
  const { paidProxies, allSites, offered, trial } = flags;
  return {
    name,
    price: price === null ? '' : `${price.amount / 10 ** minorDigits(price.currency)} ${price.currency}`,
    people: String(people ?? ''),
    sites: String(sites ?? ''),
    proxies: String(proxies ?? ''),
    ...{ paidProxies, allSites, offered, trial },
  };
}
