import type { SecondFactor } from '@propusk/contract/second-factor';
import { sql } from 'kysely';
import { type AuditActor, recordingOwn, recordOwn } from '../audit/store.ts';
import type { Actor } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import type { Db, Tx } from '../db/open.ts';
import { type Statement, statement } from '../db/pipeline.ts';
import type { Encryption } from '../encryption.ts';
import { endAccess, lockAccount, touchUser } from './account-store.ts';
import { newRecoveryCodes, plainCode } from './recovery.ts';
import { enrolmentUri, newSecret, stepOf } from './totp.ts';

/** Additional authenticated data for the second-factor secret of a user. */
export const secretPlace = (userId: number) => `second-factor/${userId}`;

/** The state of the actor's second factor, with the count of unused recovery codes. */
export async function findFactor(db: Db, { userId }: Actor): Promise<SecondFactor> {
  const row = await db
    .selectFrom('second_factors')
    .select((eb) => [
      'confirmed_at as since',
      eb
        .selectFrom('recovery_codes')
        .select((codes) => codes.fn.countAll<number>().as('left'))
        .whereRef('recovery_codes.user_id', '=', 'second_factors.user_id')
        .as('left'),
    ])
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst();
  return { on: row !== undefined, since: row?.since ?? null, recoveryCodes: row?.left ?? 0 };
}

/**
 * Creates an unconfirmed secret for the actor and replaces an earlier unconfirmed secret. Sign-in asks for no code until
 * `confirmFactor`.
 * @throws AppError second_factor_on
 */
export async function beginFactor(
  tx: Tx,
  actor: Actor,
  encryption: Encryption,
): Promise<{ secret: string; uri: string }> {
  const account = await lockAccount(tx, actor.userId);
  if (account === undefined) throw new AppError('unauthorized');
  const secret = newSecret();
  const row = { secret_sealed: encryption.seal(secretPlace(account.id), secret), last_step: 0 };
  const begun = await tx
    .insertInto('second_factors')
    .values({ user_id: account.id, ...row })
    .onConflict((oc) =>
      oc
        .column('user_id')
        .doUpdateSet((eb) => ({ ...row, begun_at: eb.fn<string>('now') }))
        .where('second_factors.confirmed_at', 'is', null),
    )
    .returning('user_id')
    .executeTakeFirst();
  if (begun === undefined) throw new AppError('second_factor_on');
  return { secret, uri: enrolmentUri(secret, account.email) };
}

/**
 * Turns the actor's second factor on. Ends access that needed only the password: other sessions, gateway tokens and mailed links.
 * @returns recovery codes; null when the code is wrong
 * @throws AppError second_factor_on, second_factor_not_begun
 */
export async function confirmFactor(
  tx: Tx,
  actor: Actor,
  encryption: Encryption,
  code: string,
): Promise<string[] | null> {
  const { userId } = actor;
  await lockAccount(tx, userId);
  const found = await tx
    .selectFrom('second_factors')
    .select(['secret_sealed', 'confirmed_at', sql<boolean>`begun_at < now() - interval '1 hour'`.as('stale')])
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (found === undefined) throw new AppError('second_factor_not_begun');
  if (found.confirmed_at !== null) throw new AppError('second_factor_on');
  if (found.stale) throw new AppError('second_factor_not_begun');
  const step = appStep(encryption.open(secretPlace(userId), found.secret_sealed), code);
  if (step === null) return null;
  await tx
    .updateTable('second_factors')
    .set((eb) => ({ confirmed_at: eb.fn<string>('now'), last_step: step }))
    .where('user_id', '=', userId)
    .execute();
  await endAccess(tx, userId, actor.tokenHash);
  await touchUser(tx, userId);
  await recordOwn(tx, actor, 'second_factor_on');
  return replaceRecoveryCodes(tx, userId, encryption);
}

/** The sealed secret of a user's second factor; null without a second factor. */
export async function findSealed(tx: Tx, userId: number): Promise<Buffer | null> {
  const factor = await confirmed(tx, userId).executeTakeFirst();
  return factor?.secret_sealed ?? null;
}

/**
 * Makes the statements that consume a second-factor code. The caller locks the account, then runs the statements in the
 * transaction of the operation that the code permits. If concurrent calls send the same code, only the first succeeds.
 * @param attempt.sealed the sealed secret of the second factor, read before the transaction; null without a second factor. If the
 *   secret changes before the transaction, the code counts as wrong
 * @param attempt.code a code from the authenticator app, or a recovery code
 * @param attempt.wrong makes the error that the statements throw for a wrong code
 * @throws AppError second_factor_needed when a required code is missing. The statements throw the same error when the user has
 *   turned the second factor on since `sealed` was read
 */
export function useCode(
  db: Db,
  by: AuditActor,
  encryption: Encryption,
  { sealed, code, wrong }: { sealed: Buffer | null; code: string | undefined; wrong: () => AppError },
): Statement<void>[] {
  const { userId } = by;
  if (sealed === null) {
    return [
      statement(confirmed(db, userId).compile(), (rows) => {
        if (rows.length > 0) throw new AppError('second_factor_needed');
      }),
    ];
  }
  if (code === undefined) throw new AppError('second_factor_needed');
  const step = appStep(encryption.open(secretPlace(userId), sealed), code);
  // A code is accepted once. Afterwards, codes of its time step and of earlier steps are refused (RFC 6238 section 5.2).
  const use =
    step === null
      ? sql`delete from recovery_codes
          where user_id = ${userId} and code_hash = ${recoveryHash(encryption, userId, code)} returning 1`
      : sql`update second_factors set last_step = ${step}
          where user_id = ${userId} and secret_sealed = ${sealed} and last_step < ${step} returning 1`;
  const used = statement(use.compile(db), (rows) => {
    if (rows.length === 0) throw wrong();
  });
  return step === null ? [used, ...recordingOwn(db, by, 'recovery_code_used')] : [used];
}

const confirmed = (db: Db, userId: number) =>
  db
    .selectFrom('second_factors')
    .select('secret_sealed')
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null);

/** Replaces the recovery codes of a user. */
export async function replaceRecoveryCodes(
  tx: Tx,
  userId: number,
  encryption: Encryption,
): Promise<string[]> {
  const codes = newRecoveryCodes();
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  await tx
    .insertInto('recovery_codes')
    .values(codes.map((code) => ({ user_id: userId, code_hash: recoveryHash(encryption, userId, code) })))
    .execute();
  return codes;
}

/** Turns the second factor of a user off. The caller has locked the account. @throws AppError second_factor_off */
export async function endFactor(tx: Tx, userId: number): Promise<void> {
  const { numDeletedRows } = await tx
    .deleteFrom('second_factors')
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw new AppError('second_factor_off');
  await touchUser(tx, userId);
}

const appStep = (secret: string, code: string) => stepOf(secret, code.replace(/\s/g, ''));

/** The stored hash of a recovery code. */
export function recoveryHash(encryption: Encryption, userId: number, code: string): Buffer {
  return encryption.fingerprint(`recovery-code/${userId}/${plainCode(code)}`);
}
