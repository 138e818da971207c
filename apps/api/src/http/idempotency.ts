import { timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import { type Actor, asMember } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { lockOwnCompany } from '../db/company.ts';
import { spendBytes } from '../db/daily-bytes.ts';
import type { Tx } from '../db/open.ts';
import { pipeline, statement } from '../db/pipeline.ts';
import { refusing } from '../db/violations.ts';
import type { Encryption } from '../encryption.ts';

/** A create that its caller may repeat: whose, under which key, and what was asked. */
export interface Claim {
  readonly actor: Actor;
  readonly key: string;
  readonly fingerprint: Buffer;
}

/**
 * Reads `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header).
 * @throws AppError bad_input when it is no key
 */
export function readClaim(
  header: string | string[] | undefined,
  asked: { actor: Actor; call: string; body: unknown; encryption: Encryption },
): Claim | null {
  if (header === undefined) return null;
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header)) {
    throw new AppError('bad_input', {
      fields: { 'Idempotency-Key': ['idempotency_key'] },
    });
  }
  // Keyed: a plain hash of a body would let a reader of the database guess the password in it.
  const fingerprint = asked.encryption.fingerprint(`${asked.call}\n${JSON.stringify(asked.body)}`);
  return { actor: asked.actor, key: header, fingerprint };
}

/**
 * Does the work once under a key, in the transaction of the work: whoever comes second waits for the first, and gets
 * its answer. What was refused is not remembered and may be tried again. Keys live 24 hours.
 * @throws AppError idempotency_mismatch when the key stood for another request; too_many_requests when the user's bytes of the
 *   day are used up
 */
export async function once<T>(
  tx: Tx,
  { actor, key, fingerprint }: Claim,
  work: (tx: Tx) => Promise<T>,
): Promise<{ result: T; replayed: boolean }> {
  const { userId } = actor;
  // The company before the key, as the deletion of a company takes them.
  if (actor.companyId !== null) await lockOwnCompany(tx, asMember(actor));
  // The reaper removes expired keys, up to a minute late.
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
