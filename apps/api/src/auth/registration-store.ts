import { limits } from '@propusk/contract/limits';
import type { RegistrationMode } from '@propusk/contract/registration';
import { sql } from 'kysely';
import { emailTaken, findAccount } from '../accounts/store.ts';
import { type AuditActor, record } from '../audit/store.ts';
import type { RegistrationRule } from '../config.ts';
import { AppError } from '../core/errors.ts';
import { newToken, works } from '../core/tokens.ts';
import type { Db, Tx } from '../db/open.ts';

/** The advisory lock of registrations under the rule `first`, so that concurrent ones make one company. */
const FIRST_COMPANY_LOCK = 7305803;

/** The parts of a registration that decide whether it is admitted. */
interface Applicant {
  readonly email: string;
  readonly invitation?: string | undefined;
}

/** Reads who may register now. */
export async function readMode(db: Db, rule: RegistrationRule): Promise<RegistrationMode> {
  if (rule !== 'first') return rule;
  return (await hasCompany(db)) ? 'invited' : 'open';
}

/**
 * Checks a registration before the slow hash of its password. Only `admitRegistration` decides.
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
  // In every registration mode: an invented invitation must be refused before the slow password hash.
  await db
    .selectFrom('company_invitations')
    .select('id')
    .where(works('company_invitations', applicant.invitation))
    .where('email', '=', applicant.email)
    .executeTakeFirstOrThrow(() => new AppError('invitation_dead'));
}

/**
 * Admits a registration within its transaction, and uses up its invitation. Under the rule `first` registrations without an
 * invitation queue, so that one of them finds the platform without a company.
 * @throws AppError registration_closed, invitation_dead
 */
export async function admitRegistration(tx: Tx, rule: RegistrationRule, applicant: Applicant): Promise<void> {
  if (rule === 'closed') throw new AppError('registration_closed');
  if (applicant.invitation !== undefined) {
    await useInvitation(tx, applicant.email, applicant.invitation);
    return;
  }
  if (rule === 'first') await sql`select pg_advisory_xact_lock(${FIRST_COMPANY_LOCK})`.execute(tx);
  if ((await readMode(tx, rule)) !== 'open') throw new AppError('registration_closed');
}

/**
 * Creates an invitation to register a company, in place of an earlier one for the address.
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
  const made = { email, token_hash: hash, made_by: actor.userId, expires_at: expiresAt };
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

/** Deletes the invitation's row. Concurrent calls with one link wait for the first and then find no row. */
async function useInvitation(tx: Tx, email: string, token: string): Promise<void> {
  await tx
    .deleteFrom('company_invitations')
    .where(works('company_invitations', token))
    .where('email', '=', email)
    .returning('id')
    .executeTakeFirstOrThrow(() => new AppError('invitation_dead'));
}

async function hasCompany(db: Db): Promise<boolean> {
  return (await db.selectFrom('companies').select('id').limit(1).executeTakeFirst()) !== undefined;
}
