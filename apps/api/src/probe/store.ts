import { randomUUID } from 'node:crypto';
import { patternsCovering } from '@propusk/access/decide';
import type { ProbeStep, SiteCheck } from '@propusk/contract/lock';
import { sql } from 'kysely';
import { record } from '../audit/store.ts';
import type { Actor } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import type { Db, Tx } from '../db/open.ts';
import { findManagedSite } from '../sites/store.ts';
import type { ProbeVerdict } from './verdict.ts';

/** A probe takes a minute at most: one that has run longer died with its process. */
const DEAD = sql.raw(`interval '2 minutes'`);
/** Whether a waiting probe (`d`) is one that a person waits for, or has waited so long that it goes with those. */
const isUrgent = sql.raw(`(d.asked or d.started_at < now() - interval '10 minutes')`);
/** Sites that one look compares with what they were probed for. */
const LOOKED_AT = 2_000;
/** How often a person may have a site probed, in seconds. */
const AGAIN_S = 10;

/** A probe that this process has taken to run, with what it depended on at that moment. */
export interface ClaimedCheck extends Facts {
  readonly companyId: number;
  readonly siteId: number;
  readonly run: string;
  readonly address: string;
}

/** What a probe depends on. */
export interface Facts {
  /** The site's address, the proxies of its policies and where they leave from. */
  readonly fingerprint: string;
  readonly policyVersion: number;
}

/** The last probe of a site. @throws AppError not_found */
export async function findCheck(db: Db, actor: Actor, siteId: number): Promise<SiteCheck | null> {
  const { companyId } = await findManagedSite(db, actor, siteId);
  return readCheck(db, companyId, siteId);
}

async function readCheck(db: Db, companyId: number, siteId: number): Promise<SiteCheck | null> {
  const row = await db
    .selectFrom('site_checks')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('site_id', '=', siteId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { state, verdict, meaning, advice, steps, started_at: startedAt, finished_at: finishedAt } = row;
  return {
    state: state === 'done' ? 'done' : 'running',
    verdict,
    meaning,
    advice,
    steps,
    startedAt,
    finishedAt,
  };
}

/**
 * Asks for a probe. One that waits or runs is answered as it is.
 * @throws AppError not_found; too_many_requests when the last one was asked for a moment ago
 */
export async function requestCheck(tx: Tx, actor: Actor, siteId: number): Promise<SiteCheck> {
  const { companyId, shownAddress } = await findManagedSite(tx, actor, siteId);
  const { rows } = await sql<{ wait: number | null }>`
    insert into site_checks as k (company_id, site_id, state, asked)
      select company_id, id, 'waiting', true from sites where company_id = ${companyId} and id = ${siteId} for key share
    on conflict (company_id, site_id) do update set
      asked = true,
      state = case when ${mayBegin()} then 'waiting' else k.state end,
      run = case when ${mayBegin()} then null else k.run end,
      started_at = case when ${mayBegin()} then now() else k.started_at end,
      finished_at = case when ${mayBegin()} then null else k.finished_at end,
      steps = case when ${mayBegin()} then '[]' else k.steps end,
      verdict = case when ${mayBegin()} then null else k.verdict end,
      meaning = case when ${mayBegin()} then null else k.meaning end,
      advice = case when ${mayBegin()} then null else k.advice end
    returning case when state = 'done'
      then greatest(1, ceil(${AGAIN_S} - extract(epoch from now() - started_at)))::int end as wait`.execute(
    tx,
  );
  // It was removed a moment ago.
  if (rows.length === 0) throw new AppError('not_found');
  const wait = rows[0]?.wait ?? null;
  if (wait !== null) {
    throw new AppError('too_many_requests', {
      message: 'Сайт только что проверяли. Повторите через несколько секунд',
      retryAfter: wait,
    });
  }
  const check = await readCheck(tx, companyId, siteId);
  if (check === null) throw new AppError('not_found');
  const deed = { action: 'check_asked', kind: 'site', id: siteId, name: shownAddress, companyId } as const;
  await record(tx, actor, deed);
  return check;
}

function mayBegin() {
  return sql`(k.state = 'done' and k.started_at < now() - ${AGAIN_S} * interval '1 second'
    or k.state = 'running' and k.begun_at < now() - ${DEAD})`;
}

/**
 * Takes a probe that waits, or whose process died. Nobody else gets the same one. Companies with fewer probes under way go
 * first, and what a person waits for goes before what is due, as if its company had one fewer; then whatever waited longest.
 */
export async function claimCheck(db: Db): Promise<ClaimedCheck | null> {
  const run = randomUUID();
  const { rows } = await sql<Omit<ClaimedCheck, 'run'>>`
    update site_checks k set state = 'running', run = ${run}, begun_at = now(), steps = '[]'
    from (
      select d.company_id, d.site_id from site_checks d left join (
        select company_id, count(*) as probes from site_checks
        where state = 'running' and begun_at >= now() - ${DEAD} group by company_id
      ) r on r.company_id = d.company_id
      where d.state = 'waiting' or (d.state = 'running' and d.begun_at < now() - ${DEAD})
      order by coalesce(r.probes, 0) + case when ${isUrgent} then 0 else 1 end, ${isUrgent} desc, d.started_at
      for update of d skip locked limit 1
    ) due join sites s on s.company_id = due.company_id and s.id = due.site_id
    where k.company_id = due.company_id and k.site_id = due.site_id
    returning k.company_id as "companyId", k.site_id as "siteId", s.address,
      site_fingerprint(k.company_id, k.site_id) as fingerprint,
      (select c.policy_version from companies c where c.id = k.company_id) as "policyVersion"`.execute(db);
  return rows[0] === undefined ? null : { ...rows[0], run };
}

/**
 * Whether another company holds a host on the egress that companies share, by the rule of `decide()`: the oldest claim has
 * it. Whoever does not hold it gets no word of what it answers to the gateway, not even a status.
 */
export async function isHeldByOther(db: Db, companyId: number, host: string): Promise<boolean> {
  const holder = await db
    .selectFrom('sites')
    .select('company_id')
    .where('claim', 'is not', null)
    .where(sql`split_part(address, ':', 1)`, 'in', patternsCovering(host))
    .orderBy('claim')
    .limit(1)
    .executeTakeFirst();
  return holder !== undefined && holder.company_id !== companyId;
}

/** What a probe depends on, as it is now. */
export async function readFingerprint(db: Db, { companyId, siteId }: ClaimedCheck): Promise<Facts | null> {
  const { rows } = await sql<Facts>`
    select site_fingerprint(id, ${siteId}) as fingerprint, policy_version as "policyVersion"
    from companies where id = ${companyId} and site_fingerprint(id, ${siteId}) is not null`.execute(db);
  return rows[0] ?? null;
}

/** @returns whether the run is still this process's own */
export async function saveSteps(db: Db, claimed: ClaimedCheck, steps: ProbeStep[]): Promise<boolean> {
  const { rows } = await sql<{ one: number }>`update site_checks set steps = ${JSON.stringify(steps)}
    where ${own(claimed)} returning 1 as one`.execute(db);
  return rows.length > 0;
}

/**
 * Ends a probe. A site that was protected and is found otherwise has drifted until it is found protected again; what could
 * not be told leaves that as it was.
 * @param facts what the finding depends on. Its version is the claim's: whatever has changed since, the schedule looks at
 * @param changed something of it became another while the probe ran: the finding is of neither, and is made anew at once
 */
export async function finishCheck(
  db: Db,
  claimed: ClaimedCheck,
  { verdict, meaning, advice, steps }: ProbeVerdict & { steps: ProbeStep[] },
  { fingerprint, policyVersion }: Facts,
  changed: boolean,
): Promise<void> {
  // A day, and up to an hour more: sites that were added together are not probed together for ever.
  await sql`update site_checks set state = 'done', run = null, finished_at = now(), steps = ${JSON.stringify(steps)},
      verdict = ${verdict}, meaning = ${meaning}, advice = ${advice}, shown_verdict = ${verdict}, shown_at = now(),
      was_protected = was_protected or ${verdict === 'protected'},
      drifted = case ${verdict}::text when 'protected' then false when 'unknown' then drifted else was_protected end,
      fingerprint = ${fingerprint}, policy_version = ${policyVersion},
      next_at = case when ${changed} then now() else now() + interval '24 hours' + random() * interval '1 hour' end
    where ${own(claimed)}`.execute(db);
}

/** Gives a probe back, for another process or a later time. */
export async function releaseCheck(db: Db, claimed: ClaimedCheck): Promise<void> {
  await sql`update site_checks set state = 'waiting', run = null, begun_at = null, steps = '[]'
    where ${own(claimed)}`.execute(db);
}

function own({ companyId, siteId, run }: ClaimedCheck) {
  return sql`company_id = ${companyId} and site_id = ${siteId} and run = ${run}`;
}

/**
 * Puts sites in line that were probed before and are due: a day is over, or what the last finding depends on has changed.
 * @returns how many
 */
export async function queueDueChecks(db: Db, most: number): Promise<number> {
  // What changed and is none of the lock's is looked at once.
  await sql`
    update site_checks k set policy_version = looked.version, next_at = case
        when k.fingerprint is distinct from site_fingerprint(k.company_id, k.site_id) then least(k.next_at, now())
        else k.next_at end
    from (
      select d.company_id, d.site_id, c.policy_version as version from site_checks d join companies c on c.id = d.company_id
      where d.state = 'done' and d.policy_version is distinct from c.policy_version
      order by random() for update of d skip locked limit ${LOOKED_AT}
    ) looked
    where k.company_id = looked.company_id and k.site_id = looked.site_id`.execute(db);
  const { rows } = await sql<{ one: number }>`
    update site_checks k set state = 'waiting', run = null, asked = false, started_at = now(), finished_at = null, steps = '[]',
      verdict = null, meaning = null, advice = null
    from (
      select company_id, site_id from site_checks where state = 'done' and next_at <= now()
      order by next_at for update skip locked limit ${most}
    ) due
    where k.company_id = due.company_id and k.site_id = due.site_id returning 1 as one`.execute(db);
  return rows.length;
}
