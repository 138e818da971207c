import { randomUUID } from 'node:crypto';
import { hashToken, newToken } from '@propusk/api/core/tokens';
import type { Db } from '@propusk/api/db/open';
import { recoveryHash, secretPlace } from '@propusk/api/identity/factor-store';
import { keyPlace } from '@propusk/api/vantage/store';
import type { ProxyType } from '@propusk/contract/proxies';
import type { Role } from '@propusk/contract/roles';
import { testEncryption } from '../api/api.ts';

/** Inserts a company without users. */
export function insertCompany(db: Db, name: string): Promise<{ id: number }> {
  return db
    .insertInto('companies')
    .values({ company_name: `Company ${name}`, company_site: `${name}.test` })
    .returning('id')
    .executeTakeFirstOrThrow();
}

/** Inserts a user. @param user with a password hash that all users may share @returns the id */
export async function addUser(
  db: Db,
  user: { companyId: number | null; email: string; roles: Role[]; hash: string },
): Promise<number> {
  const { id } = await db
    .insertInto('users')
    .values({
      company_id: user.companyId,
      email: user.email,
      name: 'Имя',
      surname: 'Фамилия',
      password_hash: user.hash,
      roles: user.roles,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Inserts a proxy of a company, or of the platform. @returns the id */
export async function addProxy(
  db: Db,
  companyId: number | null,
  host: string,
  type: ProxyType = companyId === null ? 'default' : 'users',
): Promise<number> {
  const { id } = await db
    .insertInto('proxies')
    .values({
      company_id: companyId,
      type,
      host,
      port: 8080,
      username: 'login',
      password_sealed: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Inserts a policy on a proxy of its own company. @returns the id */
export async function addPolicy(
  db: Db,
  companyId: number,
  { name, proxyId }: { name: string; proxyId: number },
): Promise<number> {
  const { id } = await db
    .insertInto('policies')
    .values({
      company_id: companyId,
      name,
      description: name,
      proxy_id: proxyId,
      proxy_owner_id: companyId,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Inserts a site without policies. @returns the id */
export async function addSite(db: Db, companyId: number, address: string): Promise<number> {
  const { id } = await db
    .insertInto('sites')
    .values({ company_id: companyId, address, shown_address: address })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Inserts a mail link: an email link for a new email, else a password link. @returns its token */
export async function addLink(db: Db, userId: number, newEmail: string | null): Promise<string> {
  const { token, hash } = newToken();
  await db
    .insertInto('mail_links')
    .values({ token_hash: hash, user_id: userId, new_email: newEmail, expires_at: inAnHour() })
    .execute();
  return token;
}

/** Inserts an invitation of an ADMIN to register a company. @returns its id and token */
export async function addInvitation(
  db: Db,
  made_by: number,
  email: string,
): Promise<{ id: number; token: string }> {
  const { token, hash } = newToken();
  const { id } = await db
    .insertInto('company_invitations')
    .values({ token_hash: hash, email, made_by, expires_at: inAnHour() })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { id, token };
}

/** Inserts a session. @returns its token */
export async function addSession(db: Db, userId: number): Promise<string> {
  const { token, hash } = newToken();
  await db
    .insertInto('sessions')
    .values({ token_hash: hash, user_id: userId, expires_at: inAnHour() })
    .execute();
  return token;
}

/** Finds the id of a session by its token. */
export async function sessionId(db: Db, token: string): Promise<number> {
  const sessions = db.selectFrom('sessions').select('id').where('token_hash', '=', hashToken(token));
  return (await sessions.executeTakeFirstOrThrow()).id;
}

/** The secret of every inserted second factor, and its only recovery code. */
export const FACTOR_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
export const RECOVERY_CODE = '7K3M-Q9XT-2HVD-W5PA';

/** Inserts a confirmed or an unconfirmed second factor. */
export async function addFactor(db: Db, user_id: number, state: 'on' | 'begun'): Promise<void> {
  const confirmed_at = state === 'on' ? new Date().toISOString() : null;
  const secret_sealed = testEncryption.seal(secretPlace(user_id), FACTOR_SECRET);
  await db.insertInto('second_factors').values({ user_id, secret_sealed, confirmed_at }).execute();
  if (state === 'begun') return;
  const code_hash = recoveryHash(testEncryption, user_id, RECOVERY_CODE);
  await db.insertInto('recovery_codes').values({ user_id, code_hash }).execute();
}

/** Inserts a pairing code of a user. @returns the code */
export async function addPairing(db: Db, userId: number): Promise<string> {
  const session_hash = hashToken(await addSession(db, userId));
  const { token, hash } = newToken();
  await db
    .insertInto('pairing_codes')
    .values({ token_hash: hash, session_hash, user_id: userId, expires_at: inAnHour() })
    .execute();
  return token;
}

/** The key of each paired vantage. */
export const VANTAGE_KEY = '7f'.repeat(32);

/** Inserts a task with one group, which its vantage has taken. @returns its id */
export async function addTask(db: Db, vantageId: number): Promise<string> {
  const id = randomUUID();
  const now = new Date().toISOString();
  const task = { id, vantage_id: vantageId, plan: '', groups: 1, taken_at: now, expires_at: inAnHour() };
  await db.insertInto('vantage_tasks').values(task).execute();
  return id;
}

/** Inserts a paired vantage of a company, or of the platform for null. @returns its id */
export async function addVantage(db: Db, companyId: number | null): Promise<number> {
  const name = 'Paired vantage';
  const { id } = await db
    .insertInto('vantages')
    .values({
      company_id: companyId,
      name,
      code_hash: Buffer.from(`${companyId}`),
      code_expires_at: inAnHour(),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const key_sealed = testEncryption.seal(keyPlace(id), VANTAGE_KEY);
  await db
    .updateTable('vantages')
    .set({ key_sealed, code_hash: null, code_expires_at: null })
    .where('id', '=', id)
    .execute();
  return id;
}

/** Inserts a vantage that waits for its machine. @returns its id and code */
export async function addUnpairedVantage(
  db: Db,
  companyId: number,
): Promise<{ unpaired: number; code: string }> {
  const { token, hash } = newToken();
  const { id } = await db
    .insertInto('vantages')
    .values({
      company_id: companyId,
      name: 'Unpaired vantage',
      code_hash: hash,
      code_expires_at: inAnHour(),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { unpaired: id, code: token };
}

/** Inserts a link to the lock of a site. @returns its token */
export async function addLockLink(
  db: Db,
  companyId: number,
  siteId: number,
  userId: number,
): Promise<string> {
  const { token, hash } = newToken();
  await db
    .insertInto('lock_links')
    .values({
      token_hash: hash,
      company_id: companyId,
      site_id: siteId,
      made_by: userId,
      expires_at: inAnHour(),
    })
    .execute();
  return token;
}

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

/** Inserts an offered plan for the trial, with everything included. @returns the id */
export async function addPlan(db: Db): Promise<number> {
  const { id } = await db
    .insertInto('plans')
    .values({
      ...{ name: 'Team', price_amount: 149_000, price_currency: 'RUB', people: 50, sites: 50, proxies: 50 },
      ...{ paid_proxies: true, all_sites: true, offered: true, trial: true },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Inserts an open request of a company for a plan. @returns the id */
export async function addRequest(db: Db, companyId: number, planId: number): Promise<number> {
  const { id } = await db
    .insertInto('tariff_requests')
    .values({
      company_id: companyId,
      kind: 'plan',
      plan_id: planId,
      email: 'owner@test.test',
      text: 'Please',
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
