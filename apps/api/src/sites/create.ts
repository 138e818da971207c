import type { Site, SiteInput } from '@propusk/contract/sites';
import type { Member } from '../core/actor.ts';
import { found, refuseFaults } from '../core/errors.ts';
import type { Tx } from '../db/open.ts';
import { statement } from '../db/pipeline.ts';
import { createEntities, type PathOf } from '../entities/change.ts';
import { makeRoom } from '../entities/plan-limits.ts';
import { createPolicy } from '../policies/store.ts';
import { alreadyThere, readAddress, shownAddress, siteEntity } from './store.ts';

/** Creates a site, and its new policy. @throws AppError as `createSites` does; the fields have no index (`address`) */
export async function createSite(tx: Tx, actor: Member, body: SiteInput): Promise<Site> {
  return found((await createSites(tx, actor, [body], () => ''))[0]);
}

/**
 * Creates a list of sites, and the new policy of the first site: all of them or none. The error names every invalid site by its
 * index in the list (`3.address`).
 * @throws AppError bad_input, site_exists, too_many_objects, plan_limit
 */
export async function createSites(
  tx: Tx,
  actor: Member,
  lines: readonly SiteInput[],
  pathOf: PathOf = (at) => `${at}.`,
): Promise<Site[]> {
  const { companyId } = actor;
  const read = lines.map(({ address }) => readAddress(address));
  const addresses = read.map((line) => ('address' in line ? line.address : ''));
  refuseFaults('bad_input', read, (line, at) => {
    const path = `${pathOf(at)}address`;
    if ('fault' in line) return [path, [line.fault]];
    const first = addresses.indexOf(line.address);
    return first === at ? null : [path, ['site_in_line', first + 1]];
  });
  const existing = tx
    .selectFrom('sites')
    .select('address')
    .where('company_id', '=', companyId)
    .where('address', 'in', addresses);
  const check = statement(existing.compile(), (found) => {
    const taken = new Set(found.map(({ address }) => address));
    refuseFaults('site_exists', addresses, (address, at) =>
      taken.has(address) ? [`${pathOf(at)}address`, alreadyThere(address)] : null,
    );
  });
  await makeRoom(tx, 'sites', companyId, 'unauthorized', { rows: lines.length, check });
  const { newPolicy } = lines[0] ?? {};
  const policy = newPolicy && { ...newPolicy, description: '', allSites: false, sites: [] };
  const created = policy && (await createPolicy(tx, actor, policy, `${pathOf(0)}newPolicy.`));
  const linked = lines.map(({ politics }) => ({ politics: created ? [...politics, created.id] : politics }));
  const rows = read
    .filter((line) => 'address' in line)
    .map(({ address, paths: start_paths }) => {
      return { company_id: companyId, address, shown_address: shownAddress(address), start_paths };
    });
  return createEntities(tx, actor, siteEntity, rows, { linked, pathOf });
}
