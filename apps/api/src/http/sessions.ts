import { sql } from 'kysely';
import type { Holder } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { lacksFactor as lacks } from '../core/factor.ts';
import type { Db, Tx } from '../db/open.ts';

export interface Session {
  readonly holder: Holder;
  /** Whether `last_seen_at` is due for an update. */
  readonly unseen: boolean;
}

/** Finds the holder of a session within a transaction. @throws AppError unauthorized when the session has ended */
export async function findHolder(tx: Tx, tokenHash: Buffer): Promise<Holder> {
  const session = (await findSessions(tx, [tokenHash])).get(tokenHash.toString('hex'));
  if (session === undefined) throw new AppError('unauthorized');
  return session.holder;
}

/** Finds the live sessions of the given token hashes. @returns the sessions by token hash in hex */
export async function findSessions(db: Db, hashes: readonly Buffer[]): Promise<Map<string, Session>> {
  // A single hash, the usual case, is not passed as an array, because PostgreSQL plans a statement with an array at each call.
  const hash = hashes.length === 1 ? sql<Buffer>`${hashes[0]}` : sql<Buffer>`any(${hashes}::bytea[])`;
  const users = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select([
      'sessions.token_hash as tokenHash',
      'users.id as userId',
      'users.company_id as companyId',
      'users.roles',
      unseen.as('unseen'),
      lacks.as('lacksFactor'),
    ])
    .where('sessions.token_hash', '=', hash)
    .where('sessions.expires_at', '>', (eb) => eb.fn<string>('now'))
    // An api of an earlier release can still open sessions for suspended users, so the check is here too.
    .where(isActive)
    .execute();
  return new Map(
    users.map(({ unseen, ...holder }) => [holder.tokenHash.toString('hex'), { holder, unseen }]),
  );
}

/** Whether a row of `users` is not suspended. */
const isActive = sql<boolean>`(users.suspended_at is null or users.suspended_until <= now())`;

// A session's last use is updated at most every five minutes, to save writes.
const unseen = sql<boolean>`sessions.last_seen_at < now() - interval '5 minutes'`;

/** Updates the time of the session's last use, and ignores errors. */
export async function noteSeen(db: Db, { tokenHash }: Holder): Promise<void> {
  // Skips a locked row, because another transaction is updating or deleting the session.
  const free = sql`select token_hash from sessions where token_hash = ${tokenHash} and ${unseen} for update skip locked`;
  try {
    await sql`update sessions set last_seen_at = now() where token_hash = (${free})`.execute(db);
  } catch {
    // A request must not fail because this write fails, for example on a full disk.
  }
}
