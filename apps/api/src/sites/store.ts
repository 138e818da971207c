import { domainToUnicode } from 'node:url';
import { startPathOf } from '@propusk/access/probe-path';
import { type AddressFault, formatSiteAddress, parseSiteAddress } from '@propusk/access/site-address';
import { limits } from '@propusk/contract/limits';
import type { Protection } from '@propusk/contract/protection';
import type { Site, SiteChange, SiteQuery } from '@propusk/contract/sites';
import type { FieldFault } from '@propusk/phrases/field-fault';
import { sql } from 'kysely';
import { type Actor, type Member, scopeOf } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import type { IfMatch, Target } from '../core/versions.ts';
import { lockOwnCompany } from '../db/company.ts';
import { linkedItems, linkSql, links, ownPolicies } from '../db/links.ts';
import { every } from '../db/list.ts';
import type { Db, Tx } from '../db/open.ts';
import { inScope, managedBy } from '../db/scope.ts';
import { isoOf } from '../db/times.ts';
import { changeEntity, deleteEntity } from '../entities/change.ts';
import { entity } from '../entities/entity.ts';

/** SQL for the result of the site's last probe; null if USER is the actor's only role. */
function protection(own: boolean) {
  if (own) return sql<null>`null`;
  return sql<Protection | null>`(select json_build_object('verdict', k.shown_verdict,
      'checkedAt', ${isoOf(sql`k.shown_at`)}, 'drifted', k.drifted)
    from site_checks k where k.company_id = sites.company_id and k.site_id = sites.id and k.shown_verdict is not null)`;
}

/** An owner sees all sites of the company. A USER sees only sites and policies that apply to that user. */
export const siteEntity = entity({
  table: 'sites',
  kind: 'site',
  columns: (actor) => {
    const own = scopeOf(actor) === 'own';
    return [
      'sites.id',
      'sites.address',
      'sites.version',
      'sites.created_at as createdAt',
      'sites.updated_at as updatedAt',
      protection(own).as('protection'),
      linkSql(links.sitePolicies, actor).lastVisit,
      linkedItems(links.sitePolicies, sql`o.name`, own ? sql`o.id in ${ownPolicies(actor)}` : sql`true`),
    ];
  },
  present: ({ lastVisit: last, ...row }): Site => ({ ...row, lastVisitAt: last?.at }),
  sees: (actor, scope) =>
    inScope(
      actor,
      scope,
      'sites.company_id',
      sql`exists (select from policy_sites l where l.company_id = sites.company_id and l.site_id = sites.id
        and l.policy_id in ${ownPolicies(actor)})`,
    ),
  filter: (actor, { protection: wanted, ...query }: SiteQuery) => {
    const check = sql`from site_checks k where k.company_id = sites.company_id and k.site_id = sites.id`;
    const found =
      wanted === 'drifted'
        ? sql`exists (select ${check} and k.shown_verdict is not null and k.drifted)`
        : sql`coalesce((select k.shown_verdict ${check}), 'unchecked') = ${wanted}`;
    const allowed = scopeOf(actor) === 'own' ? sql`false` : found;
    return every(...linkSql(links.sitePolicies, actor).filter(query), wanted !== undefined && allowed);
  },
  search: ['sites.address', 'sites.shown_address'],
  name: ({ address }) => shownAddress(address),
  facts: ({ address, politics }) => ({ address: shownAddress(address), politics }),
});

/**
 * Normalizes an entered address to its stored spelling, and reads the start path of a pasted URL. Returns the fault of an invalid
 * address. New addresses must not contain symbols such as emoji.
 * @param stored the current address of the site, which is accepted even with symbols; undefined for a new site; null to accept
 * symbols in every address
 */
export function readAddress(
  raw: string,
  stored?: string | null,
): { address: string; paths: string[] } | { fault: AddressFault } {
  const site = parseSiteAddress(raw);
  if ('fault' in site) return { fault: site.fault };
  const address = formatSiteAddress(site);
  const isNew = stored !== null && stored !== address;
  // A label that does not decode stays Punycode.
  if (isNew && /(^|\.)xn--|[\p{S}\p{Extended_Pictographic}]/u.test(domainToUnicode(site.host)))
    return { fault: 'symbols' };
  const path = startPathOf(raw);
  return { address, paths: path === null ? [] : [path] };
}

/** Reads an entered address (`readAddress`). @throws AppError bad_input for an invalid address */
function storedAddress(raw: string, stored?: string | null): { address: string; paths: string[] } {
  const read = readAddress(raw, stored);
  if ('fault' in read) throw new AppError('bad_input', { fields: { address: [read.fault] } });
  return read;
}

/** Returns the field error for an address that a site of the company already has. */
export const alreadyThere = (address: string): FieldFault => ['site_listed', shownAddress(address)];

/** Converts a stored address for display: Unicode instead of Punycode. */
export function shownAddress(address: string): string {
  return address.replace(/[^*.:][^*:]*/, domainToUnicode);
}

/** Changes a site. @throws AppError not_found; bad_input for an invalid field; site_exists; changed_meanwhile */
export function updateSite(tx: Tx, actor: Actor, target: Target, body: SiteChange): Promise<Site> {
  return changeEntity(tx, actor, siteEntity, target, (site) => {
    if (body.address === undefined) return { set: {}, links: body };
    const { address, paths } = storedAddress(body.address, site.address);
    const start_paths = [...new Set([...site.start_paths, ...paths])].slice(0, limits.startPaths);
    return {
      set: { address, shown_address: shownAddress(address), start_paths },
      refusals: takenBy(address),
      links: body,
    };
  });
}

/** Deletes a site by its address. @throws AppError bad_input for an invalid address; not_found; changed_meanwhile */
export async function deleteSiteByAddress(
  tx: Tx,
  actor: Member,
  raw: string,
  ifMatch: IfMatch,
): Promise<void> {
  const { address } = storedAddress(raw, null);
  // Lock the company before the lookup, because a concurrent transaction may give the address to another site.
  await lockOwnCompany(tx, actor);
  const site = await tx
    .selectFrom('sites')
    .select('id')
    .where('company_id', '=', actor.companyId)
    .where('address', '=', address)
    .executeTakeFirstOrThrow(() => new AppError('not_found'));
  await deleteEntity(tx, actor, siteEntity, { id: site.id, ifMatch });
}

const takenBy = (address: string) => ({
  sites_address_key: () => new AppError('site_exists', { fields: { address: alreadyThere(address) } }),
});

/** Finds a site that the actor may manage. @throws AppError not_found, also for another company's site */
export function findManagedSite(db: Db, actor: Actor, id: number) {
  return db
    .selectFrom('sites')
    .select(['id', 'company_id as companyId', 'address', 'shown_address as shownAddress'])
    .where('id', '=', id)
    .where(managedBy(actor, 'sites.company_id'))
    .executeTakeFirstOrThrow(() => new AppError('not_found'));
}
