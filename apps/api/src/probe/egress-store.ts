import { isIP } from 'node:net';
import type { CheckMessage } from '@propusk/phrases/checks';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { type Encryption, passwordPlace } from '../encryption.ts';
import { type EgressResult, localAddresses } from './echo-client.ts';
import type { ProxyRoute } from './transport.ts';

/** The data of a proxy that a probe needs. */
export interface ProbeProxy {
  readonly ownerId: number;
  readonly id: number;
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly passwordSealed: Buffer | null;
  readonly direct: boolean;
  /** Null if the stored password cannot be decrypted, for example because it was copied from another row. */
  readonly route: ProxyRoute | null;
}

/** A proxy of a site's policies with its known egress addresses. */
export interface SiteProxy extends ProbeProxy {
  readonly politics: { id: number; name: string }[];
  readonly addresses: readonly string[];
  readonly learnedAt: string | null;
  readonly problem: CheckMessage | null;
  readonly stale: boolean;
}

type SealedProxy = Omit<ProbeProxy, 'route'>;

const columns = sql.raw(
  'x.owner_id as "ownerId", x.id, x.host, x.port, x.username, x.direct, x.password_sealed as "passwordSealed"',
);

function unsealed<P extends SealedProxy>(proxy: P, encryption: Encryption): P & Pick<ProbeProxy, 'route'> {
  const { ownerId, host, port, username, passwordSealed, direct } = proxy;
  if (direct) return { ...proxy, route: { kind: 'gateway' } };
  try {
    const password =
      passwordSealed === null ? '' : encryption.open(passwordPlace(ownerId, proxy), passwordSealed);
    return { ...proxy, route: { kind: 'upstream', host, port, username, password } };
  } catch {
    return { ...proxy, route: null };
  }
}

/** Reads a proxy by id; null if it is deleted. The caller must have checked the actor's rights. */
export async function readProbeProxy(db: Db, encryption: Encryption, id: number): Promise<ProbeProxy | null> {
  const { rows } = await sql<SealedProxy>`select ${columns} from proxies x where x.id = ${id}`.execute(db);
  return rows[0] === undefined ? null : unsealed(rows[0], encryption);
}

/** Reads the proxies of a site's policies, ordered by id. */
export async function readSiteProxies(
  db: Db,
  encryption: Encryption,
  { companyId, siteId }: { companyId: number; siteId: number },
): Promise<SiteProxy[]> {
  const { rows } = await sql<Omit<SiteProxy, 'route'>>`
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
  return rows.map((proxy) => {
    const addresses = proxy.addresses.length > 0 ? proxy.addresses : localAddresses(proxy.problem);
    return unsealed({ ...proxy, addresses }, encryption);
  });
}

/** SQL condition: proxy `l` got a new egress address after the last `protected` verdict of the site. */
function movedSince(companyId: RawBuilder<unknown>, siteId: RawBuilder<unknown>) {
  return sql`(l.moved_at is not null and not exists (select from site_checks k
    where k.company_id = ${companyId} and k.site_id = ${siteId} and k.shown_verdict = 'protected' and k.shown_at > l.moved_at))`;
}

/** Reads the company's sites that got no `protected` verdict since one of the given proxies got a new egress address. */
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

/** A stored egress address expires when no echo call has returned the address for this time. */
const KEPT = sql.raw(`interval '7 days'`);
const MAX_ADDRESSES = 32;
/**
 * A probe after a new egress address is delayed by this time, multiplied by the number of known addresses.
 * Otherwise a proxy with a new address on every call would cause endless probes.
 */
const DELAY = sql.raw(`interval '10 minutes'`);

/**
 * Saves the result of an echo call, unless the proxy changed during the call. If the proxy has a new egress address, schedules a
 * probe of each site of the proxy, because the locks of the sites deny the new address.
 * @param dialled the proxy row that was read before the echo call
 */
export async function saveEgress(tx: Tx, dialled: ProbeProxy, result: EgressResult): Promise<void> {
  const { ownerId, id } = dialled;
  // `for share` waits for a concurrent change of the proxy, so that the `where` clause compares the changed row.
  const { numAffectedRows } = await sql`
    insert into proxy_learning (owner_id, proxy_id, problem, succeeded_at)
    select owner_id, id, ${result.problem === null ? null : JSON.stringify(result.problem)}::jsonb, case when ${result.problem === null} then now() end from proxies
      where owner_id = ${ownerId} and id = ${id} and host = ${dialled.host} and port = ${dialled.port}
        and username = ${dialled.username} and password_sealed is not distinct from ${dialled.passwordSealed}::bytea
      for share
    on conflict (owner_id, proxy_id) do update set tried_at = now(), problem = excluded.problem,
      succeeded_at = coalesce(excluded.succeeded_at, proxy_learning.succeeded_at)`.execute(tx);
  // No row was saved if the proxy was changed or deleted during the echo call.
  if (numAffectedRows === 0n || result.problem !== null) return;
  const known = await keepAddresses(tx, dialled, result);
  if (known.length === 0 || result.addresses.every((address) => known.includes(address))) return;
  await sql`update proxy_learning set moved_at = now() where owner_id = ${ownerId} and proxy_id = ${id}`.execute(
    tx,
  );
  await sql`update site_checks k
    set next_at = least(k.next_at, greatest(now(), k.finished_at + ${known.length} * ${DELAY}))
    from (select distinct company_id from policies where proxy_id = ${id}) c
    where k.company_id = c.company_id and k.state = 'done'
      and exists (select from site_ways(k.company_id, k.site_id) w where w.proxy_id = ${id})`.execute(tx);
}

/** Stores the egress addresses that an echo call returned. @returns the addresses that were stored before */
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
  // The echo call got no answer over some address families. Stored addresses of these families do not expire.
  const unseen = known.filter((address) => unanswered.some((family) => isIP(address) === family));
  await sql`delete from proxy_egress e using proxy_learning l
    where e.owner_id = ${ownerId} and e.proxy_id = ${id} and l.owner_id = e.owner_id and l.proxy_id = e.proxy_id
      and (e.confirmed_at < l.placed_at
        or e.confirmed_at < now() - ${KEPT} and e.address <> all (${unseen}::text[])
        or e.address not in (select n.address from proxy_egress n where n.owner_id = ${ownerId} and n.proxy_id = ${id}
          order by n.confirmed_at desc, n.address limit ${MAX_ADDRESSES}))`.execute(tx);
  return known;
}

/**
 * Claims the proxies that are due for an echo call, so that no other process makes the same calls. After a failed call, a proxy
 * is due sooner.
 * @returns the ids of the proxies
 */
export async function claimStaleEgress(db: Db, most: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update proxy_learning l set tried_at = now() from (
      select owner_id, proxy_id from proxy_learning
      where tried_at < now() - case when problem is null then interval '20 hours'
        -- The platform's own gateway is due every minute, so that corrected settings take effect soon.
        when exists (select from proxies x where x.id = proxy_id and x.direct) then interval '1 minute'
        else interval '1 hour' end
      order by tried_at for update skip locked limit ${most}
    ) due
    where l.owner_id = due.owner_id and l.proxy_id = due.proxy_id returning l.proxy_id as id`.execute(db);
  return rows.map(({ id }) => id);
}
