import { randomBytes } from 'node:crypto';
import { limits } from '@propusk/contract/limits';
import { sql } from 'kysely';
import type { Config } from '../config.ts';
import type { Db, Tx } from '../db/open.ts';
import { findAccount } from '../identity/account-store.ts';
import { addLink, isFirstAdmin, lockFirstAdmin, NO_ADDRESS } from '../identity/link-store.ts';
import { createLinks } from '../identity/links.ts';
import { createPasswords, ofProcess } from '../identity/passwords.ts';
import { hasAdmin, putAdmin } from '../identity/store.ts';
import { addInvitation } from './store.ts';

/** The links for the first users of a new platform. */
export interface FirstLinks {
  /** A link that creates the first ADMIN, or resets the password of an ADMIN. Valid once, for one hour. */
  readonly admin: string;
  /**
   * A link that registers a company. Valid once, for seven days. Null when the company's future owner already has an account,
   * or when an earlier call with the same ADMIN email created the link.
   */
  readonly company: string | null;
}

/**
 * Creates a link whose page asks for email and password and creates the first ADMIN. Stores only the hash of its token.
 * @returns null when an ADMIN has a password
 */
export async function makeAdminLink(db: Db, publicUrl: URL): Promise<string | null> {
  return (await makeFirst(db, publicUrl))?.admin ?? null;
}

/**
 * Creates a link for the first ADMIN, and a link that registers a company. The database stores only hashes of the link tokens.
 * Until an ADMIN has a password, a repeated call creates another ADMIN link and replaces the email of the ADMIN.
 * @param again whether to create both links even when an ADMIN has a password
 * @returns null when an ADMIN has a password, unless `again` is true and `email` belongs to an ADMIN
 * @throws AppError registration_closed when the settings allow no registration
 */
export async function makeFirstLinks(
  db: Db,
  { publicUrl, registration }: Pick<Config, 'publicUrl' | 'registration'>,
  { email, owner, again }: { email: string; owner: string; again: boolean },
): Promise<FirstLinks | null> {
  const first = await makeFirst(db, publicUrl, email);
  const named = db.selectFrom('users').select('id').where(sql<boolean>`roles @> array['ADMIN']`);
  const id =
    first?.id ?? (again ? (await named.where('email', '=', email).executeTakeFirst())?.id : undefined);
  if (id === undefined) return null;
  const made = { admin: first?.admin ?? (await adminLink(db, publicUrl, id)), company: null };
  if (first?.isNew !== true && !again) return made;
  return db.transaction().execute(async (tx) => {
    if ((await findAccount(tx, owner)) !== undefined) return made;
    const by = { userId: id, address: '127.0.0.1' };
    const invitation = await addInvitation(tx, registration, by, owner);
    return { ...made, company: createLinks(publicUrl).invitation(invitation.token, owner) };
  });
}

async function adminLink(db: Db | Tx, publicUrl: URL, id: number): Promise<string> {
  const { token } = await addLink(db, id, null, limits.firstLinkMinutes);
  return createLinks(publicUrl).token('password', token);
}

/**
 * Creates a link for the first ADMIN, and the ADMIN's account if this account does not exist. If no account has the address
 * `email`, the ADMIN gets this address.
 * @returns null when an ADMIN has a password; `isNew` is true when the call created the account or set its email
 */
async function makeFirst(
  db: Db,
  publicUrl: URL,
  email?: string,
): Promise<{ id: number; isNew: boolean; admin: string } | null> {
  if (await hasAdmin(db)) return null;
  const unknown = randomBytes(32).toString('base64url');
  const hash = await createPasswords().hash(unknown, ofProcess);
  return db.transaction().execute(async (tx) => {
    await lockFirstAdmin(tx);
    const isFree = email !== undefined && (await findAccount(tx, email)) === undefined;
    const waiting = tx.selectFrom('users').select('id').where(isFirstAdmin);
    const known = await waiting.executeTakeFirst();
    if (known === undefined || isFree) await putAdmin(tx, isFree ? email : NO_ADDRESS, hash, true);
    const first = await waiting.executeTakeFirst();
    if (first === undefined) return null;
    return {
      ...first,
      isNew: known === undefined || isFree,
      admin: await adminLink(tx, publicUrl, first.id),
    };
  });
}
