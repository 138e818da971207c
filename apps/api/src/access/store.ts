import { patternsCovering } from '@propusk/access/decide';
import type { CanonicalHost } from '@propusk/access/host';
import type { myAccess } from '@propusk/contract/access';
import type { Output } from '@propusk/contract/endpoint';
import { sql } from 'kysely';
import type { Actor } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { lacksFactor } from '../core/factor.ts';
import type { Db } from '../db/open.ts';

/** The reason why the snapshot of a company omits a user. */
export type UserReason =
  | 'suspended'
  | 'company_unconfirmed'
  | 'invitation_pending'
  | 'second_factor_required';

/**
 * Finds why the snapshot omits a user.
 * @returns the reason (null if the snapshot has the user) and the time when a suspension is lifted; undefined for a user outside
 * the company
 */
export async function findOmission(
  db: Db,
  companyId: number,
  userId: number,
): Promise<{ reason: UserReason | null; until: string | null } | undefined> {
  const row = await db
    .selectFrom('users')
    .select(
      sql<UserReason | null>`case when suspended_at is not null then 'suspended'
        when exists (select from companies where id = ${companyId} and not confirmed) then 'company_unconfirmed'
        when invited then 'invitation_pending' when ${lacksFactor} then 'second_factor_required' end`.as(
        'reason',
      ),
    )
    .select('suspended_until as until')
    .where('id', '=', userId)
    .where('company_id', '=', companyId)
    .executeTakeFirst();
  return row;
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

/** Another company's claim to a host. On shared egress, only the company with the oldest claim reaches the host (ADR 006). */
export interface ForeignClaim {
  readonly pattern: string;
  readonly companyId: number;
  readonly claim: number;
}

/** Reads the claims of other companies to the given hosts. `decide()` needs these claims on shared egress. */
export async function readForeignClaims(
  db: Db,
  { companyId, hosts }: { companyId: number; hosts: readonly CanonicalHost[] },
): Promise<readonly ForeignClaim[]> {
  const patterns = [...new Set(hosts.flatMap((host) => patternsCovering(host)))];
  if (patterns.length === 0) return [];
  const { rows } = await sql<ForeignClaim>`
    select split_part(address, ':', 1) as pattern, company_id as "companyId", min(claim) as claim from sites
    where claim is not null and company_id <> ${companyId} and split_part(address, ':', 1) = any (${patterns})
    group by 1, 2`.execute(db);
  return rows;
}

/**
 * Records that a session fetched a gateway token and what its extension reported. Once a day, also records that the user's extension
 * is in use. These writes leave the user's version and the policy version unchanged.
 * @throws AppError unauthorized when the session ended meanwhile: the caller must not send the token
 */
export async function noteAccessFetched(
  db: Db,
  { tokenHash, userId }: Actor,
  { client, proxyHeldBy }: Output<typeof myAccess.query>,
): Promise<void> {
  const report = { reported_client: client ?? null, proxy_held_by: proxyHeldBy ?? null };
  // The session is read first, because a write is needed only at the first call of a session, once a day and at a new report.
  const { rows } = await sql<{ known: boolean; unseen: boolean; extension: boolean }>`
    select s.told_access and (s.client <> 'extension'
        or (s.reported_client is not distinct from ${report.reported_client}
          and s.proxy_held_by is not distinct from ${report.proxy_held_by})) as known,
      s.client = 'extension' as extension,
      s.client = 'extension' and (u.extension_seen_at is null or u.extension_seen_at < now() - interval '1 day') as unseen
    from sessions s join users u on u.id = s.user_id where s.token_hash = ${tokenHash}`.execute(db);
  const session = rows[0];
  if (session === undefined) throw new AppError('unauthorized');
  if (!session.known)
    await db
      .updateTable('sessions')
      .set({
        told_access: true,
        ...(session.extension && report),
      })
      .where('token_hash', '=', tokenHash)
      .returning('id')
      .executeTakeFirstOrThrow(() => new AppError('unauthorized'));
  if (session.unseen) await sql`update users set extension_seen_at = now() where id = ${userId}`.execute(db);
}
