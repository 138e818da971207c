import { patternsCovering } from '@propusk/access/decide';
import type { CanonicalHost } from '@propusk/access/host';
import type { AccessIndex } from '@propusk/access/snapshot';
import { sql } from 'kysely';
import type { Db } from '../db/open.ts';
import { managedBy } from '../db/scope.ts';
import type { Actor } from '../http/actor.ts';
import { AppError } from '../http/errors.ts';

/** A site that the actor may ask about. @throws AppError not_found, for another company's as for none */
export function findAskedSite(
  db: Db,
  actor: Actor,
  id: number,
): Promise<{ company_id: number; address: string }> {
  return db
    .selectFrom('sites')
    .select(['company_id', 'address'])
    .where('id', '=', id)
    .where(managedBy(actor, 'company_id'))
    .executeTakeFirstOrThrow(() => new AppError('not_found'));
}

/** Makes sure that a person is of the company. @throws AppError not_found */
export async function findAskedPerson(db: Db, companyId: number, userId: number): Promise<void> {
  await db
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow(() => new AppError('not_found'));
}

/** The names of a company's policies, by id. */
export async function readPolicyNames(db: Db, companyId: number): Promise<ReadonlyMap<number, string>> {
  const rows = await db
    .selectFrom('policies')
    .select(['id', 'name'])
    .where('company_id', '=', companyId)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Puts into an index of one company what the others claim of a host: on shared egress it is theirs. */
export async function addForeignClaims(
  db: Db,
  index: AccessIndex,
  { companyId, host }: { companyId: number; host: CanonicalHost },
): Promise<void> {
  const { rows } = await sql<{ pattern: string; company: number; claim: number }>`
    select split_part(address, ':', 1) as pattern, company_id as company, min(claim) as claim from sites
    where claim is not null and company_id <> ${companyId} and split_part(address, ':', 1) = any (${patternsCovering(host)})
    group by 1, 2`.execute(db);
  for (const { pattern, company, claim } of rows) {
    const holders = index.claims.get(pattern) ?? new Map<number, number>();
    index.claims.set(pattern, holders.set(company, claim));
  }
}

/**
 * Notes that a person's extension is in use, once a day; a session of the console notes nothing. Neither the version of the
 * person nor the policy version moves.
 */
export async function noteExtension(db: Db, actor: Actor): Promise<void> {
  // The reading is what all calls but one a day cost.
  const { rows } = await sql`
    select from sessions s join users u on u.id = s.user_id
    where s.token_hash = ${actor.tokenHash} and s.client = 'extension'
      and (u.extension_seen_at is null or u.extension_seen_at < now() - interval '1 day')`.execute(db);
  if (rows.length === 0) return;
  await sql`update users set extension_seen_at = now() where id = ${actor.userId}`.execute(db);
}
