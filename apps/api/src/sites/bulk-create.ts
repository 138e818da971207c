import type { Site, SiteInput } from '@propusk/contract/sites';
import type { FieldFault } from '@propusk/phrases/field-fault';
import { sql } from 'kysely';
import type { Member } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { lockOwnCompany } from '../db/company.ts';
import { boundLinks, links } from '../db/links.ts';
import type { Tx } from '../db/open.ts';
import { run } from '../db/pipeline.ts';
import { recordCreated } from '../entities/change.ts';
import { readEntities } from '../entities/entity.ts';
import { makeRoom } from '../entities/plan-limits.ts';
import { alreadyThere, createPolicyOf, newRow, readAddress, siteEntity } from './store.ts';

/**
 * Creates a list of sites: all of them or none. The error names every invalid site by its index in the list (`3.address`).
 * @throws AppError bad_input, site_exists, too_many_objects, plan_limit, all_sites_refused, not_in_plan
 */
export async function createSites(
  tx: Tx,
  actor: Member,
  lines: readonly SiteInput[],
): Promise<{ rows: Site[]; count: number }> {
  const { companyId } = actor;
  const read = readLines(lines);
  const addresses = read.map(({ address }) => address);
  await lockOwnCompany(tx, actor);
  const existing = await tx
    .selectFrom('sites')
    .select('address')
    .where('company_id', '=', companyId)
    .execute();
  const taken = new Set(existing.map(({ address }) => address));
  refuse('site_exists', lines, (_, at) => {
    const address = addresses[at] ?? '';
    return taken.has(address) ? ['address', alreadyThere(address)] : null;
  });
  await makeRoom(tx, 'sites', companyId, 'unauthorized', { rows: lines.length });
  const politics = new Set(await policyIds(tx, companyId));
  refuse('bad_input', lines, (line) =>
    line.politics.every((id) => politics.has(id)) ? null : ['politics', ['gone_from_list']],
  );
  const created = lines[0] === undefined ? [] : await createPolicyOf(tx, actor, lines[0], '0.newPolicy');
  const sites = await tx
    .insertInto('sites')
    .values(read.map((one) => newRow(actor, one)))
    .returning(['id', 'address'])
    .execute();
  const ids = new Map(sites.map(({ id, address }) => [address, id]));
  const pairs = lines.flatMap(({ politics: policies }, at) =>
    [...policies, ...created].map((policyId) => ({ policyId, siteId: ids.get(addresses[at] ?? '') })),
  );
  await sql`with come as (
      insert into policy_sites (company_id, policy_id, site_id)
      select ${companyId}, policy_id, site_id
      from unnest(${pairs.map(({ policyId }) => policyId)}::bigint[], ${pairs.map(({ siteId }) => siteId)}::bigint[])
        as pair (policy_id, site_id)
      returning policy_id
    )
    update policies set version = version + 1, updated_at = now()
    where company_id = ${companyId} and id in (select policy_id from come)`.execute(tx);
  await boundLinks(tx, links.sitePolicies, companyId);
  const rows = await run(tx, readEntities(tx, actor, siteEntity, [...ids.values()]));
  await recordCreated(tx, actor, siteEntity, companyId, rows);
  return { rows, count: rows.length };
}

function readLines(lines: readonly SiteInput[]): { address: string; paths: string[] }[] {
  const read = lines.map(({ address }) => readAddress(address));
  // Bounded: the map exists for one call, and holds at most one entry for each line
  const first = new Map<string, number>();
  refuse('bad_input', lines, (_, at) => {
    const line = read[at];
    if (line === undefined || 'fault' in line) return ['address', [line?.fault ?? 'not_a_host']];
    const before = first.get(line.address);
    if (before !== undefined) return ['address', ['site_in_line', before + 1]];
    first.set(line.address, at);
    return null;
  });
  return read.flatMap((line) => ('address' in line ? line : []));
}

/** @throws AppError `code` when `faultOf` finds a fault in a line; the error contains the faults of all lines */
function refuse(
  code: 'bad_input' | 'site_exists',
  lines: readonly SiteInput[],
  faultOf: (line: SiteInput, at: number) => [field: string, fault: FieldFault] | null,
): void {
  const fields: Record<string, FieldFault> = {};
  for (const [at, line] of lines.entries()) {
    const fault = faultOf(line, at);
    if (fault !== null) fields[`${at}.${fault[0]}`] = fault[1];
  }
  if (Object.keys(fields).length > 0) throw new AppError(code, { fields });
}

async function policyIds(tx: Tx, companyId: number): Promise<number[]> {
  const rows = await tx.selectFrom('policies').select('id').where('company_id', '=', companyId).execute();
  return rows.map(({ id }) => id);
}
