import { randomUUID } from 'node:crypto';
import { patternsCovering } from '@propusk/access/decide';
import type { SiteCheck } from '@propusk/contract/probe';
import type { CheckMessage, CheckStep } from '@propusk/phrases/checks';
import { sql } from 'kysely';
import { record } from '../audit/store.ts';
import type { Actor, Member } from '../core/actor.ts';
import { AppError, found } from '../core/errors.ts';
import { demandConfirmed, lockCompany } from '../db/company.ts';
import type { Db, Tx } from '../db/open.ts';
import { findManagedSite } from '../sites/store.ts';
import { withoutPaths } from './messages.ts';
import type { ProbeResult, StoredSample } from './run-probe.ts';

/** The lease of a claimed probe. A probe takes at most 90 s, and then waits at most a minute for the reports of vantages. */
const LEASE_TEXT = `interval '4 minutes'`;
const LEASE = sql.raw(LEASE_TEXT);
/** The version of the probe's rules. The first probe by a new version marks no site as drifted. */
const RULES = 1;
/** SQL condition: the waiting probe `d` has priority, because a user requested it or it has waited for ten minutes. */
const isUrgent = sql.raw(`(d.asked or d.started_at < now() - interval '10 minutes')`);
/** At most this many sites per tick are checked for a changed fingerprint. */
const MAX_COMPARED = 2_000;
/** A user can request a new probe of a site this many seconds after the start of the last probe. */
const INTERVAL_S = 10;
/** SQL condition: a request may start a new probe for row `k` of site_checks. */
const MAY_BEGIN = `(k.state = 'done' and k.started_at < now() - interval '${INTERVAL_S} seconds'
  or k.state = 'running' and k.begun_at < now() - ${LEASE_TEXT})`;
/** The columns of site_checks that are set to queue a probe, with their values in SQL. */
const beginning = Object.entries({
  ...{ state: "'waiting'", run: 'null', started_at: 'now()', finished_at: 'null', steps: "'[]'" },
  ...{ verdict: 'null', meaning: 'null', advice: 'null' },
});

/** A probe that this process has claimed. */
export interface ClaimedCheck extends Facts {
  readonly companyId: number;
  readonly siteId: number;
  readonly run: string;
  readonly address: string;
  readonly sample: StoredSample | null;
}

/** A stored probe, whose messages are codes instead of sentences. */
export interface StoredCheck extends Omit<SiteCheck, 'meaning' | 'advice' | 'steps' | 'proof' | 'leadsTo'> {
  readonly meaning: CheckMessage | null;
  readonly advice: CheckMessage | null;
  readonly steps: readonly CheckStep[];
}

/** The stored data on which the verdict of a probe depends. */
export interface Facts {
  /** A hash of the site's address, its proxies and their egress addresses. A changed hash makes a new probe due. */
  readonly fingerprint: string;
  readonly policyVersion: number;
  readonly startPaths: readonly string[];
  readonly openPaths: readonly string[];
}

/** Reads the last probe of a site. @throws AppError not_found */
export async function findCheck(db: Db, actor: Actor, siteId: number): Promise<StoredCheck | null> {
  const { companyId } = await findManagedSite(db, actor, siteId);
  return (await readCheck(db, actor, companyId, siteId)) ?? null;
}

async function readCheck(
  db: Db,
  actor: Actor,
  companyId: number,
  siteId: number,
): Promise<StoredCheck | undefined> {
  const row = await db
    .selectFrom('site_checks as k')
    .innerJoin('companies as c', 'c.id', 'k.company_id')
    .select(['k.state', 'k.verdict', 'k.meaning', 'k.advice', 'k.steps'])
    .select(['k.started_at as startedAt', 'k.finished_at as finishedAt'])
    .select(sql<boolean>`coalesce(c.support_until > now(), false)`.as('supported'))
    .where('k.company_id', '=', companyId)
    .where('k.site_id', '=', siteId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { supported, ...check } = row;
  const stored: StoredCheck = { ...check, state: row.state === 'done' ? 'done' : 'running' };
  return actor.companyId === companyId || supported ? stored : withoutPaths(stored);
}

/**
 * Requests a probe of a site. Returns the site's waiting or running probe instead, if there is one.
 * @throws AppError not_found; company_unconfirmed; too_many_requests within 10 s of the last probe's start
 */
export async function requestCheck(tx: Tx, actor: Actor, siteId: number): Promise<StoredCheck> {
  const { companyId } = await findManagedSite(tx, actor, siteId);
  const { refused } = await requestChecks(tx, { ...actor, companyId }, [siteId], true);
  if (refused[0] !== undefined) throw refused[0].error;
  return found(await readCheck(tx, actor, companyId, siteId));
}

/**
 * Queues probes of sites of the actor's company, unless they wait or run already.
 * @param asked whether the probes come before scheduled ones. It is false for a bulk request, so that a company with many
 *   sites delays no requested probe of another company
 * @returns the ids of the queued sites, and an error for each remaining site: not_found; too_many_requests within 10 s of the last
 *   probe's start
 * @throws AppError company_unconfirmed
 */
export async function requestChecks(
  tx: Tx,
  actor: Member,
  siteIds: readonly number[],
  asked: boolean,
): Promise<{ queued: number[]; refused: { id: number; error: AppError }[] }> {
  const { companyId } = actor;
  await lockCompany(tx, companyId);
  await demandConfirmed(tx, companyId);
  const begun = beginning.map(
    ([column, value]) => `${column} = case when ${MAY_BEGIN} then ${value} else k.${column} end`,
  );
  const { rows } = await sql<{ id: number; name: string; wait: number | null }>`
    insert into site_checks as k (company_id, site_id, state, asked)
      select company_id, id, 'waiting', ${asked} from sites
      where company_id = ${companyId} and id = any (${siteIds}) order by id for key share
    on conflict (company_id, site_id) do update set ${sql.raw(begun.join())},
      asked = ${asked} or k.asked and not ${sql.raw(MAY_BEGIN)}
    returning site_id as id, (select shown_address from sites s where s.id = k.site_id) as name, case when state = 'done'
      then greatest(1, ceil(${INTERVAL_S} - extract(epoch from now() - started_at)))::int end as wait`.execute(
    tx,
  );
  const queued = rows.filter(({ wait }) => wait === null);
  const event = { action: 'check_asked', kind: 'site', companyId } as const;
  await record(tx, actor, ...queued.map(({ id, name }) => ({ ...event, id, name })));
  // Bounded: the map exists for one call, and holds at most one entry for each of `siteIds`
  const waits = new Map(rows.map(({ id, wait }) => [id, wait]));
  const refused = siteIds.flatMap((id) => {
    const wait = waits.get(id);
    if (wait === null) return [];
    if (wait === undefined) return { id, error: new AppError('not_found') };
    const recent = { detail: ['checked_recently'], retryAfter: wait } as const;
    return { id, error: new AppError('too_many_requests', recent) };
  });
  return { queued: queued.map(({ id }) => id), refused };
}

/**
 * Claims the next probe for this process: a waiting probe, or a running probe whose lease has ended. Companies with fewer running
 * probes come first. A scheduled probe ranks as if its company had one more running probe. Among equal ranks, probes that users
 * requested come first, then older probes.
 */
export async function claimCheck(db: Db): Promise<ClaimedCheck | null> {
  const run = randomUUID();
  const { rows } = await sql<Omit<ClaimedCheck, 'run'>>`
    update site_checks k set state = 'running', run = ${run}, begun_at = now(), steps = '[]'
    from (
      select d.company_id, d.site_id from site_checks d left join (
        select company_id, count(*) as probes from site_checks
        where state = 'running' and begun_at >= now() - ${LEASE} group by company_id
      ) r on r.company_id = d.company_id
      where d.state = 'waiting' or (d.state = 'running' and d.begun_at < now() - ${LEASE})
      order by coalesce(r.probes, 0) + case when ${isUrgent} then 0 else 1 end, ${isUrgent} desc, d.started_at
      for update of d skip locked limit 1
    ) due join sites s on s.company_id = due.company_id and s.id = due.site_id
    where k.company_id = due.company_id and k.site_id = due.site_id
    returning k.company_id as "companyId", k.site_id as "siteId", s.address,
      s.start_paths as "startPaths", s.open_paths as "openPaths", k.sample,
      site_fingerprint(k.company_id, k.site_id) as fingerprint,
      (select c.policy_version from companies c where c.id = k.company_id) as "policyVersion"`.execute(db);
  return rows[0] === undefined ? null : { ...rows[0], run };
}

/**
 * Whether another company has the oldest claim to a host on shared egress. By the rule of `decide()`, only the company with the
 * oldest claim may use the host. Other companies must see no response of the host through the gateway, not even a status.
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

/**
 * Checks whether every user who may open a site through a proxy may also reach another host and port through the same proxy, by
 * the rule of `decide()`.
 */
export async function isCoveredElsewhere(
  db: Db,
  { companyId, siteId }: Pick<ClaimedCheck, 'companyId' | 'siteId'>,
  { proxyId, host, port }: { proxyId: number; host: string; port: number },
): Promise<boolean> {
  const isWeb = port === 80 || port === 443;
  const addresses = patternsCovering(host).map((pattern) => (isWeb ? pattern : `${pattern}:${port}`));
  const { rows } = await sql<{ covered: boolean }>`
    with own as (
      select p.id, p.all_sites, p.timed, exists (select from policy_sites l where l.policy_id = p.id and l.site_id = ${siteId}) as here,
        exists (select from policy_sites l join sites s on s.company_id = l.company_id and s.id = l.site_id
          where l.policy_id = p.id and s.address = any (${addresses})) as there
      from policies p where p.company_id = ${companyId} and p.proxy_id = ${proxyId}
    ), opening as (select id from own where (there or (all_sites and ${isWeb})) and not timed)
    select exists (select from opening) and not exists (
      select from own join policy_members u on u.policy_id = own.id
      where (own.here or own.all_sites) and u.user_id not in (
        select user_id from policy_members where policy_id in (select id from opening) and ends_at is null)
    ) as covered`.execute(db);
  return rows[0]?.covered ?? false;
}

/** Reads the stored data on which the verdict of a site depends; null if the site was deleted. */
export async function readFingerprint(db: Db, { companyId, siteId }: ClaimedCheck): Promise<Facts | null> {
  const { rows } = await sql<Facts>`
    select site_fingerprint(c.id, s.id) as fingerprint, c.policy_version as "policyVersion",
      s.start_paths as "startPaths", s.open_paths as "openPaths"
    from companies c join sites s on s.company_id = c.id
    where c.id = ${companyId} and s.id = ${siteId} and site_fingerprint(c.id, s.id) is not null`.execute(db);
  return rows[0] ?? null;
}

/** Saves the steps of a running probe. @returns false if this process has lost the claim */
export async function saveSteps(db: Db, claimed: ClaimedCheck, steps: CheckStep[]): Promise<boolean> {
  const { numAffectedRows } = await sql`update site_checks set steps = ${JSON.stringify(steps)}
    where ${own(claimed)}`.execute(db);
  return numAffectedRows === 1n;
}

/**
 * Saves a finished probe. A site drifts when its verdict changes from protected to another verdict. The drift ends when the site
 * is protected again. The verdict `unknown` neither begins nor ends a drift.
 * @param facts the facts at the claim of the probe, so that `queueDueChecks` notices every later policy change
 * @param changed whether the facts changed during the probe. If so, the verdict is unreliable, and the next probe is due at once.
 */
export async function finishCheck(
  db: Db,
  claimed: ClaimedCheck,
  { verdict, meaning, advice, steps, sample }: ProbeResult,
  { fingerprint, policyVersion }: Pick<Facts, 'fingerprint' | 'policyVersion'>,
  changed: boolean,
): Promise<void> {
  // A random delay of up to an hour spreads the probes of sites that were added at the same time.
  await sql`update site_checks set state = 'done', run = null, finished_at = now(), steps = ${JSON.stringify(steps)},
      verdict = ${verdict}, meaning = ${JSON.stringify(meaning)},
      advice = ${advice === null ? null : JSON.stringify(advice)}, shown_verdict = ${verdict}, shown_at = now(),
      sample = case when ${changed} then null else ${sample === null ? null : JSON.stringify(sample)}::jsonb end,
      was_protected = ${verdict === 'protected'} or was_protected and (rules = ${RULES} or drifted or ${verdict === 'unknown'}),
      drifted = case ${verdict}::text when 'protected' then false when 'unknown' then drifted
        else drifted or was_protected and rules = ${RULES} end,
      rules = case when ${verdict === 'unknown'} then rules else ${RULES} end,
      fingerprint = ${fingerprint}, policy_version = ${policyVersion},
      next_at = case when ${changed} then now() else now() + interval '24 hours' + random() * interval '1 hour' end
    where ${own(claimed)}`.execute(db);
}

/** Puts a claimed probe back into the queue. */
export async function releaseCheck(db: Db, claimed: ClaimedCheck): Promise<void> {
  await sql`update site_checks set state = 'waiting', run = null, begun_at = null, steps = '[]'
    where ${own(claimed)}`.execute(db);
}

function own({ companyId, siteId, run }: ClaimedCheck) {
  return sql`company_id = ${companyId} and site_id = ${siteId} and run = ${run}`;
}

/** Queues the next probe of each site: daily, and after a change of its address, proxies or paths. @returns the number queued */
export async function queueDueChecks(db: Db, most: number): Promise<number> {
  // After a policy change, each site's fingerprint is compared once with the fingerprint of its last probe. A probe is due if
  // the two fingerprints differ.
  await sql`
    update site_checks k set policy_version = looked.version, next_at = case
        when k.fingerprint is distinct from site_fingerprint(k.company_id, k.site_id) then least(k.next_at, now())
        else k.next_at end
    from (
      select d.company_id, d.site_id, c.policy_version as version from site_checks d join companies c on c.id = d.company_id
      where d.state = 'done' and d.policy_version is distinct from c.policy_version
      order by random() for update of d skip locked limit ${MAX_COMPARED}
    ) looked
    where k.company_id = looked.company_id and k.site_id = looked.site_id`.execute(db);
  const { numAffectedRows = 0n } = await sql`
    update site_checks k set asked = false, ${sql.raw(beginning.map((pair) => pair.join(' = ')).join())}
    from (
      select company_id, site_id from site_checks where state = 'done' and next_at <= now()
      order by next_at for update skip locked limit ${most}
    ) due
    where k.company_id = due.company_id and k.site_id = due.site_id`.execute(db);
  return Number(numAffectedRows);
}
