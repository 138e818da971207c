import { type RawBuilder, sql } from 'kysely';
import { committing } from '../db/after-commit.ts';
import { type Background, type Repeating, repeat } from '../db/background.ts';
import type { Tx } from '../db/open.ts';
import { type Outbox, queueMail } from '../mail/store.ts';
import { concerned, hasPaidEnd, PAID_GRACE, WARNED } from './store.ts';

/** The keeper runs every second, so that gateways stop paid proxies at most about one second late. */
const TICK_MS = 1_000;
/** The number of ticks between two runs that send due warnings. */
const WARN_EVERY = 60;
/** At most 1,000 warnings per run; the next run sends the rest. */
const MOST_WARNINGS = 1_000;

/**
 * Stops paid proxies 14 days after the end of the plan that included them, and mails owners before a plan or a trial ends and
 * before paid proxies stop. Each api process runs one keeper. Times are compared with the database's clock. A unique row in
 * plan_warnings prevents a second mail of the same warning.
 * @param page URL of the console's tariff page
 */
export function startPlanKeeper({
  db,
  log,
  outbox,
  page,
}: Background & { readonly outbox: Outbox; readonly page: string }): Repeating {
  let ticks = 0;

  async function work(signal: AbortSignal): Promise<void> {
    await sql`update companies c set paid_stopped = true where c.id in (
      select c.id from companies c where c.paid_ends_at <= now() - ${PAID_GRACE} and not c.paid_stopped and ${hasPaidEnd}
      order by c.id for no key update skip locked)`.execute(db);
    if (ticks++ % WARN_EVERY !== 0) return;
    for (let sent = 0; sent < MOST_WARNINGS && !signal.aborted; sent++) {
      if (!(await committing(db, (tx) => warnOne(tx, outbox, page)))) return;
    }
  }

  return repeat(TICK_MS, work, (err) => log.warn({ err }, 'failed to look for ended plans'));
}

interface Warning {
  companyId: number;
  what: 'trial' | 'plan' | 'paid';
  at: string;
  people: string[];
  sites: string[];
  owners: string[];
}

/** Mails one due warning to at most 10 owners of the company concerned. @returns false when no warning is due */
async function warnOne(tx: Tx, outbox: Outbox, page: string): Promise<boolean> {
  const left = (days: number) => sql`e.at <= now() + ${sql.raw(`interval '${days} days'`)}`;
  const { rows } = await sql<Warning>`
    with due as (
      select c.id, e.what, e.at, case when ${left(1)} then 1 when ${left(3)} then 3 when ${left(7)} then 7 else 14 end as days
      from companies c cross join lateral (
        ${ending('trial', soon('trial_ends_at'), sql`c.trial_ends_at`)}
        union all ${ending('plan', soon('plan_ends_at'), sql`c.plan_ends_at`)}
        union all ${ending('paid', sql`${hasPaidEnd} and not c.paid_stopped`, sql`c.paid_ends_at + ${PAID_GRACE}`)}
      ) e where (${soon('trial_ends_at')} or ${soon('plan_ends_at')} or c.paid_ends_at <= now())
    ), sent as (
      insert into plan_warnings (company_id, what, ends_at, days)
      select id, what, at, days from due d
      where not exists (select from plan_warnings w where (w.company_id, w.what, w.ends_at, w.days) = (d.id, d.what, d.at, d.days))
      order by id limit 1 on conflict do nothing returning *
    )
    select s.company_id as "companyId", s.what, s.ends_at as at, ${concerned.people} as people, ${concerned.sites} as sites,
      array(select u.email::text from users u where u.company_id = c.id and u.roles @> '{CREATOR}' and u.suspended_at is null and c.confirmed
        order by u.id limit 10) as owners
    from sent s join companies c on c.id = s.company_id`.execute(tx);
  const [warning] = rows;
  if (warning === undefined) return false;
  const { what, at, people, sites } = warning;
  for (const to of warning.owners) {
    await queueMail(tx, outbox, { to, code: 'plan_ends', facts: [{ what, at, people, sites, page }] }, null);
  }
  return true;
}

function soon(column: string): RawBuilder<unknown> {
  const at = sql.ref(`c.${column}`);
  return sql`(${at} > now() and ${at} < now() + ${WARNED})`;
}

function ending(what: Warning['what'], condition: RawBuilder<unknown>, at: RawBuilder<unknown>) {
  return sql`select ${sql.lit(what)} as what, ${at} as at where ${condition}`;
}
