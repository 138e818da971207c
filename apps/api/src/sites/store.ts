import { domainToUnicode } from 'node:url';
import { startPathOf } from '@propusk/access/probe-path';
import { type AddressFault, formatSiteAddress, parseSiteAddress } from '@propusk/access/site-address';
import type { ListQuery } from '@propusk/contract/fields';
import { limits } from '@propusk/contract/limits';
import type { Protection } from '@propusk/contract/protection';
import type { Site, SiteChange, SiteInput } from '@propusk/contract/sites';
import type { FieldFault } from '@propusk/phrases/field-fault';
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { type Actor, type Member, type Scope, scopeById, scopeOf } from '../core/actor.ts';
import { AppError, found } from '../core/errors.ts';
import type { IfMatch } from '../core/versions.ts';
import { lockOwnCompany, makeRoom, replaceLinks, touchLinked } from '../db/company.ts';
import { contains, readList } from '../db/list.ts';
import type { Db, Tx } from '../db/open.ts';
import { pipeline, type Statement, statement } from '../db/pipeline.ts';
import type { Tables } from '../db/schema.ts';
import { managedBy } from '../db/scope.ts';
import { refusing } from '../db/violations.ts';
import { changeEntity, deleteEntity, type Entity, recordCreated } from '../entities/change.ts';

type Sites = ExpressionBuilder<Tables, 'sites'>;

/** The condition of sites that the actor sees: an owner the company's, a USER those of the own policies, an admin all. */
function maySee(actor: Actor, scope: Scope) {
  return (eb: Sites): Expression<SqlBool> => {
    if (scope === 'platform') return sql<SqlBool>`true`;
    const ofCompany = eb('sites.company_id', '=', actor.companyId);
    if (scope === 'company') return ofCompany;
    return eb.and([
      ofCompany,
      eb.exists(
        eb
          .selectFrom('policy_sites')
          .innerJoin('policy_users', (join) =>
            join
              .onRef('policy_users.company_id', '=', 'policy_sites.company_id')
              .onRef('policy_users.policy_id', '=', 'policy_sites.policy_id'),
          )
          .select(sql`1`.as('one'))
          .whereRef('policy_sites.company_id', '=', 'sites.company_id')
          .whereRef('policy_sites.site_id', '=', 'sites.id')
          .where('policy_users.user_id', '=', actor.userId),
      ),
    ]);
  };
}

/** The result of the site's last probe. It is null for an actor who is only USER. */
function protection(own: boolean) {
  if (own) return sql<null>`null`;
  return sql<Protection | null>`(select json_build_object('verdict', k.shown_verdict,
      'checkedAt', to_char(k.shown_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'drifted', k.drifted)
    from site_checks k where k.company_id = sites.company_id and k.site_id = sites.id and k.shown_verdict is not null)`;
}

/** Selects sites as replies show them. An actor who is only USER gets only the own policies of each site. */
export function selectSites(db: Db, actor: Actor) {
  const own = scopeOf(actor) === 'own';
  return db.selectFrom('sites').select((eb) => [
    'sites.id',
    'sites.address',
    'sites.version',
    'sites.created_at as createdAt',
    'sites.updated_at as updatedAt',
    protection(own).as('protection'),
    jsonArrayFrom(
      eb
        .selectFrom('policy_sites')
        .innerJoin('policies', (join) =>
          join
            .onRef('policies.company_id', '=', 'policy_sites.company_id')
            .onRef('policies.id', '=', 'policy_sites.policy_id'),
        )
        .select(['policies.id', 'policies.name'])
        .whereRef('policy_sites.company_id', '=', 'sites.company_id')
        .whereRef('policy_sites.site_id', '=', 'sites.id')
        .$if(own, (named) =>
          named.where('policies.id', 'in', (sub) =>
            sub
              .selectFrom('policy_users')
              .select('policy_users.policy_id')
              .where('policy_users.company_id', '=', actor.companyId)
              .where('policy_users.user_id', '=', actor.userId),
          ),
        )
        .orderBy('policies.id'),
    ).as('politics'),
  ]);
}

/** @throws AppError not_found, also for another company's site */
export async function findSite(db: Db, actor: Actor, id: number): Promise<Site> {
  return selectSites(db, actor)
    .where('sites.id', '=', id)
    .where(maySee(actor, scopeById(actor)))
    .executeTakeFirstOrThrow(() => new AppError('not_found'));
}

export function listSites(db: Db, actor: Actor, query: ListQuery): Promise<{ rows: Site[]; count: number }> {
  const matching = selectSites(db, actor)
    .where(maySee(actor, scopeOf(actor)))
    .where(contains(['sites.address', 'sites.shown_address'], query.name, scopeOf(actor) === 'platform'));
  return readList(matching, query, sql.ref('sites.id'));
}

/**
 * Normalizes an entered address to its stored spelling, and reads the start path of a pasted URL. Returns the fault of an invalid
 * address. New addresses must not contain symbols such as emoji.
 * @param stored the current address of the site, which may keep its symbols; undefined for a new site; null allows symbols in
 * every address
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

/** @throws AppError bad_input with `address` */
function storedAddress(raw: string, stored?: string | null): { address: string; paths: string[] } {
  const read = readAddress(raw, stored);
  if ('fault' in read) throw new AppError('bad_input', { fields: { address: [read.fault] } });
  return read;
}

/** The fault of an address that the company already has a site for. */
export const alreadyThere = (address: string): FieldFault => ['site_listed', shownAddress(address)];

/** Converts a stored address for display: Unicode instead of Punycode. */
export function shownAddress(address: string): string {
  return address.replace(/[^*.:][^*:]*/, domainToUnicode);
}

/** @throws AppError bad_input, site_exists, too_many_objects */
export async function createSite(tx: Tx, actor: Member, body: SiteInput): Promise<Site> {
  const { address, paths } = storedAddress(body.address);
  await makeRoom(tx, 'sites', actor.companyId);
  const { id } = await refusing(
    takenBy(address),
    tx
      .insertInto('sites')
      .values({
        ...{ company_id: actor.companyId, address, shown_address: shownAddress(address) },
        start_paths: paths,
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  const [, site] = await pipeline<[void, Site]>(
    tx,
    linkPolicies(tx, actor.companyId, id, body.politics),
    readSite(tx, actor, id),
  );
  await recordCreated(tx, actor, siteEntity, actor.companyId, site);
  return site;
}

/** @throws AppError not_found, bad_input, site_exists, changed_meanwhile */
export async function updateSite(
  tx: Tx,
  actor: Actor,
  id: number,
  body: SiteChange,
  ifMatch: IfMatch,
): Promise<Site> {
  return changeEntity(
    tx,
    actor,
    siteEntity,
    { id, ifMatch },
    ({ company_id: companyId, address, start_paths: known }) => {
      const read = body.address === undefined ? undefined : storedAddress(body.address, address);
      const { politics } = body;
      const paths = [...new Set([...known, ...(read?.paths ?? [])])].slice(0, limits.startPaths);
      return {
        set:
          read === undefined
            ? {}
            : { address: read.address, shown_address: shownAddress(read.address), start_paths: paths },
        refusals: takenBy(read?.address ?? ''),
        links: politics === undefined ? [] : [linkPolicies(tx, companyId, id, politics)],
      };
    },
  );
}

/** @throws AppError not_found, changed_meanwhile */
export function deleteSite(tx: Tx, actor: Actor, id: number, ifMatch: IfMatch): Promise<void> {
  const links = {
    table: 'policy_sites',
    own: 'site_id',
    other: 'policy_id',
    otherTable: 'policies',
  } as const;
  return deleteEntity(tx, actor, siteEntity, { id, ifMatch }, ({ company_id: companyId }) => ({
    beforeDelete: () => touchLinked(tx, { ...links, companyId, ownId: id }),
  }));
}

/** @throws AppError bad_input, not_found, changed_meanwhile */
export async function deleteSiteByAddress(
  tx: Tx,
  actor: Member,
  raw: string,
  ifMatch: IfMatch,
): Promise<void> {
  const { address } = storedAddress(raw, null);
  // Lock before the lookup: a concurrent transaction may move the address to another site.
  await lockOwnCompany(tx, actor);
  const site = await tx
    .selectFrom('sites')
    .select('id')
    .where('company_id', '=', actor.companyId)
    .where('address', '=', address)
    .executeTakeFirstOrThrow(() => new AppError('not_found'));
  await deleteSite(tx, actor, site.id, ifMatch);
}

export const siteEntity: Entity<'sites', Site> = {
  table: 'sites',
  kind: 'site',
  visible: (actor) => managedBy(actor, 'company_id'),
  read: readSite,
  name: ({ address }) => shownAddress(address),
  facts: ({ address, politics }) => ({ address: shownAddress(address), politics }),
};

const takenBy = (address: string) => ({
  sites_address_key: () => new AppError('site_exists', { fields: { address: alreadyThere(address) } }),
});

function readSite(tx: Tx, actor: Actor, id: number): Statement<Site> {
  return statement(selectSites(tx, actor).where('sites.id', '=', id).compile(), ([row]) => found(row));
}

function linkPolicies(tx: Tx, companyId: number, siteId: number, ids: readonly number[]): Statement<void> {
  return replaceLinks(tx, {
    table: 'policy_sites',
    companyId,
    own: 'site_id',
    ownId: siteId,
    other: 'policy_id',
    otherTable: 'policies',
    ids,
    field: 'politics',
  });
}

/** A site that the actor may manage. */
export interface ManagedSite {
  readonly id: number;
  readonly companyId: number;
  readonly address: string;
  readonly shownAddress: string;
}

/** @throws AppError not_found, also for another company's site */
export async function findManagedSite(db: Db, actor: Actor, id: number): Promise<ManagedSite> {
  return db
    .selectFrom('sites')
    .select(['id', 'company_id as companyId', 'address', 'shown_address as shownAddress'])
    .where('id', '=', id)
    .where(managedBy(actor, 'sites.company_id'))
    .executeTakeFirstOrThrow(() => new AppError('not_found'));
}
