import { limits } from '@propusk/contract/limits';
import { lockAccount } from '../accounts/store.ts';
import { type Actor } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { newToken, works } from '../core/tokens.ts';
import type { Db, Tx } from '../db/open.ts';
import { type Origin, openSession } from './store.ts';

/** Creates a pairing code, stored as a hash; it ends with the session that requested it. */
export async function addPairingCode(tx: Tx, actor: Actor): Promise<{ code: string; expiresAt: string }> {
  const { token: code, hash } = newToken();
  const expiresAt = new Date(Date.now() + limits.pairingSeconds * 1000).toISOString();
  await tx
    .insertInto('pairing_codes')
    .values({
      token_hash: hash,
      session_hash: actor.tokenHash,
      user_id: actor.userId,
      expires_at: expiresAt,
    })
    .execute();
  return { code, expiresAt };
}

/** The user of a valid code. */
export function findPairingCode(db: Db, code: string): Promise<{ user_id: number } | undefined> {
  return db
    .selectFrom('pairing_codes')
    .select('user_id')
    .where(works('pairing_codes', code))
    .executeTakeFirst();
}

/**
 * Opens a session of the extension by a code. Deletes the code's row under the lock of the account, so that of concurrent
 * calls one succeeds and a password change waits.
 * @returns the token of the session
 * @throws AppError link_dead
 */
export async function redeemPairingCode(
  tx: Tx,
  userId: number,
  code: string,
  origin: Omit<Origin, 'client'>,
): Promise<string> {
  await lockAccount(tx, userId);
  const { user_id } = await tx
    .deleteFrom('pairing_codes')
    .where(works('pairing_codes', code))
    .returning('user_id')
    .executeTakeFirstOrThrow(pairingDead);
  return openSession(tx, user_id, { ...origin, client: 'extension' });
}

/** The error for a code that is unknown, used or expired. */
export function pairingDead(): AppError {
  return new AppError('link_dead', {
    detail: ['pairing_code_dead'],
  });
}
