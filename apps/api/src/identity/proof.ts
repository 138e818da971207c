import { type Actor, admitTo } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { signedIn } from '../core/fair-queue.ts';
import { pipeline } from '../db/pipeline.ts';
import type { Prover } from '../http/implement.ts';
import { findHolder } from '../http/sessions.ts';
import type { Slice } from '../slice.ts';
import { keyOf } from '../throttle/budgets.ts';
import { type Account, findOwnAccount, wrongPassword } from './account-store.ts';
import { readMark } from './device-mark.ts';
import { findSealed, useCode } from './factor-store.ts';
import { endSession } from './store.ts';

type ProofParts = Pick<Slice, 'throttle' | 'encryption' | 'passwords' | 'db'>;

/** The parts of a call that a re-authentication reads. */
export interface ProofCall {
  readonly actor: Actor;
  readonly body: { readonly currentPassword: string };
  /** The unverified device mark. */
  readonly device: string | undefined;
}

/**
 * Checks the actor's password again. A wrong password counts against the budgets of the session and of the account; the tenth in an
 * hour ends the session.
 * @returns the account, with the hash that the password was checked against
 * @throws AppError bad_input for a wrong password; too_many_requests
 */
export async function proved(
  { throttle, encryption, passwords, db }: ProofParts,
  { actor, body: { currentPassword }, device }: ProofCall,
): Promise<Account> {
  const account = await findOwnAccount(db, actor);
  const { email, password_hash } = account;
  const known = readMark(encryption, email, device)?.idUnder(password_hash);
  const lane = signedIn(actor.userId);
  const ofSession = keyOf('ownPasswordSession', actor.tokenHash);
  await using attempt = await throttle.begin(
    { lane, keys: [keyOf('ownPasswordAccount', email), ofSession] },
    known !== undefined && { lane, keys: [keyOf('ownPasswordDevice', known), ofSession] },
  );
  if (await passwords.verify(currentPassword, password_hash, lane)) {
    attempt.succeed();
    return account;
  }
  const wrong = attempt.keep(wrongPassword());
  // After ten wrong passwords the caller is probably not the user, so the session ends.
  if (attempt.left(ofSession) === 0) await db.transaction().execute((tx) => endSession(tx, actor));
  throw wrong;
}

/** The error for a wrong code of a signed-in actor: a 400, so that clients keep the session. */
export function wrongCode(): AppError {
  return new AppError('bad_input', { fields: { code: ['wrong_code'] } });
}

/**
 * Creates the function that re-authenticates the actor of a call. The call needs the password, and also a code if the actor has a
 * second factor. The code is consumed at the end of the transaction, so a refused change leaves the code unused.
 */
export function createProver(parts: ProofParts): Prover {
  const { throttle, encryption } = parts;
  return async (endpoint, { actor, body, device }, run) => {
    const { currentPassword, code } = body as { currentPassword?: string; code?: string };
    if (currentPassword === undefined) {
      throw new AppError('bad_input', { fields: { currentPassword: ['required'] } });
    }
    const { password_hash } = await proved(parts, { actor, body: { currentPassword }, device });
    await using attempt = code === undefined ? null : await throttle.charge('code', actor.userId);
    return await run(async (tx) => {
      // Two calls with an idempotency key both hold KEY SHARE on the account. They would deadlock on FOR
      // UPDATE, but not on FOR NO KEY UPDATE.
      const account = await tx
        .selectFrom('users')
        .select('password_hash')
        .where('id', '=', actor.userId)
        .forNoKeyUpdate()
        .executeTakeFirst();
      // Checks access again, because the actor may have lost role or session while this transaction waited for locks.
      admitTo(await findHolder(tx, actor.tokenHash), endpoint);
      if (account?.password_hash !== password_hash) throw wrongPassword();
      const sealed = await findSealed(tx, actor.userId);
      if (sealed === null) return;
      if (attempt === null) throw new AppError('bad_input', { fields: { code: ['code_required'] } });
      const wrong = () => attempt.keep(wrongCode());
      await pipeline(tx, ...useCode(tx, actor, encryption, { sealed, code, wrong }));
    });
  };
}
