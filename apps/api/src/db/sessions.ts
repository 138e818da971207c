import { sql } from 'kysely';
import type { Holder } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { lacksFactor as lacks } from './factor.ts';
import type { Db, Tx } from './open.ts';

/** A session that is open. */
export interface Session {
  readonly holder: Holder;
  /** Whether it was not noted for a while that it is in use. */
  readonly unseen: boolean;
}

/** The same by the stored hash, as a transaction sees it. @throws AppError unauthorized */
export async function findHolder(tx: Tx, tokenHash: Buffer): Promise<Holder> {
  const session = (await findSessions(tx, [tokenHash])).get(tokenHash.toString('hex'));
  if (session === undefined) throw new AppError('unauthorized');
  return session.holder;
}

/** The open sessions among those of some hashes, by the hash in hex. */
export async function findSessions(db: Db, hashes: readonly Buffer[]): Promise<Map<string, Session>> {
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
    .where('sessions.token_hash', '=', sql<Buffer>`any(${hashes}::bytea[])`)
    .where('sessions.expires_at', '>', (eb) => eb.fn<string>('now'))
    .execute();
  return new Map(
    users.map(({ unseen, ...holder }) => [holder.tokenHash.toString('hex'), { holder, unseen }]),
  );
}

// Not at every call: the list of sessions need not know the minute, and each note is a write.
const unseen = sql<boolean>`sessions.last_seen_at < now() - interval '5 minutes'`;

/** Notes that a session is in use. */
export async function noteSeen(db: Db, { tokenHash }: Holder): Promise<void> {
  // A row that somebody else is writing is noted by them, or about to go.
  const free = sql`select token_hash from sessions where token_hash = ${tokenHash} and ${unseen} for update skip locked`;
  try {
    await sql`update sessions set last_seen_at = now() where token_hash = (${free})`.execute(db);
  } catch {
    // On a full disk reading goes on: what was asked for must not fail for what nobody asked for.
  }
}
