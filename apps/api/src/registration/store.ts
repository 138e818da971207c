import type { ListQuery } from '@propusk/contract/fields';
import { limits } from '@propusk/contract/limits';
import type { InvitationState, RegistrationMode } from '@propusk/contract/registration';
import { sql } from 'kysely';
import { type AuditActor, record } from '../audit/store.ts';
import type { RegistrationRule } from '../config.ts';
import { AppError } from '../core/errors.ts';
import { hashToken, newToken } from '../core/tokens.ts';
import { advisoryLocks } from '../db/advisory-locks.ts';
import { contains, readList } from '../db/list.ts';
import type { Db, Tx } from '../db/open.ts';
import { works } from '../db/secret-links.ts';
import { emailTaken, findAccount } from '../identity/account-store.ts';

/** The applicant's email address and invitation token, which decide whether the api admits the registration. */
interface Applicant {
  readonly email: string;
  readonly invitation?: string | undefined;
}

/** Reads the registration mode, which decides who may register now. */
export async function readMode(db: Db, rule: RegistrationRule): Promise<RegistrationMode> {
  if (rule !== 'first') return rule;
  const company = await db.selectFrom('companies').select('id').limit(1).executeTakeFirst();
  return company === undefined ? 'open' : 'invited';
}

/**
 * Checks a registration before the slow password hash. `admitRegistration` repeats the check in the transaction.
 * @throws AppError registration_closed, invitation_dead
 */
export async function precheckRegistration(
  db: Db,
  rule: RegistrationRule,
  applicant: Applicant,
): Promise<void> {
  const mode = await readMode(db, rule);
  const invited = applicant.invitation !== undefined;
  if (mode === 'closed' || (mode === 'invited' && !invited)) throw new AppError('registration_closed');
  if (applicant.invitation === undefined) return;
  // In every registration mode, an invalid invitation is refused before the slow password hash.
  const invitation = db.selectFrom('company_invitations').select('id').where(admits(applicant));
  await invitation.executeTakeFirstOrThrow(() => new AppError('invitation_dead'));
}

/** SQL condition: the invitation is valid, unused, and issued to the applicant's email. */
const admits = ({ email, invitation = '' }: Applicant) =>
  sql<boolean>`${works('company_invitations', invitation)} and state = 'waiting' and email = ${email}`;

/**
 * Checks within a registration's transaction that the registration is allowed, and marks the invitation as used. Under the rule
 * `first`, registrations without an invitation wait for each other, so that only one registration creates the first company.
 * @throws AppError registration_closed, invitation_dead
 */
export async function admitRegistration(tx: Tx, rule: RegistrationRule, applicant: Applicant): Promise<void> {
  if (rule === 'closed') throw new AppError('registration_closed');
  if (applicant.invitation !== undefined) {
    // A concurrent registration with the same link waits for this update, and then finds the invitation used.
    const used = await tx
      .updateTable('company_invitations')
      .set({ state: 'used' })
      .where(admits(applicant))
      .executeTakeFirst();
    if (used.numUpdatedRows === 0n) throw new AppError('invitation_dead');
    return;
  }
  if (rule === 'first') await sql`select pg_advisory_xact_lock(${advisoryLocks.firstCompany})`.execute(tx);
  if ((await readMode(tx, rule)) !== 'open') throw new AppError('registration_closed');
}

/**
 * Creates an invitation to register a company. An earlier invitation of the same email address becomes invalid.
 * @throws AppError email_taken, registration_closed
 */
export async function addInvitation(
  tx: Tx,
  rule: RegistrationRule,
  actor: AuditActor,
  email: string,
): Promise<{ token: string; expiresAt: string }> {
  if (rule === 'closed') throw new AppError('registration_closed');
  if ((await findAccount(tx, email)) !== undefined) throw emailTaken();
  const { token, hash } = newToken();
  const expiresAt = new Date(Date.now() + limits.invitationDays * 86_400_000).toISOString();
  const created_at = new Date().toISOString();
  const link = { token_hash: hash, expires_at: expiresAt, created_at, state: 'waiting' as const };
  const made = { email, made_by: actor.userId, ...link };
  const { id } = await tx
    .insertInto('company_invitations')
    .values(made)
    .onConflict((oc) => oc.column('email').doUpdateSet(made))
    .returning('id')
    .executeTakeFirstOrThrow();
  await record(tx, actor, {
    action: 'company_invited',
    kind: 'invitation',
    id,
    name: email,
    companyId: null,
  });
  return { token, expiresAt };
}

const stateNow = sql<InvitationState>`case when i.state = 'waiting' and i.expires_at <= now() then 'expired' else i.state end`;

/** Lists the invitations to register a company, for admins. */
export async function listInvitations(db: Db, query: ListQuery) {
  const matching = db
    .selectFrom('company_invitations as i')
    .innerJoin('users', 'users.id', 'i.made_by')
    .select(['i.id', sql<string>`i.email::text`.as('email'), sql<string>`users.email::text`.as('madeBy')])
    .select(['i.created_at as createdAt', 'i.expires_at as expiresAt', stateNow.as('state')])
    .where(contains(['i.email'], query.name, true));
  return readList(matching, query, sql.ref('i.id'));
}

/** @throws AppError not_found when the invitation is used, withdrawn or expired */
export async function withdrawInvitation(tx: Tx, actor: AuditActor, id: number): Promise<void> {
  const { email } = await tx
    .updateTable('company_invitations')
    .set({ state: 'withdrawn' })
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .where('expires_at', '>', sql<string>`now()`)
    .returning('email')
    .executeTakeFirstOrThrow(() => new AppError('not_found'));
  const target = { kind: 'invitation', id, name: email, companyId: null } as const;
  await record(tx, actor, { ...target, action: 'invitation_withdrawn' });
}

/** Reads the state of an invitation. @throws AppError invitation_dead for an unknown or replaced token */
export async function readInvitation(db: Db, token: string): Promise<{ state: InvitationState }> {
  return db
    .selectFrom('company_invitations as i')
    .select(stateNow.as('state'))
    .where('token_hash', '=', hashToken(token))
    .executeTakeFirstOrThrow(() => new AppError('invitation_dead'));
}
