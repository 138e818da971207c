import type { Registration } from '@propusk/contract/auth';
import { plainAddress } from '@propusk/overload/networks';
import { sql } from 'kysely';
import { emailTaken, endGatewayTokens, findAccount, lockAccount } from '../accounts/store.ts';
import { record, recordOwn } from '../audit/store.ts';
import { type Actor } from '../core/actor.ts';
import { newToken } from '../core/tokens.ts';
import type { Db, Tx } from '../db/open.ts';
import { refusing } from '../db/violations.ts';
import { nameAgent } from './agent.ts';

/** Open sessions of one user; signing in once more ends the one that was idle longest. */
const MOST_SESSIONS = 100;

const SESSION_DAYS = 30;

/** Who holds a session: the console, or the browser extension. */
type Client = 'console' | 'extension';

/** Where a session is opened: what its holder will know it by. */
export interface Origin {
  readonly client?: Client | undefined;
  /** The address that the request came from. */
  readonly address: string;
  /** Its `User-Agent`, of which a name is kept. */
  readonly agent: string | undefined;
}

/** Opens a session and answers its token, which is stored nowhere. */
export async function openSession(
  tx: Tx,
  userId: number,
  { client = 'console', address, agent }: Origin,
): Promise<string> {
  const { token, hash } = newToken();
  const expires = new Date(Date.now() + SESSION_DAYS * 86_400_000).toISOString();
  await tx
    .insertInto('sessions')
    .values({
      token_hash: hash,
      user_id: userId,
      expires_at: expires,
      client,
      address: plainAddress(address),
      agent: nameAgent(agent),
    })
    .execute();
  await recordOwn(tx, { userId, address }, 'signed_in', { after: { client } });
  // Sign-ins of one user must not fill the table: the session that was idle longest gives way.
  await sql`delete from sessions where user_id = ${userId} and token_hash in (
    select token_hash from sessions where user_id = ${userId} and token_hash <> ${hash}
    order by last_seen_at desc offset ${MOST_SESSIONS - 1})`.execute(tx);
  return token;
}

/**
 * Ends the session that asks. With one that was told a gateway token all those of the person end: who signs out leaves nothing
 * behind that still opens sites, and browsers keep what they once told a proxy until they are closed, so that the next person
 * at the same desk would go on under this one's name. The person's other extensions fetch new tokens by themselves; one that
 * is leaving without having asked for access ends nobody's.
 */
export async function endSession(tx: Tx, actor: Actor): Promise<void> {
  const { tokenHash, userId } = actor;
  await lockAccount(tx, userId);
  const ended = await tx
    .deleteFrom('sessions')
    .where('token_hash', '=', tokenHash)
    .returning('told_access')
    .executeTakeFirst();
  // Signed out twice at once: the other one did it all.
  if (ended === undefined) return;
  await recordOwn(tx, actor, 'signed_out');
  if (ended.told_access) await endGatewayTokens(tx, userId);
}

/**
 * A company with its owner.
 * @param address where the registration came from
 * @returns the owner's id
 * @throws AppError email_taken
 */
export async function registerCompany(
  tx: Tx,
  body: Registration,
  passwordHash: string,
  address: string,
): Promise<number> {
  const company = await tx
    .insertInto('companies')
    .values({ company_name: body.companyName, company_site: body.companySite })
    .returning('id')
    .executeTakeFirstOrThrow();
  const owner = await refusing(
    { users_email_key: emailTaken },
    tx
      .insertInto('users')
      .values({
        company_id: company.id,
        email: body.email,
        name: body.ownerName ?? '',
        surname: '',
        password_hash: passwordHash,
        roles: ['CREATOR'],
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  const { companyName, companySite, email } = body;
  await record(
    tx,
    { userId: owner.id, address },
    {
      action: 'registered',
      kind: 'company',
      id: company.id,
      name: companyName,
      companyId: company.id,
      after: { companyName, companySite, email },
    },
  );
  return owner.id;
}

/**
 * Makes the platform's first ADMIN. Does nothing where an ADMIN is there already: a start must not bring back an operator whom
 * another one has removed. Does nothing either where another account has the address.
 */
export async function ensureAdmin(db: Db, email: string, hash: () => Promise<string>): Promise<void> {
  const admin = await db
    .selectFrom('users')
    .select('id')
    .where('roles', '@>', sql<never>`array['ADMIN']`)
    .executeTakeFirst();
  if (admin !== undefined) return;
  if ((await findAccount(db, email)) !== undefined) return;
  await db
    .insertInto('users')
    .values({
      company_id: null,
      email,
      name: 'Администратор',
      surname: '',
      password_hash: await hash(),
      roles: ['ADMIN'],
    })
    .onConflict((oc) => oc.column('email').doNothing())
    .execute();
}
