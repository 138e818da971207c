import { readMark } from '../accounts/device-mark.ts';
import { type Account, findOwnAccount, wrongPassword } from '../accounts/store.ts';
import { type Actor, admitTo } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import type { Db, Tx } from '../db/open.ts';
import { findHolder } from '../db/sessions.ts';
import type { Encryption } from '../encryption.ts';
import type { Prover } from '../http/implement.ts';
import type { Limits } from '../http/limits.ts';
import type { Passwords } from '../passwords.ts';
import { findFactor, useCode } from './factor-store.ts';
import { endSession } from './store.ts';

/** The dependencies of a re-authentication. */
export interface ProofParts {
  readonly limits: Limits;
  readonly encryption: Encryption;
  readonly passwords: Passwords;
  readonly db: Db;
}

/** The parts of a call that a re-authentication reads. */
interface ProofCall {
  readonly actor: Actor;
  readonly body: { readonly currentPassword: string };
  /** The unverified device mark. */
  readonly device: string | undefined;
}

/**
 * Checks the actor's password again. A wrong one counts against the budgets of the session and of the account; the tenth of an hour
 * ends the session.
 * @returns the account, with the hash that the password was checked against
 * @throws AppError bad_input for a wrong password; too_many_requests
 */
export async function proved(
  { limits, encryption, passwords, db }: ProofParts,
  { actor, body, device }: ProofCall,
): Promise<Account> {
  const account = await findOwnAccount(db, actor);
  const { email, password_hash } = account;
  const mark = readMark(encryption, email, device);
  const attempt = {
    email,
    session: actor.tokenHash,
    device: mark?.isOf(password_hash) === true ? mark.id : undefined,
  };
  const outcome = await limits.checkOwnPassword(attempt, (lane) =>
    passwords.verify(body.currentPassword, password_hash, lane),
  );
  // After ten wrong passwords the caller is probably not the user.
  if (outcome === 'last') await db.transaction().execute((tx) => endSession(tx, actor));
  if (outcome !== 'right') throw wrongPassword();
  return account;
}

/** The error for a wrong code of a signed-in actor: a 400, so that clients keep the session. */
export function wrongCode(): AppError {
  return new AppError('bad_input', {
    fields: { code: ['wrong_code'] },
  });
}

/**
 * Creates the check of every call whose endpoint asks for proof: password, and a code where a second factor is on. The transaction
 * of the change consumes the code, after its locks and refusals; a refused change leaves it unused.
 */
export function createProver(parts: ProofParts): Prover {
  const { limits, encryption } = parts;
  return async (endpoint, { actor, body, device }, run) => {
    const { currentPassword, code } = body as { currentPassword?: string; code?: string };
    if (currentPassword === undefined) {
      throw new AppError('bad_input', { fields: { currentPassword: ['required'] } });
    }
    const { password_hash } = await proved(parts, { actor, body: { currentPassword }, device });
    const attempt = () => run((tx) => takeProof(tx, password_hash));
    if (code === undefined) return attempt();
    let done: readonly { readonly value: Awaited<ReturnType<typeof run>> }[] = [];
    await limits.checkCode(actor.userId, async () => {
      try {
        done = [{ value: await attempt() }];
      } catch (error) {
        if (!(error instanceof WrongCode)) throw error;
      }
      return done.length > 0;
    });
    const [result] = done;
    if (result === undefined) throw wrongCode();
    return result.value;

    async function takeProof(tx: Tx, checked: string): Promise<void> {
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
  };
}

/** Rolls the transaction back; counted as a wrong code. */
class WrongCode extends Error {}
