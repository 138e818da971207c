import type { Plan, PlanCompany, PlanInput } from '@propusk/contract/plans';
import { minorDigits } from '@propusk/contract/reference/currencies';
import { standardPlan } from '@propusk/phrases/errors';
import { type SqlBool, sql } from 'kysely';
import type { Actor } from '../core/actor.ts';
import { AppError, found } from '../core/errors.ts';
import type { Target } from '../core/versions.ts';
import type { Db, Tx } from '../db/open.ts';
import { changeEntity, createEntities } from '../entities/change.ts';
import { entity } from '../entities/entity.ts';

/** At most 100 plans, including archived ones, because the console shows them on one page. Further ones are refused. */
const MOST_PLANS = 100;

/** SQL that counts a company's objects of each limited kind, as a JSON object. `c` must be the query's alias of companies. */
export const usage = sql`json_build_object(
  'people', (select count(*) from users where company_id = c.id),
  'sites', (select count(*) from sites where company_id = c.id),
  'proxies', (select count(*) from proxies where owner_id = c.id and type <> 'payment'),
  'paidProxies', (select count(*) from proxies where owner_id = c.id and type = 'payment'),
  'allSites', (select count(*) from policies where company_id = c.id and all_sites))`;

/** SQL condition: row `plans` of a query is the plan of company `c`, assigned or in force, or would be without the trial. */
const isPlanOfCompany = sql`(c.plan_id = plans.id or (plans.trial and c.trial_ends_at > now())
  or (plans.standard and (c.plan_id is null or c.plan_ends_at <= now())))`;

const columns = [
  'plans.id',
  'plans.name',
  sql<Plan['price']>`case when price_amount is not null then
    json_build_object('amount', price_amount, 'currency', price_currency) end`.as('price'),
  'plans.people',
  'plans.sites',
  'plans.proxies',
  'plans.paid_proxies as paidProxies',
  'plans.all_sites as allSites',
  'plans.offered',
  'plans.trial',
  'plans.standard',
  sql<number>`(select count(*) from companies c where ${isPlanOfCompany})`.as('companies'),
  'plans.version',
  'plans.created_at as createdAt',
  'plans.updated_at as updatedAt',
] as const;

const present = (row: Plan): Plan => ({ ...row, name: row.name === '' ? standardPlan : row.name });

const planEntity = entity({
  table: 'plans',
  kind: 'plan',
  columns: () => columns,
  present,
  sees: () => sql<SqlBool>`true`,
  name: ({ name }) => name,
  facts: ({ name, price, people, sites, proxies, paidProxies, allSites, offered, trial }) => ({
    name,
    price: price === null ? '' : `${price.amount / 10 ** minorDigits(price.currency)} ${price.currency}`,
    people: String(people ?? ''),
    sites: String(sites ?? ''),
    proxies: String(proxies ?? ''),
    ...{ paidProxies, allSites, offered, trial },
  }),
});

/** Reads all plans, in the order of their ids. */
export async function readPlans(db: Db): Promise<Plan[]> {
  return (await db.selectFrom('plans').select(columns).orderBy('id').execute()).map(present);
}

/** @throws AppError too_many_objects, plan_exists */
export async function createPlan(tx: Tx, actor: Actor, body: PlanInput): Promise<Plan> {
  const all = await lockPlans(tx, body);
  if (all.length >= MOST_PLANS) throw new AppError('too_many_objects');
  await moveTrialMark(tx, body, 0);
  return found((await createEntities(tx, actor, planEntity, [columnsOf(body)]))[0]);
}

/** @throws AppError not_found, changed_meanwhile, plan_exists, standard_plan */
export async function updatePlan(tx: Tx, actor: Actor, target: Target, body: PlanInput): Promise<Plan> {
  const { id } = target;
  await lockPlans(tx, body, id);
  return changeEntity(tx, actor, planEntity, target, async ({ standard }) => {
    if (standard && (!body.offered || body.trial)) throw new AppError('standard_plan');
    await moveTrialMark(tx, body, id);
    return { set: columnsOf(body) };
  });
}

/**
 * Lists at most 100 companies that have a plan. For each company, names the limits in `body` that the company exceeds.
 * @throws AppError not_found
 */
export async function findConcerned(
  db: Db,
  id: number,
  body: PlanInput,
): Promise<{ rows: PlanCompany[]; count: number }> {
  found((await readPlans(db)).find((plan) => plan.id === id));
  const { rows } = await sql<{ id: number; name: string; used: Record<string, number>; count: number }>`
    select c.id, c.company_name as name, ${usage} as used, count(*) over () as count from companies c
    join plans on plans.id = ${id} and ${isPlanOfCompany} order by c.id limit 100`.execute(db);
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
 * Serializes changes of plans, so that names stay unique and only one plan is the trial plan.
 * @throws AppError plan_exists if the change gives plan `id` a name that another plan has
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

function columnsOf({ price, paidProxies, allSites, people, sites, proxies, ...rest }: PlanInput) {
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
