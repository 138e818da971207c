import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { findAccount } from '../accounts/store.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db/open.ts';
import { createPasswords, ofProcess } from '../passwords.ts';
import { addLink, isFirstAdmin, NO_ADDRESS } from './link-store.ts';
import { createLinks } from './links.ts';
import { addInvitation } from './registration-store.ts';
import { ensureAdmin } from './store.ts';

/** The link that sets the first ADMIN's password: the operator opens it from a terminal, not from a mailbox. */
const ADMIN_LINK_MINUTES = 60;

/** The links that open a new platform. */
export interface FirstLinks {
  /** Makes the first ADMIN, or sets the password of an ADMIN again. One hour, once. */
  readonly admin: string;
  /** Registers a company. Seven days, once. null when the owner's address has an account, and for a second link of the same ADMIN. */
  readonly company: string | null;
}

/**
 * Creates a link that makes the first ADMIN: its page asks for address and password. Only its hash is stored.
 * @returns null when an ADMIN has a password
 */
export async function makeAdminLink(db: Db, publicUrl: URL): Promise<string | null> {
  const admin = await firstAdmin(db);
  return admin && adminLink(db, publicUrl, admin.id);
}

/**
 * Creates a link that makes the first ADMIN, with a proposed address, and an invitation of a company. Only hashes are stored. While no
 * ADMIN has a password, another call makes another link, and another address replaces the proposed one.
 * @param again makes new links although an ADMIN has a password, and the invitation again
 * @returns null when an ADMIN has a password; with `again`, when no ADMIN has the address
 * @throws AppError registration_closed
 */
export async function makeFirstLinks(
  db: Db,
  { publicUrl, registration }: Pick<Config, 'publicUrl' | 'registration'>,
  { email, owner, again }: { email: string; owner: string; again: boolean },
): Promise<FirstLinks | null> {
  const first = await firstAdmin(db, email);
  const named = db.selectFrom('users').select('id').where(sql<boolean>`roles @> array['ADMIN']`);
  const admin = first ?? (again ? await named.where('email', '=', email).executeTakeFirst() : undefined);
  if (admin === undefined) return null;
  const made = { admin: await adminLink(db, publicUrl, admin.id), company: null };
  if (first?.isNew !== true && !again) return made;
  return db.transaction().execute(async (tx) => {
    if ((await findAccount(tx, owner)) !== undefined) return made;
    const by = { userId: admin.id, address: '127.0.0.1' };
    const invitation = await addInvitation(tx, registration, by, owner);
    return { ...made, company: createLinks(publicUrl).invitation(invitation.token, owner) };
  });
}

async function adminLink(db: Db, publicUrl: URL, id: number): Promise<string> {
  const { token } = await addLink(db, id, null, ADMIN_LINK_MINUTES);
  return createLinks(publicUrl).token('password', token);
}

/**
 * Finds the first ADMIN and gives it the address, or creates it while there is no ADMIN.
 * @returns `isNew` for a new account or address; null when an ADMIN has a password
 */
async function firstAdmin(db: Db, email?: string): Promise<{ id: number; isNew: boolean } | null> {
  const waiting = db.selectFrom('users').select('id').where(isFirstAdmin);
  const isFree = email !== undefined && (await findAccount(db, email)) === undefined;
  const found = await waiting.executeTakeFirst();
  if (found !== undefined) {
    if (isFree) await db.updateTable('users').set({ email }).where('id', '=', found.id).execute();
    return { ...found, isNew: isFree };
  }
  const unknown = randomBytes(32).toString('base64url');
  await ensureAdmin(db, isFree ? email : NO_ADDRESS, () => createPasswords().hash(unknown, ofProcess), true);
  const made = await waiting.executeTakeFirst();
  return made ? { ...made, isNew: true } : null;
}
