import { lockSnippets } from '@propusk/access/lock/snippets';
import type { SharedLock, SiteLock } from '@propusk/contract/lock';
import { sql } from 'kysely';
import { record } from '../audit/store.ts';
import { type Actor } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { hashToken, newToken } from '../core/tokens.ts';
import type { Db, Tx } from '../db/open.ts';
import type { Encryption } from '../encryption.ts';
import { readBreaks, readSiteProxies, type SiteProxy } from '../probe/egress-store.ts';
import { findManagedSite } from '../sites/store.ts';

/** The ways to a site that an actor manages. @throws AppError not_found */
export async function findSiteProxies(
  db: Db,
  actor: Actor,
  id: number,
  encryption: Encryption,
): Promise<readonly SiteProxy[]> {
  const { companyId } = await findManagedSite(db, actor, id);
  return readSiteProxies(db, encryption, { companyId, siteId: id });
}

/** What is known of a site's ways out, and the lock that follows. @throws AppError not_found */
export async function findSiteLock(
  db: Db,
  actor: Actor,
  id: number,
  encryption: Encryption,
): Promise<SiteLock> {
  const site = await findManagedSite(db, actor, id);
  const ways = await readSiteProxies(db, encryption, { companyId: site.companyId, siteId: id });
  const stale = ways.filter((way) => way.stale).map((way) => way.id);
  return {
    site: { id, name: site.shownAddress },
    egress: ways.map(({ id, host, direct, politics, addresses, learnedAt, stale, problem }) => ({
      proxy: { id, name: host },
      direct,
      politics,
      addresses,
      learnedAt,
      stale,
      problem,
    })),
    breaks: stale.length === 0 ? [] : await readBreaks(db, site.companyId, stale),
    snippets: snippetsOf(site.address, ways),
  };
}

function snippetsOf(address: string, ways: readonly SiteProxy[]): SiteLock['snippets'] {
  return lockSnippets({ address, egress: ways.flatMap((way) => way.addresses) });
}

const LINK_DAYS = 7;
/** Links of one site that live together; the oldest give way. */
const LINKS = 20;

/**
 * A link to the lock of a site. The database has its hash alone.
 * @throws AppError not_found
 */
export async function addLockLink(
  tx: Tx,
  actor: Actor,
  siteId: number,
): Promise<{ token: string; expiresAt: string }> {
  const { companyId, shownAddress } = await findManagedSite(tx, actor, siteId);
  const { token, hash } = newToken();
  const expiresAt = new Date(Date.now() + LINK_DAYS * 24 * 3_600_000).toISOString();
  const { rows } = await sql<{
    one: number;
  }>`insert into lock_links (token_hash, company_id, site_id, made_by, expires_at)
    select ${hash}, company_id, id, ${actor.userId}, ${expiresAt} from sites where company_id = ${companyId} and id = ${siteId} for key share
    returning 1 as one`.execute(tx);
  // It was removed a moment ago.
  if (rows.length === 0) throw new AppError('not_found');
  await sql`delete from lock_links where company_id = ${companyId} and site_id = ${siteId}
    and token_hash not in (select token_hash from lock_links where company_id = ${companyId} and site_id = ${siteId}
      order by created_at desc, token_hash = ${hash} desc limit ${LINKS})`.execute(tx);
  const deed = { action: 'lock_shared', kind: 'site', id: siteId, name: shownAddress, companyId } as const;
  await record(tx, actor, deed);
  return { token, expiresAt };
}

/** What a link shows: the address and the lock as they are now. Null for a link that is unknown or dead. */
export async function openLockLink(
  db: Db,
  token: string,
  encryption: Encryption,
): Promise<SharedLock | null> {
  const link = await db
    .selectFrom('lock_links')
    .innerJoin('sites', (join) =>
      join
        .onRef('sites.company_id', '=', 'lock_links.company_id')
        .onRef('sites.id', '=', 'lock_links.site_id'),
    )
    .select(['sites.id', 'sites.company_id', 'sites.address', 'lock_links.expires_at'])
    .where('token_hash', '=', hashToken(token))
    .where('lock_links.expires_at', '>', (eb) => eb.fn<string>('now'))
    .executeTakeFirst();
  if (link === undefined) return null;
  const ways = await readSiteProxies(db, encryption, { companyId: link.company_id, siteId: link.id });
  return {
    address: link.address,
    snippets: snippetsOf(link.address, ways),
    expiresAt: link.expires_at,
  };
}
