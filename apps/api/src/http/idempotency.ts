import { timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import { type Actor, asMember } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { lockOwnCompany } from '../db/company.ts';
import type { Tx } from '../db/open.ts';
import { pipeline, statement } from '../db/pipeline.ts';
import { refusing } from '../db/violations.ts';
import type { Encryption } from '../encryption.ts';
import { spendBytes } from '../throttle/daily-bytes.ts';

/** A request with an idempotency key. Equal fingerprints identify a repetition of the same request. */
export interface Claim {
  readonly actor: Actor;
  readonly key: string;
  readonly fingerprint: Buffer;
}

/**
 * Reads `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header).
 * @throws AppError bad_input when the header is malformed
 */
export function readClaim(
  header: string | string[] | undefined,
  request: { actor: Actor; call: string; body: unknown; encryption: Encryption },
): Claim | null {
  if (header === undefined) return null;
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header)) {
    throw new AppError('bad_input', { fields: { 'Idempotency-Key': ['idempotency_key'] } });
  }
  // A keyed hash. With a plain hash, a reader of the database could guess the password in the body.
  const fingerprint = request.encryption.fingerprint(`${request.call}\n${JSON.stringify(request.body)}`);
  return { actor: request.actor, key: header, fingerprint };
}

/**
 * Runs the work at most once for each key. A repeated request waits for the first request and gets the same reply.
 * A refused request stores nothing, so the client can retry it. Keys expire after 24 hours.
 * @throws AppError idempotency_mismatch when the key belongs to another request; too_many_requests when the user's daily
 *   write budget is exhausted
 */
export async function once<T>(
  tx: Tx,
  { actor, key, fingerprint }: Claim,
  work: (tx: Tx) => Promise<T>,
): Promise<{ result: T; replayed: boolean }> {
  const { userId } = actor;
  // Locks the company before the key, the same order as in the deletion of a company, to avoid deadlocks.
  if (actor.companyId !== null) await lockOwnCompany(tx, asMember(actor));
  // Deletes the key if it has expired, because the periodic deletion (`db/reaper.ts`) can come later.
  await sql`delete from idempotency_keys where user_id = ${userId} and key = ${key}
    and created_at < now() - interval '1 day'`.execute(tx);
  const claimed = await refusing(
    { idempotency_keys_user_id_fkey: () => new AppError('unauthorized') },
    tx
      .insertInto('idempotency_keys')
      .values({ user_id: userId, key, fingerprint, reply: null })
      .onConflict((oc) => oc.doNothing())
      .returning('key')
      .executeTakeFirst(),
  );
  if (claimed === undefined) {
    const first = await tx
      .selectFrom('idempotency_keys')
      .select(['fingerprint', 'reply'])
      .where('user_id', '=', userId)
      .where('key', '=', key)
      .executeTakeFirstOrThrow();
    if (!timingSafeEqual(first.fingerprint, fingerprint)) throw new AppError('idempotency_mismatch');
    return { result: first.reply as T, replayed: true };
  }
  const result = await work(tx);
  const reply = JSON.stringify(result);
  const keep = tx
    .updateTable('idempotency_keys')
    .set({ reply })
    .where('user_id', '=', userId)
    .where('key', '=', key);
  await pipeline(
    tx,
    spendBytes(tx, userId, Buffer.byteLength(reply)),
    statement(keep.compile(), () => undefined),
  );
  return { result, replayed: false };
}
