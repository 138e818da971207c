import { limits } from '@propusk/contract/limits';
import { sql } from 'kysely';
import { type Actor } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import type { Tx } from '../db/open.ts';
import { issue, works } from '../db/secret-links.ts';
import { redeem } from './link-store.ts';
import { type Origin, openSession } from './store.ts';

/** Creates a pairing code and stores its hash. The code stops working when the session of the actor ends. */
export async function addPairingCode(tx: Tx, actor: Actor): Promise<{ code: string; expiresAt: string }> {
  const row = sql`select ${actor.tokenHash}::bytea, ${actor.userId}::bigint`;
  const made = await issue(tx, 'pairing_codes', limits.pairingSeconds, 'session_hash, user_id', row);
  return { code: made.token, expiresAt: made.expiresAt };
}

/** Exchanges a pairing code for a session of the extension. @returns the token of the session. @throws AppError link_dead */
export async function redeemPairingCode(
  tx: Tx,
  code: string,
  origin: Omit<Origin, 'client'>,
): Promise<string> {
  const dead = () => new AppError('link_dead', { detail: ['pairing_code_dead'] });
  const { user_id: userId } = await tx
    .selectFrom('pairing_codes')
    .select('user_id')
    .where(works('pairing_codes', code))
    .executeTakeFirstOrThrow(dead);
  await redeem(tx, 'pairing_codes', { token: code, userId, dead });
  return openSession(tx, userId, { ...origin, client: 'extension' });
}
