import type { Contact, ContactInput, Tariff, TariffInput } from '@propusk/contract/tariff';
import { standardPlan } from '@propusk/phrases/errors';
import { sql } from 'kysely';
import { record } from '../audit/store.ts';
import { companyEntity } from '../companies/store.ts';
import type { Actor, Member } from '../core/actor.ts';
import { AppError, found } from '../core/errors.ts';
import { expectVersion, type IfMatch, type Target } from '../core/versions.ts';
import type { Db, Tx } from '../db/open.ts';
import { changeEntity } from '../entities/change.ts';
import { entity } from '../entities/entity.ts';
import { readPlans, usage } from './plans.ts';
import { readRequests } from './requests.ts';

/** How long paid proxies work after the plan that included them ended. */
export const PAID_GRACE = sql.raw(`interval '14 days'`);
/** Owners are warned this long before the end of a plan or trial. */
export const WARNED = sql.raw(`interval '7 days'`);
const WARNED_MS = 7 * 86_400_000;
/** An ADMIN may set the end of a trial at most this far in the future. */
const MOST_TRIAL_MS = 366 * 86_400_000;

/** SQL condition: company `c` of a query has a paid proxy, and the plan that included it has ended. */
export const hasPaidEnd = sql`(c.paid_ends_at <= now()
  and exists (select from proxies where owner_id = c.id and type = 'payment'))`;

// A scalar subquery finds each proxy by its key. With a join, the planner may scan the proxies of all companies.
const onPaidProxy = (table: string, column: string, id: string) =>
  sql`exists (select from ${sql.table(table)} l where l.company_id = c.id and l.${sql.ref(column)} = ${sql.ref(id)}
    and (select x.type from policies p join proxies x on x.id = p.proxy_id where p.id = l.policy_id) = 'payment')`;

/**
 * SQL arrays with the names of users, and with the names of sites, that have a policy with a paid proxy. Each array has at most
 * 50 names. `c` is the company in the surrounding query.
 */
export const concerned = {
  people: sql`array(select coalesce(nullif(trim(u.name || ' ' || u.surname), ''), u.email::text) from users u
    where u.company_id = c.id and ${onPaidProxy('policy_members', 'user_id', 'u.id')} order by u.id limit 50)`,
  sites: sql`array(select s.shown_address from sites s
    where s.company_id = c.id and ${onPaidProxy('policy_sites', 'site_id', 's.id')} order by s.id limit 50)`,
};

interface Row
  extends Pick<Tariff, 'version' | 'used' | 'phone' | 'planEndsAt' | 'trialEndsAt' | 'trialRuns'> {
  inForce: number;
  own: Tariff['ownPlan'];
  stopsAt: string | null;
  stopped: boolean;
  people: string[];
  sites: string[];
}

/** Reads the plan of a company, its usage, the offered plans, and the last 20 requests of the company to the operator. @throws AppError not_found */
export async function findTariff(db: Db, companyId: number): Promise<Tariff> {
  const { rows } = await sql<Row>`
    select c.version, c.phone, c.plan_ends_at as "planEndsAt", c.trial_ends_at as "trialEndsAt",
      coalesce(c.trial_ends_at > now(), false) as "trialRuns",
      (plan_of(c)).id as "inForce", ${usage} as used,
      (select json_build_object('id', p.id, 'name', coalesce(nullif(p.name, ''), ${standardPlan})) from plans p
        where p.id = c.plan_id or (c.plan_id is null and p.standard)) as own,
      case when ${hasPaidEnd} then c.paid_ends_at + ${PAID_GRACE} end as "stopsAt", c.paid_stopped as stopped,
      ${concerned.people} as people, ${concerned.sites} as sites
    from companies c where c.id = ${companyId}`.execute(db);
  const { inForce, own, stopsAt, stopped, people, sites, ...tariff } = found(rows[0]);
  const plans = await readPlans(db);
  const trial = plans.find((plan) => plan.trial) ?? null;
  return {
    ...tariff,
    plan: found(plans.find(({ id }) => id === inForce)),
    ownPlan: own,
    trial,
    trialOffered: trial !== null && tariff.trialEndsAt === null,
    offers: plans.filter(({ offered }) => offered),
    contact: await findContact(db),
    paidEnd: stopsAt === null ? null : { stopsAt, stopped, people, sites },
    requests: (await readRequests(db, { companyId, take: 20 })).rows,
  };
}

/** The database's time, and the ends of a company's trial, plan and paid proxies as JSON dates; null for no end. */
export interface Ends {
  readonly now: string;
  readonly trialEndsAt: string | null;
  readonly planEndsAt: string | null;
  readonly paidEndsAt: string | null;
}

/**
 * Finds what ends next for a company: access through paid proxies if their plan has ended, otherwise a trial or plan that ends
 * within 7 days. Queries the database only if `paidEndsAt` has passed, because every `GET /me` calls this function.
 */
export async function findEnding(
  db: Db,
  companyId: number,
  { now, trialEndsAt, planEndsAt, paidEndsAt }: Ends,
): Promise<{ what: 'trial' | 'plan' | 'paid'; at: string } | null> {
  if (paidEndsAt !== null && Date.parse(paidEndsAt) <= Date.parse(now)) {
    const { rows } = await sql<{ at: string }>`
      select c.paid_ends_at + ${PAID_GRACE} as at from companies c where c.id = ${companyId} and ${hasPaidEnd}`.execute(
      db,
    );
    if (rows[0] !== undefined) return { what: 'paid', at: rows[0].at };
  }
  const soon = (what: 'trial' | 'plan', end: string | null) => {
    const left = Date.parse(end ?? '') - Date.parse(now);
    return left > 0 && left < WARNED_MS ? [{ what, left, at: new Date(end ?? '').toISOString() }] : [];
  };
  const ends = [...soon('trial', trialEndsAt), ...soon('plan', planEndsAt)];
  const [first] = ends.toSorted((a, b) => a.left - b.left);
  return first === undefined ? null : { what: first.what, at: first.at };
}

/**
 * Sets a company's plan, and begins, extends or ends its trial. Absent values stay unchanged, but a plan without an end has none.
 * @throws AppError not_found; changed_meanwhile; bad_input for an unknown plan or a trial of over a year; no_trial when no plan is
 * marked for the trial
 */
export async function setTariff(
  tx: Tx,
  actor: Actor,
  target: Target,
  { planId, planEndsAt, trialEndsAt }: Partial<TariffInput>,
): Promise<Tariff> {
  const plans = await readPlans(tx);
  if (planId !== undefined && !plans.some((plan) => plan.id === planId)) {
    throw new AppError('bad_input', { fields: { planId: ['gone_from_list'] } });
  }
  if (trialEndsAt !== undefined && !plans.some(({ trial }) => trial)) throw new AppError('no_trial');
  if (Date.parse(trialEndsAt ?? '') > Date.now() + MOST_TRIAL_MS) {
    throw new AppError('bad_input', { fields: { trialEndsAt: ['beyond_a_year'] } });
  }
  const end = planEndsAt ?? (planId === undefined ? undefined : null);
  await changeEntity(tx, actor, tariffEntity, target, (company) => {
    // The standard plan of a company without a plan has no end.
    if (planId === undefined && typeof planEndsAt === 'string' && company.plan_id === null)
      throw new AppError('bad_input', { fields: { planId: ['required'] } });
    return { set: { plan_id: planId, plan_ends_at: end, trial_ends_at: trialEndsAt } };
  });
  return findTariff(tx, target.id);
}

/**
 * Begins the trial of the actor's company: 720 hours by the database's clock (answers.md).
 * @throws AppError no_trial if the company has had a trial, or no plan is marked for the trial
 */
export async function startTrial(tx: Tx, actor: Member): Promise<Tariff> {
  const { companyId: id } = actor;
  const plans = await readPlans(tx);
  await changeEntity(tx, actor, tariffEntity, { id, ifMatch: null }, (company) => {
    if (company.trial_ends_at !== null || !plans.some(({ trial }) => trial)) throw new AppError('no_trial');
    return { set: { trial_ends_at: sql<string>`now() + interval '720 hours'` } };
  });
  return findTariff(tx, id);
}

/** Sets the contact phone of the actor's company. @param phone E.164, or empty @throws AppError changed_meanwhile */
export async function setPhone(tx: Tx, actor: Member, phone: string, ifMatch: IfMatch): Promise<Tariff> {
  const { companyId: id } = actor;
  await changeEntity(tx, actor, tariffEntity, { id, ifMatch }, () => ({ set: { phone } }));
  return findTariff(tx, id);
}

/** The tariff fields of a company. */
const tariffEntity = entity({
  ...companyEntity,
  columns: () => [
    'companies.company_name as companyName',
    sql<string>`(select coalesce(nullif(p.name, ''), ${standardPlan}) from plans p
      where p.id = companies.plan_id or (companies.plan_id is null and p.standard))`.as('plan'),
    'companies.plan_ends_at as planEndsAt',
    'companies.trial_ends_at as trialEndsAt',
    'companies.phone',
  ],
  present: (row) => row,
  name: ({ companyName }) => companyName,
  facts: ({ plan, planEndsAt, trialEndsAt, phone }) => ({
    ...{ plan, phone, planEndsAt: planEndsAt ?? '', trialEndsAt: trialEndsAt ?? '' },
  }),
});

/** The contact of the platform's operator. */
export function findContact(db: Db): Promise<Contact> {
  return db
    .selectFrom('contact')
    .select(['name', 'phone', 'email', 'telegram', 'version'])
    .executeTakeFirstOrThrow();
}

/** Replaces the contact of the platform's operator. @throws AppError changed_meanwhile */
export async function setContact(
  tx: Tx,
  actor: Actor,
  body: ContactInput,
  ifMatch: IfMatch,
): Promise<Contact> {
  await sql`select from contact for update`.execute(tx);
  const { version, ...before } = await findContact(tx);
  expectVersion(ifMatch, version);
  const contact = { ...body, version: version + 1 };
  await tx.updateTable('contact').set(contact).execute();
  const event = { action: 'changed', kind: 'contact', id: 1, name: body.name, companyId: null } as const;
  await record(tx, actor, { ...event, before, after: { ...body } });
  return contact;
}
