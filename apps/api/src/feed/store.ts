import type { CompanySnapshot } from '@propusk/contract/feed';
import type { FastifyBaseLogger } from 'fastify';
import { sql } from 'kysely';
import { hasFactor } from '../core/factor.ts';
import type { Db } from '../db/open.ts';
import { type Encryption, passwordPlace } from '../encryption.ts';

/** SQL for the fields of policy `p` in the snapshot of company `c`. */
const policy = sql.raw(`'id', p.id, 'proxyId', p.proxy_id,
  -- A policy for all sites takes effect only while its proxy also allows all sites.
  'allSites', p.all_sites and (select x.all_sites from proxies x where x.id = p.proxy_id),
  'users', array(select user_id from policy_members l where l.company_id = c.id and l.policy_id = p.id and ends_at is null
    order by user_id),
  'sites', array(select site_id from policy_sites l where l.company_id = c.id and l.policy_id = p.id order by site_id),
  'ended', c.paid_stopped and exists (select from proxies x where x.id = p.proxy_id and x.type = 'payment')`);

/** SQL for a time in ms since 1970. */
const milliseconds = (time: string) => sql.raw(`ceil(extract(epoch from ${time}) * 1000)::bigint`);

interface SealedSnapshot extends Omit<CompanySnapshot, 'proxies'> {
  proxies: (Omit<CompanySnapshot['proxies'][number], 'password'> & {
    owner: number;
    sealed: string | null;
  })[];
}

/** The dependencies of `readSnapshot`. */
export interface SnapshotSource {
  readonly db: Db;
  readonly encryption: Encryption;
  readonly log: FastifyBaseLogger;
}

/**
 * Reads the access rights of one company. A single statement reads all tables, so that the rights are consistent. A proxy whose
 * password does not decrypt is omitted, so that only the policies of that proxy stop working.
 * @returns null when the company does not exist
 */
export async function readSnapshot(
  { db, encryption, log }: SnapshotSource,
  companyId: number,
): Promise<CompanySnapshot | null> {
  const { rows } = await sql<{ snapshot: SealedSnapshot }>`
    select json_build_object(
      'companyId', c.id,
      'version', c.policy_version,
      'addresses', c.record_addresses,
      'users', coalesce((select json_agg(json_build_object('id', u.id, 'epoch', u.gateway_epoch) order by u.id)
        -- Users without access are omitted: users without a role (spec section 4), invited users without a
        -- password, users without a required second factor, and all users of an unconfirmed company.
        from users u where u.company_id = c.id and u.roles <> '{}' and not u.invited and u.suspended_at is null and c.confirmed
          and (not c.second_factor_required or ${hasFactor('u.id')})), '[]'),
      'sites', coalesce((select json_agg(json_build_object('id', s.id, 'address', s.address, 'claim', s.claim) order by s.id)
        from sites s where s.company_id = c.id), '[]'),
      'proxies', coalesce((select json_agg(json_build_object('id', x.id, 'owner', x.owner_id, 'type', x.type,
          'direct', x.direct, 'host', x.host, 'port', x.port, 'username', x.username,
          'sealed', encode(x.password_sealed, 'base64'),
          'family', (select case when bool_and(e.address like '%:%') then 6 when not bool_or(e.address like '%:%') then 4 end
            from proxy_egress e where x.direct and e.owner_id = x.owner_id and e.proxy_id = x.id)) order by x.id)
        from proxies x where exists (select from policies p where p.company_id = c.id and p.proxy_id = x.id)), '[]'),
      'policies', coalesce((select json_agg(json_build_object(${policy}) order by p.id)
        from policies p where p.company_id = c.id and not p.timed), '[]'),
      'timed', json_build_object(
        'policies', coalesce((select json_agg(json_build_object(${policy}, 'times', json_build_object(
            'from', ${milliseconds('p.valid_from')}, 'until', ${milliseconds('p.valid_until')},
            'zone', coalesce(p.zone, c.time_zone), 'windows', p.windows)) order by p.id)
          from policies p where p.company_id = c.id and p.timed), '[]'),
        'members', coalesce((select json_agg(json_build_object('policyId', l.policy_id, 'userId', l.user_id,
            'until', ${milliseconds('l.ends_at')}) order by l.user_id, l.policy_id)
          from timed_members l where l.company_id = c.id and l.ends_at is not null), '[]')),
      'suspended', array(select id from users u where u.company_id = c.id and u.suspended_at is not null order by id)
    ) as snapshot
    from companies c where c.id = ${companyId}`.execute(db);
  const snapshot = rows[0]?.snapshot;
  if (snapshot === undefined) return null;
  const proxies = snapshot.proxies.flatMap(({ sealed, owner, ...proxy }) => {
    if (sealed === null) return { ...proxy, password: '' };
    try {
      const place = passwordPlace(owner, proxy);
      return { ...proxy, password: encryption.open(place, Buffer.from(sealed, 'base64')) };
    } catch (error) {
      log.error({ err: error, companyId, proxyId: proxy.id }, 'the password of a proxy does not open');
      return [];
    }
  });
  return { ...snapshot, proxies };
}

/** Reads the policy version of every company. */
export async function readVersions(db: Db): Promise<Map<number, number>> {
  const rows = await db.selectFrom('companies').select(['id', 'policy_version']).orderBy('id').execute();
  return new Map(rows.map((row) => [row.id, row.policy_version]));
}

/** Reads the time of the database, by which gateways judge time rules. @returns ms since 1970 */
export async function readMoment(db: Db): Promise<number> {
  const { rows } = await sql<{ now: number }>`
    select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(db);
  return Number(rows[0]?.now);
}
