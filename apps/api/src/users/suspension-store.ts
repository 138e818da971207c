import type { User } from '@propusk/contract/me';
import type { Suspension } from '@propusk/contract/role-changes';
import { sql } from 'kysely';
import type { Actor } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import type { Target } from '../core/versions.ts';
import { type Background, type Repeating, repeat } from '../db/background.ts';
import { lockCompany } from '../db/company.ts';
import type { Db, Tx } from '../db/open.ts';
import { momentOf } from '../db/times.ts';
import { changeEntity } from '../entities/change.ts';
import { endSessions } from '../identity/account-store.ts';
import { keepAnOwner } from './role-store.ts';
import { userEntity } from './store.ts';

/** The interval between two searches for suspensions to lift. */
const TICK_MS = 2_000;

/**
 * Suspends a user, or lifts a suspension. A suspension ends the user's sessions and gateway tokens. Links to set a password stay, but
 * no session begins while the user is suspended (`openSession`).
 * @throws AppError not_found; changed_meanwhile; own_account when the user is the actor; protected_user for an ADMIN; no_company for
 *   a user without a company; last_owner for the only owner who can sign in; bad_input for an owner without the actor's password, and for a past date
 */
export async function suspendUser(
  tx: Tx,
  actor: Actor,
  target: Target,
  { suspended, until, currentPassword }: Suspension,
): Promise<User> {
  const { id } = target;
  return changeEntity(tx, actor, userEntity, target, async (user, _found, before) => {
    const { company_id: companyId, email: name } = user;
    if (id === actor.userId) throw new AppError('own_account', { detail: ['own_suspension'] });
    if (user.roles.includes('ADMIN')) throw new AppError('protected_user', { detail: ['role_of_admin'] });
    if (companyId === null) throw new AppError('no_company');
    if (user.roles.includes('CREATOR')) {
      if (currentPassword === undefined)
        throw new AppError('bad_input', { fields: { currentPassword: ['required'] } });
      if (suspended) await keepAnOwner(tx, companyId, id);
    }
    if (!suspended && before.suspension === null) return null;
    const zone = sql`(select time_zone from companies where id = ${companyId})`;
    const action = suspended ? 'suspended' : 'suspension_lifted';
    return {
      set: {
        suspended_at: suspended ? sql<string>`coalesce(suspended_at, now())` : null,
        suspended_until: suspended ? (momentOf(until, zone) ?? null) : null,
      },
      afterUpdate: suspended ? () => begin(tx, id) : undefined,
      events: [{ action, kind: 'user', id, name, companyId, after: { until: suspended ? until : '' } }],
    };
  });
}

/** @throws AppError bad_input for a suspension whose end is in the past */
async function begin(tx: Tx, id: number): Promise<void> {
  const { rows } = await sql`select from users where id = ${id} and suspended_until <= now()`.execute(tx);
  if (rows.length > 0) throw new AppError('bad_input', { fields: { until: ['past'] } });
  await endSessions(tx, id);
}

/** Starts the background task that lifts suspensions whose time has come. Several processes may run it. */
export function startLifting({ db, log }: Background): Repeating {
  const lift = async (signal: AbortSignal) => {
    const { rows } = await sql<{ companyId: number }>`
      select distinct company_id as "companyId" from users
      where timezone('UTC', suspended_until) <= timezone('UTC', now()) order by 1`.execute(db);
    for (const { companyId } of rows) {
      if (signal.aborted) return;
      // A company whose row another transaction locks for a long time must not delay the others.
      await liftIn(db, companyId).catch((err: unknown) => log.warn({ err, companyId }, FAILED));
    }
  };
  return repeat(TICK_MS, lift, (err) => log.warn({ err }, FAILED));
}

const FAILED = 'failed to lift suspensions';

async function liftIn(db: Db, companyId: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockCompany(tx, companyId);
    await sql`update users set suspended_at = null, suspended_until = null, version = version + 1, updated_at = now()
      where company_id = ${companyId} and suspended_until <= now()`.execute(tx);
  });
}
