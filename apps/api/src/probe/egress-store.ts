import { isIP } from 'node:net';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { type Encryption, passwordPlace } from '../encryption.ts';
import type { EgressResult } from './echo-client.ts';
import type { Route } from './transport.ts';

/** A proxy as probes go through it, and what is known of where it leaves from. */
export interface ProbeProxy {
  readonly ownerId: number;
  readonly id: number;
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly passwordSealed: Buffer | null;
  readonly direct: boolean;
  /** Null: its password does not open (moved, damaged). */
  readonly way: Exclude<Route, { kind: 'outside' }> | null;
}

/** A way that the people of a site's policies reach it by. */
export interface SiteProxy extends ProbeProxy {
  readonly politics: { id: number; name: string }[];
  readonly addresses: string[];
  readonly learnedAt: string | null;
  readonly problem: string | null;
  readonly stale: boolean;
}

interface SealedProxy {
  owner_id: number;
  id: number;
  host: string;
  port: number;
  username: string;
  direct: boolean;
  password_sealed: Buffer | null;
}

const columns = sql.raw('x.owner_id, x.id, x.host, x.port, x.username, x.direct, x.password_sealed');

function unsealed(proxy: SealedProxy, encryption: Encryption): ProbeProxy {
  const { owner_id: ownerId, id, host, port, username, password_sealed: passwordSealed, direct } = proxy;
  const common = { ownerId, id, host, port, username, passwordSealed, direct };
  if (direct) return { ...common, way: { kind: 'gateway' } };
  try {
    const password =
      passwordSealed === null ? '' : encryption.open(passwordPlace(ownerId, id), passwordSealed);
    return { ...common, way: { kind: 'upstream', host, port, username, password } };
  } catch {
    return { ...common, way: null };
  }
}

/** What a proxy whose password does not open has to say for itself. */
export const passwordUnreadable: EgressResult = {
  reachable: false,
  credentialsAccepted: null,
  addresses: [],
  unanswered: [],
  roundTripMs: null,
  problem: 'Пароль этого прокси не расшифровывается: укажите его заново.',
};

/** A proxy by its id, whoever asks: the caller has looked whether they may. Null when it is gone. */
export async function readProbeProxy(db: Db, encryption: Encryption, id: number): Promise<ProbeProxy | null> {
  const { rows } = await sql<SealedProxy>`select ${columns} from proxies x where x.id = ${id}`.execute(db);
  return rows[0] === undefined ? null : unsealed(rows[0], encryption);
}

/** The ways to a site, by the proxies' ids. */
export async function readSiteProxies(
  db: Db,
  encryption: Encryption,
  { companyId, siteId }: { companyId: number; siteId: number },
): Promise<SiteProxy[]> {
  const { rows } = await sql<SealedProxy & Omit<SiteProxy, keyof ProbeProxy>>`
    select ${columns}, w.politics, l.succeeded_at as "learnedAt", l.problem,
      array(select e.address from proxy_egress e where e.owner_id = x.owner_id and e.proxy_id = x.id
        order by e.address like '%:%', e.address) as addresses,
      coalesce(l.succeeded_at < now() - interval '24 hours'
        or ${movedSince(sql`${companyId}`, sql`${siteId}`)}, false) as stale
    from (
      select s.owner_id, s.proxy_id, json_agg(json_build_object('id', p.id, 'name', p.name) order by p.id) as politics
      from site_ways(${companyId}, ${siteId}) s join policies p on p.id = s.policy_id
      group by s.owner_id, s.proxy_id
    ) w
    join proxies x on x.owner_id = w.owner_id and x.id = w.proxy_id
    left join proxy_learning l on l.owner_id = x.owner_id and l.proxy_id = x.id
    order by x.id`.execute(db);
  return rows.map(({ politics, addresses, learnedAt, problem, stale, ...proxy }) => ({
    ...unsealed(proxy, encryption),
    politics,
    addresses,
    learnedAt,
    problem,
    stale,
  }));
}

/** Whether a proxy (`l`) leaves from elsewhere since the site's lock was last proved. */
function movedSince(companyId: RawBuilder<unknown>, siteId: RawBuilder<unknown>) {
  return sql`(l.moved_at is not null and not exists (select from site_checks k
    where k.company_id = ${companyId} and k.site_id = ${siteId} and k.shown_verdict = 'protected' and k.shown_at > l.moved_at))`;
}

/** The company's sites whose lock is from before one of these proxies moved. */
export async function readBreaks(
  db: Db,
  companyId: number,
  proxyIds: readonly number[],
): Promise<{ id: number; name: string }[]> {
  const { rows } = await sql<{ id: number; name: string }>`
    select s.id, s.shown_address as name from sites s
    where s.company_id = ${companyId} and exists (
      select from site_ways(s.company_id, s.id) w
      join proxy_learning l on l.owner_id = w.owner_id and l.proxy_id = w.proxy_id
      where l.proxy_id = any (${proxyIds}) and ${movedSince(sql.raw('s.company_id'), sql.raw('s.id'))})
    order by s.id`.execute(db);
  return rows;
}

/** A pool of exits shows one of them at a call: each stands as long as it was seen within this time, the newest first. */
const KEPT = sql.raw(`interval '7 days'`);
const MOST_KEPT = 32;
/**
 * How long after a probe another exit calls for the next one, for each exit that was known: a pool that shows a new one at
 * every call must not have its sites probed without end.
 */
const SETTLE = sql.raw(`interval '10 minutes'`);

/**
 * Keeps what a call of the echo showed, unless the proxy was changed meanwhile: that was another one's way out. Where an
 * address is new, locks pasted earlier turn it away: the sites behind it are probed anew. One that was not seen this time
 * is no news, for a proxy may have several.
 * @param dialled the proxy as it was read for the call
 */
export async function saveEgress(tx: Tx, dialled: ProbeProxy, learned: EgressResult): Promise<void> {
  const { ownerId, id } = dialled;
  // The row is held: a change of the proxy that is under way ends first, and is seen here.
  const { rows } = await sql<{ one: number }>`
    insert into proxy_learning (owner_id, proxy_id, problem, succeeded_at)
    select owner_id, id, ${learned.problem}::text, case when ${learned.problem === null} then now() end from proxies
      where owner_id = ${ownerId} and id = ${id} and host = ${dialled.host} and port = ${dialled.port}
        and username = ${dialled.username} and password_sealed is not distinct from ${dialled.passwordSealed}::bytea
      for share
    on conflict (owner_id, proxy_id) do update set tried_at = now(), problem = excluded.problem,
      succeeded_at = coalesce(excluded.succeeded_at, proxy_learning.succeeded_at)
    returning 1 as one`.execute(tx);
  // It was changed or removed while it was called.
  if (rows.length === 0 || learned.problem !== null) return;
  const known = await keepAddresses(tx, dialled, learned);
  if (known.length === 0 || learned.addresses.every((address) => known.includes(address))) return;
  await sql`update proxy_learning set moved_at = now() where owner_id = ${ownerId} and proxy_id = ${id}`.execute(
    tx,
  );
  await sql`update site_checks k
    set next_at = least(k.next_at, greatest(now(), k.finished_at + ${known.length} * ${SETTLE}))
    from (select distinct company_id from policies where proxy_id = ${id}) c
    where k.company_id = c.company_id and k.state = 'done'
      and exists (select from site_ways(k.company_id, k.site_id) w where w.proxy_id = ${id})`.execute(tx);
}

/** @returns the addresses that were known before */
async function keepAddresses(
  tx: Tx,
  { ownerId, id }: Pick<ProbeProxy, 'ownerId' | 'id'>,
  { addresses, unanswered }: EgressResult,
): Promise<string[]> {
  const before = await tx
    .selectFrom('proxy_egress')
    .select('address')
    .where('owner_id', '=', ownerId)
    .where('proxy_id', '=', id)
    .execute();
  const known = before.map(({ address }) => address);
  await sql`insert into proxy_egress (owner_id, proxy_id, address)
    select ${ownerId}, ${id}, unnest(${[...addresses]}::text[])
    on conflict (owner_id, proxy_id, address) do update set confirmed_at = now()`.execute(tx);
  // A family that did not answer this time is no older for it.
  const silent = known.filter((address) => unanswered.some((family) => isIP(address) === family));
  await sql`delete from proxy_egress e using proxy_learning l
    where e.owner_id = ${ownerId} and e.proxy_id = ${id} and l.owner_id = e.owner_id and l.proxy_id = e.proxy_id
      and (e.confirmed_at < l.placed_at
        or e.confirmed_at < now() - ${KEPT} and e.address <> all (${silent}::text[])
        or e.address not in (select n.address from proxy_egress n where n.owner_id = ${ownerId} and n.proxy_id = ${id}
          order by n.confirmed_at desc, n.address limit ${MOST_KEPT}))`.execute(tx);
  return known;
}

/**
 * Takes proxies that were learned once and not lately, one process each; a failed try is repeated sooner.
 * @returns their ids
 */
export async function claimStaleEgress(db: Db, most: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update proxy_learning l set tried_at = now() from (
      select owner_id, proxy_id from proxy_learning
      where tried_at < now() - case when problem is null then interval '20 hours' else interval '1 hour' end
      order by tried_at for update skip locked limit ${most}
    ) due
    where l.owner_id = due.owner_id and l.proxy_id = due.proxy_id returning l.proxy_id as id`.execute(db);
  return rows.map(({ id }) => id);
}
