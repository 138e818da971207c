import type { Registration } from '@propusk/contract/registration';
import { plainAddress } from '@propusk/dial/addresses';
import { accountNames } from '@propusk/phrases/accounts';
import { sql } from 'kysely';
import { record, recordingOwn, recordOwn } from '../audit/store.ts';
import { type Actor } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { newToken } from '../core/tokens.ts';
import type { Db, Tx } from '../db/open.ts';
import { pipeline, type Statement, statement } from '../db/pipeline.ts';
import { refusing } from '../db/violations.ts';
import { emailTaken, endGatewayTokens, endLinks, lockAccount } from './account-store.ts';
import { nameAgent } from './agent.ts';
import { isFirstAdmin, isWaitingAdmin, lockFirstAdmin } from './link-store.ts';

/** The limit of sessions of one user. Another sign-in ends the longest idle one. */
const MOST_SESSIONS = 100;

const SESSION_DAYS = 30;

/** The program, IP address and browser that opened a session. The list of sessions shows them. */
export interface Origin {
  /** The program that holds the session. */
  readonly client?: 'console' | 'extension' | undefined;
  /** The caller's IP address. */
  readonly address: string;
  /** The `User-Agent` of the request; `nameAgent` shortens it. */
  readonly agent: string | undefined;
}

/**
 * Opens a session.
 * @param checks statements that run first, in the same round trip; when one throws, no session is opened
 * @throws AppError suspended
 * @returns the session's token; the database stores only the hash of the token
 */
export async function openSession(
  tx: Tx,
  userId: number,
  { client = 'console', address, agent }: Origin,
  checks: readonly Statement<void>[] = [],
): Promise<string> {
  const { token, hash } = newToken();
  const session = {
    token_hash: hash,
    user_id: userId,
    expires_at: new Date(Date.now() + SESSION_DAYS * 86_400_000).toISOString(),
    client,
    address: plainAddress(address),
    agent: nameAgent(agent),
  };
  // Ends the longest idle session, because sign-ins of one user must not fill the table.
  const idle = sql<Buffer>`select token_hash from sessions where user_id = ${userId}
    order by last_seen_at desc offset ${MOST_SESSIONS - 1}`;
  const opened = tx
    .with('opened', (db) => db.insertInto('sessions').values(session))
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('token_hash', 'in', sql<Buffer>`(${idle})`);
  const recorded = recordingOwn(tx, { userId, address }, 'signed_in', { after: { client } });
  await pipeline(
    tx,
    ...checks,
    refuseSuspended(tx, userId),
    statement(opened.compile(), () => undefined),
    ...recorded,
  );
  return token;
}

/** Returns a statement that throws AppError suspended for a suspended user. It locks the user's row until the session is stored. */
function refuseSuspended(tx: Tx, userId: number): Statement<void> {
  const held = sql<{ isSuspended: boolean | null }>`select suspended_at is not null
    and coalesce(suspended_until > now(), true) as "isSuspended" from users where id = ${userId} for share`;
  return statement(held.compile(tx), ([row]) => {
    if (row?.isSuspended === true) throw new AppError('suspended');
  });
}

/**
 * Ends the session of the call. If this session fetched a gateway token, revokes every gateway token of the user. Otherwise, the
 * next person at the same computer could browse as this user, because a browser keeps proxy credentials until it is closed.
 * The user's other extensions fetch new tokens automatically (ADR 014).
 */
export async function endSession(tx: Tx, actor: Actor): Promise<void> {
  const { tokenHash, userId } = actor;
  await lockAccount(tx, userId);
  const ended = await tx
    .deleteFrom('sessions')
    .where('token_hash', '=', tokenHash)
    .returning('told_access')
    .executeTakeFirst();
  // A concurrent sign-out has already deleted the session and written the audit event.
  if (ended === undefined) return;
  await recordOwn(tx, actor, 'signed_out');
  if (ended.told_access) await endGatewayTokens(tx, userId);
}

/**
 * Creates a company and its owner.
 * @param options `address`: the caller's IP address; `confirmed`: whether the owner's mailbox is confirmed
 * @returns the owner's id
 * @throws AppError email_taken
 */
export async function registerCompany(
  tx: Tx,
  body: Registration,
  { passwordHash, address, confirmed }: { passwordHash: string; address: string; confirmed: boolean },
): Promise<number> {
  const { companyName, companySite, email, ownerName: name = '' } = body;
  const { id: companyId } = await tx
    .insertInto('companies')
    .values({ company_name: companyName, company_site: companySite, confirmed })
    .returning('id')
    .executeTakeFirstOrThrow();
  const user = { company_id: companyId, email, name, surname: '', password_hash: passwordHash };
  const owner = await refusing(
    { users_email_key: emailTaken },
    tx
      .insertInto('users')
      .values({ ...user, roles: ['CREATOR'] })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  const registered = { action: 'registered', kind: 'company', id: companyId, name: companyName } as const;
  const after = { companyName, companySite, email };
  await record(tx, { userId: owner.id, address }, { ...registered, companyId, after });
  return owner.id;
}

/**
 * Creates the platform's first ADMIN, or updates a first ADMIN without a password. Does nothing when an ADMIN has a password, so that a
 * restart does not restore a removed operator. Does nothing when another account has the email.
 */
export async function ensureAdmin(db: Db, email: string, hash: () => Promise<string>): Promise<void> {
  if (await hasAdmin(db)) return;
  const made = await hash();
  await db.transaction().execute(async (tx) => {
    await lockFirstAdmin(tx);
    await putAdmin(tx, email, made, false);
  });
}

/** Whether an ADMIN has a password. */
export async function hasAdmin(db: Db): Promise<boolean> {
  const admin = await db
    .selectFrom('users')
    .select('id')
    .where('roles', '@>', sql<never>`array['ADMIN']`)
    .where('invited', '=', false)
    .executeTakeFirst();
  return admin !== undefined;
}

/**
 * Creates the first ADMIN with `email`. If the first ADMIN exists without a password, updates the account and revokes its mailed
 * links. Does nothing when an ADMIN has a password, or when another account has `email`. The caller must hold `lockFirstAdmin`.
 * @param invited true when a link will set the password
 */
export async function putAdmin(tx: Tx, email: string, hash: string, invited: boolean): Promise<void> {
  if (await hasAdmin(tx)) return;
  const other = tx.selectFrom('users').select('id').where('email', '=', email);
  if (await other.where(sql<boolean>`not (${isWaitingAdmin})`).executeTakeFirst()) return;
  const values = { email, password_hash: hash, invited };
  const waiting = await tx.updateTable('users').set(values).where(isFirstAdmin).returning('id').execute();
  for (const { id } of waiting) await endLinks(tx, id);
  if (waiting.length > 0) return;
  await tx
    .insertInto('users')
    .values({ ...values, company_id: null, name: accountNames.firstAdmin, surname: '', roles: ['ADMIN'] })
    .onConflict((oc) => oc.column('email').doNothing())
    .execute();
}
