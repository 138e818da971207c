import type { Registration } from '@propusk/contract/auth';
import type { Db, Tx } from '../db/open.ts';
import { newToken } from '../http/actor.ts';
import { refusing } from '../http/violations.ts';
import { emailTaken } from '../users/store.ts';

const SESSION_DAYS = 30;

/** Opens a session and answers its token, which is stored nowhere. */
export async function openSession(tx: Tx, userId: number): Promise<string> {
  const { token, hash } = newToken();
  const expires = new Date(Date.now() + SESSION_DAYS * 86_400_000).toISOString();
  await tx
    .insertInto('sessions')
    .values({ token_hash: hash, user_id: userId, expires_at: expires })
    .execute();
  // Nobody signs in with what has expired; swept here, where a person's own rows are at hand.
  await tx
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('expires_at', '<', (eb) => eb.fn<string>('now'))
    .execute();
  return token;
}

export async function endSession(tx: Tx, tokenHash: Buffer): Promise<void> {
  await tx.deleteFrom('sessions').where('token_hash', '=', tokenHash).execute();
}

/** The account of an address, letter case ignored (the column is citext). */
export function findAccount(db: Db, email: string) {
  return db.selectFrom('users').select(['id', 'password_hash']).where('email', '=', email).executeTakeFirst();
}

/**
 * A company with its owner.
 * @returns the owner's id
 * @throws AppError email_taken
 */
export async function registerCompany(tx: Tx, body: Registration, passwordHash: string): Promise<number> {
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
  return owner.id;
}

/** Makes the platform's first ADMIN unless an account with the address is there. */
export async function ensureAdmin(db: Db, email: string, hash: () => Promise<string>): Promise<void> {
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
