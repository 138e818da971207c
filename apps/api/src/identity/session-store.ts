import { limits } from '@propusk/contract/limits';
import type { Session } from '@propusk/contract/sessions';
import { sql } from 'kysely';
import { recordOwn } from '../audit/store.ts';
import { type Actor } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import type { Db, Tx } from '../db/open.ts';
import { findHolder } from '../http/sessions.ts';
import { endAccess, endGatewayTokens, endLinks, lockAccount } from './account-store.ts';
import { endSession } from './store.ts';

/** The version in a name such as `chromium-extension-0.2.0`. */
export const reportedVersion = sql<string | null>`substring(reported_client from '-extension-(.+)$')`;

/** Whether a session `s` of the extension is open and was confirmed in the extension: otherwise it has not called `GET /me/access`. */
export const openExtension = sql`s.client = 'extension' and s.told_access and s.expires_at > now()`;

/** Lists the actor's open sessions: the current session first, the others by last use. */
export async function listSessions(db: Db, actor: Actor): Promise<{ rows: Session[]; count: number }> {
  const found = await openSessions(db, actor)
    .select([
      'id',
      'client',
      'created_at as createdAt',
      'last_seen_at as lastSeenAt',
      'address',
      'agent',
      reportedVersion.as('version'),
      'proxy_held_by as proxyHeldBy',
      sql<boolean>`token_hash = ${actor.tokenHash}`.as('current'),
      (eb) => eb.fn.countAll<number>().over().as('count'),
    ])
    .orderBy('current', 'desc')
    .orderBy('last_seen_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limits.page.maxTake)
    .execute();
  // Each row contains the total as `count`. The reply schema removes this field from the rows.
  return { rows: found, count: found[0]?.count ?? 0 };
}

/**
 * Ends one session of the actor.
 * @throws AppError not_found, also for another user's session; unauthorized when the current session ended meanwhile
 */
export async function endOneSession(tx: Tx, actor: Actor, id: number): Promise<void> {
  await lockAsAsking(tx, actor);
  const { token_hash, client, agent } = await openSessions(tx, actor)
    .select(['token_hash', 'client', 'agent'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow(() => new AppError('not_found'));
  if (token_hash.equals(actor.tokenHash)) return endSession(tx, actor);
  await tx.deleteFrom('sessions').where('token_hash', '=', token_hash).execute();
  await recordOwn(tx, actor, 'session_ended', { before: { client, agent: agent ?? '' } });
  // An attacker who used the session may have got gateway tokens, or a link that changes the email. Both are revoked.
  await endGatewayTokens(tx, actor.userId);
  await endLinks(tx, actor.userId);
}

/**
 * Ends all sessions of the actor except the current one.
 * @throws AppError unauthorized when the current session has ended meanwhile
 */
export async function endOtherSessions(tx: Tx, actor: Actor): Promise<void> {
  await lockAsAsking(tx, actor);
  const other = await openSessions(tx, actor)
    .select('id')
    .where('token_hash', '<>', actor.tokenHash)
    .executeTakeFirst();
  if (other === undefined) return;
  await recordOwn(tx, actor, 'other_sessions_ended');
  await endAccess(tx, actor.userId, actor.tokenHash);
}

/** Locks the account and checks the caller's session again. If two sessions end each other, only the first call succeeds. */
async function lockAsAsking(tx: Tx, actor: Actor): Promise<void> {
  await lockAccount(tx, actor.userId);
  await findHolder(tx, actor.tokenHash);
}

function openSessions(db: Db, { userId }: Actor) {
  return db
    .selectFrom('sessions')
    .where('user_id', '=', userId)
    .where('expires_at', '>', (eb) => eb.fn<string>('now'));
}
