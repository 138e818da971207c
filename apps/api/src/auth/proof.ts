import type { Endpoint } from '@propusk/contract/endpoint';
import { findOwnAccount, wrongPassword } from '../accounts/store.ts';
import { type Actor, admitTo } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import type { Db, Tx } from '../db/open.ts';
import { findHolder } from '../db/sessions.ts';
import type { Encryption } from '../encryption.ts';
import type { Limits } from '../http/limits.ts';
import { verifyPassword } from '../passwords.ts';
import { findFactor, useCode } from './factor-store.ts';

/** The parts of a call that a re-authentication reads. */
interface ProofCall {
  readonly actor: Actor;
  readonly body: { readonly currentPassword: string };
  readonly address: string;
  readonly db: Db;
}

/**
 * Runs `work` after the actor re-authenticates. A wrong password or code counts against the limits of sign-in.
 * @param work receives the hash that the password was checked against; returns false when the code is wrong
 * @throws AppError bad_input for a wrong password or code; too_many_requests
 */
export async function proved(
  limits: Limits,
  { actor, body, address, db }: ProofCall,
  work: (checked: string) => Promise<boolean>,
): Promise<void> {
  const { email, password_hash } = await findOwnAccount(db, actor);
  let passwordRight = false;
  const right = await limits.checkOwnPassword(email, address, async (lane) => {
    passwordRight = await verifyPassword(body.currentPassword, password_hash, lane);
    return passwordRight && work(password_hash);
  });
  if (!right) throw passwordRight ? wrongCode() : wrongPassword();
}

/** The error for a wrong code of a signed-in actor: a 400, so that clients keep the session. */
export function wrongCode(): AppError {
  return new AppError('bad_input', {
    fields: { code: ['wrong_code'] },
  });
}

/** A call whose body carries the password of the actor, and a code where the actor has a second factor. */
interface ProvenCall extends ProofCall {
  readonly body: { readonly currentPassword: string; readonly code?: string | undefined };
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/** Checks the code in the transaction of the change. Called after the locks and refusals of the change, before its writes. */
export type Prove = (tx: Tx) => Promise<void>;

/**
 * Runs one transaction after the actor re-authenticates: password, and a code where a second factor is on. The transaction of
 * the change consumes the code; a refused change leaves it unused.
 * @throws AppError bad_input for a wrong or missing password or code; too_many_requests; what `work` throws
 */
export async function provenWrite<T>(
  parts: { limits: Limits; encryption: Encryption; endpoint: Endpoint },
  call: ProvenCall,
  work: (tx: Tx, prove: Prove) => Promise<T>,
): Promise<T> {
  const { limits, encryption, endpoint } = parts;
  const { actor, body } = call;
  let result: { readonly value: T } | undefined;
  await proved(limits, call, (checked) => {
    const attempt = async () => {
      try {
        const prove: Prove = (tx) => takeProof(tx, { actor, encryption, endpoint, checked, code: body.code });
        result = { value: await call.write((tx) => work(tx, prove)) };
        return true;
      } catch (error) {
        if (error instanceof WrongCode) return false;
        throw error;
      }
    };
    return body.code === undefined ? attempt() : limits.checkCode(actor.userId, attempt);
  });
  return (result as { readonly value: T }).value;
}

/** Rolls the transaction back; counted as a wrong code. */
class WrongCode extends Error {}

async function takeProof(
  tx: Tx,
  by: { actor: Actor; encryption: Encryption; endpoint: Endpoint; checked: string; code: string | undefined },
): Promise<void> {
  const { actor, encryption, endpoint, checked, code } = by;
  // NO KEY UPDATE: the row of an idempotency key holds KEY SHARE on the account, and two calls would deadlock on FOR UPDATE.
  const account = await tx
    .selectFrom('users')
    .select('password_hash')
    .where('id', '=', actor.userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  // The actor may have lost role or session while this transaction waited for its locks.
  admitTo(await findHolder(tx, actor.tokenHash), endpoint);
  if (account?.password_hash !== checked) throw wrongPassword();
  if (code === undefined && (await findFactor(tx, actor)).on) {
    throw new AppError('bad_input', { fields: { code: ['code_required'] } });
  }
  if (!(await useCode(tx, actor, encryption, code))) throw new WrongCode();
}
