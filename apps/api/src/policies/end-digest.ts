import { sql } from 'kysely';
import { committing } from '../db/after-commit.ts';
import { type Background, type Repeating, repeat } from '../db/background.ts';
import type { Tx } from '../db/open.ts';
import { type Outbox, queueMail } from '../mail/store.ts';

const TICK_MS = 60_000;
/** At most 1,000 companies per run; the next run handles the rest. */
const MOST_COMPANIES = 1_000;
/** A digest names at most this many rights. */
const MOST_RIGHTS = 50;

/**
 * Mails owners a list of the rights that end soon: seven days before the end for rights longer than 14 days, and one day before
 * it for rights longer than two days. An owner gets at most one digest a day, from 8:00 in the time zone of the company. Each api process runs this task. A unique
 * row in plan_warnings prevents a second digest of a day.
 * @param page URL of the console's list of the policies that end
 */
export function startEndDigest({
  db,
  log,
  outbox,
  page,
}: Background & { readonly outbox: Outbox; readonly page: string }): Repeating {
  async function work(signal: AbortSignal): Promise<void> {
    for (let sent = 0; sent < MOST_COMPANIES && !signal.aborted; sent++)
      if (!(await committing(db, (tx) => mailOne(tx, outbox, page)))) return;
  }
  return repeat(TICK_MS, work, (err) => log.warn({ err }, 'failed to look for rights that end'));
}

interface Digest {
  readonly zone: string;
  readonly owners: readonly string[];
  readonly rights: readonly {
    readonly policy: string;
    readonly person: string | null;
    readonly at: string;
  }[];
}

/** SQL for the rights that end within eight days. The expressions are those of the indexes. */
const ending = sql`
  select m.company_id, m.policy_id, m.user_id, m.ends_at as at, m.set_at from timed_members m
    where timezone('UTC', m.ends_at) between timezone('UTC', now()) and timezone('UTC', now()) + interval '8 days'
  union all select p.company_id, p.id, null, p.valid_until, p.until_set_at from policies p
    where timezone('UTC', p.valid_until) between timezone('UTC', now()) and timezone('UTC', now()) + interval '8 days'`;

/** Mails the digest of one company to at most 10 owners. @returns false when no digest is due */
async function mailOne(tx: Tx, outbox: Outbox, page: string): Promise<boolean> {
  const { rows } = await sql<Digest>`
    with today as (
      select e.*, c.time_zone as zone, (now() at time zone c.time_zone)::date as day
      from (${ending}) e join companies c on c.id = e.company_id
        cross join (values (interval '7 days', interval '14 days'), (interval '1 day', interval '2 days')) as w (before, longer)
      where c.confirmed and e.at - e.set_at > w.longer and (now() at time zone c.time_zone)::time >= '08:00'
        and (e.at at time zone c.time_zone - w.before)::date = (now() at time zone c.time_zone)::date
    ), sent as (
      insert into plan_warnings (company_id, what, ends_at, days)
      select distinct company_id, 'rights', day::timestamp at time zone 'UTC', 0 from today t
      where not exists (select from plan_warnings w where (w.company_id, w.what, w.ends_at, w.days) = (t.company_id, 'rights', t.day::timestamp at time zone 'UTC', 0))
      order by company_id limit 1 on conflict do nothing returning company_id
    )
    select c.time_zone as zone,
      array(select u.email::text from users u where u.company_id = c.id and u.roles @> '{CREATOR}' and u.suspended_at is null
        order by u.id limit 10) as owners,
      array(select json_build_object('policy', p.name, 'at', t.at,
          'person', coalesce(nullif(trim(u.name || ' ' || u.surname), ''), u.email::text))
        from today t join policies p on p.id = t.policy_id left join users u on u.id = t.user_id
        where t.company_id = c.id order by t.at, p.id limit ${MOST_RIGHTS + 1}) as rights
    from sent join companies c on c.id = sent.company_id`.execute(tx);
  const [digest] = rows;
  if (digest === undefined) return false;
  const { zone, owners, rights } = digest;
  const facts = { zone, rights: rights.slice(0, MOST_RIGHTS), isWhole: rights.length <= MOST_RIGHTS, page };
  for (const to of owners) await queueMail(tx, outbox, { to, code: 'rights_end', facts: [facts] }, null);
  return true;
}
