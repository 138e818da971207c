import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { findAccount } from '../accounts/store.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db/open.ts';
import { createPasswords, ofProcess } from '../passwords.ts';
import { addLink } from './link-store.ts';
import { createLinks } from './links.ts';
import { addInvitation } from './registration-store.ts';
import { ensureAdmin } from './store.ts';

/** The link that sets the first ADMIN's password: the operator opens it from a terminal, not from a mailbox. */
const ADMIN_LINK_MINUTES = 60;

/** The links that open a new platform. */
export interface FirstLinks {
  /** Sets the password of the ADMIN. One hour, once. */
  readonly admin: string;
  /** Registers a company. Seven days, once. null when the owner's address has an account. */
  readonly company: string | null;
}

/**
 * Creates the first ADMIN without a password, a link that sets it, and an invitation of a company. Only hashes are stored.
 * @param again makes new links although the platform has an ADMIN
 * @returns null when the platform has an ADMIN already; with `again`, when no ADMIN has the address
 * @throws AppError registration_closed
 */
export async function makeFirstLinks(
  db: Db,
  { publicUrl, registration }: Pick<Config, 'publicUrl' | 'registration'>,
  { email, owner, again }: { email: string; owner: string; again: boolean },
): Promise<FirstLinks | null> {
  const isAdmin = sql<boolean>`roles @> array['ADMIN']`;
  const admins = db.selectFrom('users').select('id').where(isAdmin);
  if (!again && (await admins.limit(1).executeTakeFirst()) !== undefined) return null;
  const unknown = randomBytes(32).toString('base64url');
  await ensureAdmin(db, email, () => createPasswords().hash(unknown, ofProcess));
  const admin = await admins.where('email', '=', email).executeTakeFirst();
  if (admin === undefined) return null;
  const links = createLinks(publicUrl);
  return db.transaction().execute(async (tx) => {
    const { token } = await addLink(tx, admin.id, null, ADMIN_LINK_MINUTES);
    const made = { admin: links.token('password', token), company: null };
    if ((await findAccount(tx, owner)) !== undefined) return made;
    const by = { userId: admin.id, address: '127.0.0.1' };
    const invitation = await addInvitation(tx, registration, by, owner);
    return { ...made, company: links.invitation(invitation.token, owner) };
  });
}
