import { lockSnippets } from '@propusk/access/lock/snippets';
import { limits } from '@propusk/contract/limits';
import type { SharedLock, SiteLock } from '@propusk/contract/lock';
import { sayCheck } from '@propusk/phrases/checks';
import { sql } from 'kysely';
import { record } from '../audit/store.ts';
import { type Actor, readerOf } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { hashToken } from '../core/tokens.ts';
import { demandConfirmed } from '../db/company.ts';
import type { Db, Tx } from '../db/open.ts';
import { type Issued, issue, works } from '../db/secret-links.ts';
import type { Encryption } from '../encryption.ts';
import { readBreaks, readSiteProxies, type SiteProxy } from '../probe/egress-store.ts';
import { findManagedSite } from '../sites/store.ts';

/**
 * Reads the proxies of a site.
 * @throws AppError not_found when the actor manages no such site; company_unconfirmed when the mailbox is unconfirmed
 */
export async function findSiteProxies(
  db: Db,
  actor: Actor,
  id: number,
  encryption: Encryption,
): Promise<readonly SiteProxy[]> {
  const { companyId } = await findManagedSite(db, actor, id);
  await demandConfirmed(db, companyId);
  return readSiteProxies(db, encryption, { companyId, siteId: id });
}

/** Renders the lock from the known egress addresses of a site's proxies. @throws AppError not_found */
export async function findSiteLock(
  db: Db,
  actor: Actor,
  id: number,
  encryption: Encryption,
): Promise<SiteLock> {
  const site = await findManagedSite(db, actor, id);
  const proxies = await readSiteProxies(db, encryption, { companyId: site.companyId, siteId: id });
  const stale = proxies.filter((proxy) => proxy.stale).map((proxy) => proxy.id);
  return {
    site: { id, name: site.shownAddress },
    egress: proxies.map(({ id, host, direct, politics, addresses, learnedAt, stale, problem }) => ({
      proxy: { id, name: host },
      direct,
      politics,
      addresses: [...addresses],
      learnedAt,
      stale,
      problem: sayCheck(problem, readerOf(actor)),
    })),
    breaks: stale.length === 0 ? [] : await readBreaks(db, site.companyId, stale),
    snippets: snippetsOf(site.address, proxies),
  };
}

function snippetsOf(address: string, proxies: readonly SiteProxy[]): SiteLock['snippets'] {
  return lockSnippets({ address, egress: proxies.flatMap((proxy) => proxy.addresses) });
}

/** At most 20 lock links per site; a further one replaces the oldest. */
const MAX_LINKS = 20;

/**
 * Creates a link to the lock of a site. The database stores only the hash of the link's token.
 * @throws AppError not_found
 */
export async function addLockLink(tx: Tx, actor: Actor, siteId: number): Promise<Issued> {
  const { companyId, shownAddress } = await findManagedSite(tx, actor, siteId);
  const row = sql`select company_id, id, ${actor.userId}::bigint from sites
    where company_id = ${companyId} and id = ${siteId} for key share`;
  const columns = 'company_id, site_id, made_by';
  const { token, expiresAt, isStored } = await issue(
    tx,
    'lock_links',
    limits.lockLinkDays * 86_400,
    columns,
    row,
  );
  // The site was deleted after the call began.
  if (!isStored) throw new AppError('not_found');
  await sql`delete from lock_links where company_id = ${companyId} and site_id = ${siteId}
    and token_hash not in (select token_hash from lock_links where company_id = ${companyId} and site_id = ${siteId}
      order by created_at desc, token_hash = ${hashToken(token)} desc limit ${MAX_LINKS})`.execute(tx);
  const event = { action: 'lock_shared', kind: 'site', id: siteId, name: shownAddress, companyId } as const;
  await record(tx, actor, event);
  return { token, expiresAt };
}

/** Reads the site and the current lock of a lock link. @throws AppError lock_link_dead when the link is unknown or expired */
export async function openLockLink(db: Db, token: string, encryption: Encryption): Promise<SharedLock> {
  const link = await db
    .selectFrom('lock_links')
    .innerJoin('sites', (join) =>
      join
        .onRef('sites.company_id', '=', 'lock_links.company_id')
        .onRef('sites.id', '=', 'lock_links.site_id'),
    )
    .select(['sites.id', 'sites.company_id', 'sites.address', 'lock_links.expires_at'])
    .where(works('lock_links', token))
    .executeTakeFirstOrThrow(() => new AppError('lock_link_dead'));
  const proxies = await readSiteProxies(db, encryption, { companyId: link.company_id, siteId: link.id });
  return {
    address: link.address,
    snippets: snippetsOf(link.address, proxies),
    expiresAt: link.expires_at,
  };
}
