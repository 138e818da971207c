import type { Site, SiteInput } from '@propusk/contract/sites';
import type { Member } from '../core/actor.ts';
import { lockOwnCompany } from '../db/company.ts';
import type { Tx } from '../db/open.ts';
import { createEntities } from '../entities/change.ts';
import { refuseLines, refuseUnknownPolicies } from '../entities/lines.ts';
import { makeRoom } from '../entities/plan-limits.ts';
import { alreadyThere, createPolicyOf, newRow, readAddress, siteEntity } from './store.ts';

/**
 * Creates a list of sites: all of them or none. The error names every invalid site by its index in the list (`3.address`).
 * @throws AppError bad_input, site_exists, too_many_objects, plan_limit
 */
export async function createSites(
  tx: Tx,
  actor: Member,
  lines: readonly SiteInput[],
): Promise<{ rows: Site[]; count: number }> {
  const { companyId } = actor;
  const read = readLines(lines);
  await lockOwnCompany(tx, actor);
  const existing = await tx
    .selectFrom('sites')
    .select('address')
    .where('company_id', '=', companyId)
    .execute();
  const taken = new Set(existing.map(({ address }) => address));
  refuseLines('site_exists', '', read, ({ address }) =>
    taken.has(address) ? ['address', alreadyThere(address)] : null,
  );
  await makeRoom(tx, 'sites', companyId, 'unauthorized', { rows: lines.length });
  await refuseUnknownPolicies(tx, companyId, '', lines);
  const created = lines[0] === undefined ? [] : await createPolicyOf(tx, actor, lines[0], '0.newPolicy');
  const linked = lines.map(({ politics }) => ({ politics: [...politics, ...created] }));
  const made = read.map((one) => newRow(actor, one));
  const rows = await createEntities(tx, actor, siteEntity, made, { linked });
  return { rows, count: rows.length };
}

function readLines(lines: readonly SiteInput[]): { address: string; paths: string[] }[] {
  const read = lines.map(({ address }) => readAddress(address));
  // Bounded: the map exists for one call, and holds at most one entry for each line
  const first = new Map<string, number>();
  refuseLines('bad_input', '', read, (line, at) => {
    if ('fault' in line) return ['address', [line.fault]];
    const before = first.get(line.address);
    if (before !== undefined) return ['address', ['site_in_line', before + 1]];
    first.set(line.address, at);
    return null;
  });
  return read.flatMap((line) => ('address' in line ? line : []));
}
