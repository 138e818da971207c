import type { User } from '@propusk/contract/me';
import type { Role } from '@propusk/contract/roles';
import { shownEmails } from '@propusk/contract/shown-email';
import type { UserChange, UserInput, UserQuery } from '@propusk/contract/users';
import { sql } from 'kysely';
import { type Actor, isAdmin, type Member, scopeOf } from '../core/actor.ts';
import { AppError, refuseFaults } from '../core/errors.ts';
import { hasFactor } from '../core/factor.ts';
import type { Target } from '../core/versions.ts';
import { linkedItems, linkSql, links } from '../db/links.ts';
import { every } from '../db/list.ts';
import type { Db, Tx } from '../db/open.ts';
import { inScope } from '../db/scope.ts';
import { endsOf, isoOf } from '../db/times.ts';
import { changeEntity, createEntities, lockRows, type PathOf } from '../entities/change.ts';
import { entity } from '../entities/entity.ts';
import { makeRoom } from '../entities/plan-limits.ts';
import { emailTaken, endAccess, isProtected, setPassword } from '../identity/account-store.ts';
import { findTaken } from '../identity/revealing.ts';
import { openExtension, reportedVersion } from '../identity/session-store.ts';
import type { Tell } from '../mail/tell-holder.ts';
import { type Ends, findEnding } from '../tariff/store.ts';

/** The text that a search matches, with U+0451 replaced by U+0435. The index `users_text_trgm` has the same expression. */
const userText = sql<string>`translate(users.name || ' ' || users.surname || ' ' || users.email::text,
  U&'\\0451\\0401', U&'\\0435\\0415')`;

type Shown = NonNullable<User['company']>;

/** Whether the actor is an owner of the user's company. Only such an actor may see the user's extension. */
const isOwn = (actor: Actor) =>
  sql`users.company_id = ${scopeOf(actor) === 'company' ? actor.companyId : null}::bigint`;
/** The extension sessions of a user of the actor's company. */
const extensionSessions = (actor: Actor) =>
  sql`select s.* from sessions s where s.user_id = users.id and ${openExtension} and ${isOwn(actor)}`;

const columns = [
  'users.id',
  'users.name',
  'users.surname',
  'users.email',
  'users.roles',
  'users.version',
  hasFactor('users.id').as('secondFactor'),
  sql<User['invitation']>`case when users.invited then json_build_object('expiresAt', (
    select ${isoOf(sql`max(l.expires_at)`)} from mail_links l
    where l.user_id = users.id and l.made_by is not null and l.expires_at > now())) end`.as('invitation'),
  'users.created_at as createdAt',
  'users.updated_at as updatedAt',
  sql<
    User['suspension']
  >`case when users.suspended_at is not null then json_build_object('until', ${isoOf(sql`users.suspended_until`)}) end`.as(
    'suspension',
  ),
  linkedItems(links.userPolicies, sql`o.name`),
  sql<Shown | null>`(select json_build_object('id', c.id, 'companyName', c.company_name, 'companySite', c.company_site,
      'secondFactorRequired', c.second_factor_required, 'confirmed', c.confirmed)
    from companies c where c.id = users.company_id)`.as('company'),
] as const;

export const userEntity = entity({
  table: 'users',
  kind: 'user',
  columns: (actor) => [
    ...columns,
    linkSql(links.userPolicies, actor).lastVisit,
    sql<
      User['extension']
    >`(select json_build_object('agent', agent, 'lastSeenAt', ${isoOf(sql`last_seen_at`)},
        'version', ${reportedVersion}, 'proxyHeldBy', proxy_held_by)
      from (${extensionSessions(actor)}) s order by last_seen_at desc limit 1)`.as('extension'),
  ],
  present: ({ roles, lastVisit: last, extension, ...row }, actor): User => ({
    ...row,
    roles: roles.map((value) => ({ value })),
    lastVisitAt: last?.at,
    extension: row.company?.id === actor.companyId && scopeOf(actor) === 'company' ? extension : undefined,
  }),
  sees: (actor, scope) => inScope(actor, scope, 'users.company_id'),
  filter: (actor, { role, invited, suspended, extension, ...query }: UserQuery) =>
    every(
      ...linkSql(links.userPolicies, actor).filter(query),
      role !== undefined && sql`users.roles @> array[${role}::text]`,
      invited !== undefined && sql`users.invited`,
      suspended !== undefined && sql`users.suspended_at is not null`,
      extension === 'none' && sql`${isOwn(actor)} and not exists (${extensionSessions(actor)})`,
      extension === 'signed_in' && sql`exists (${extensionSessions(actor)})`,
      extension === 'blocked' && sql`exists (${extensionSessions(actor)} and s.proxy_held_by is not null)`,
    ),
  search: [userText],
  keeps: ({ id, roles }: { id: number; roles: readonly Role[] }, { userId }) => {
    if (id === userId) return 'own_account';
    return isProtected(roles) ? 'protected_user' : null;
  },
  name: ({ email }) => email,
  facts: ({ name, surname, email, roles, politics }) => ({
    ...{ name, surname, email, politics, ends: endsOf(politics) },
    roles: roles.map(({ value }) => ({ id: value, name: value })),
  }),
});

/** The actor's own account. */
export async function findSelf(db: Db, actor: Actor): Promise<User> {
  // Reads the account and the end times of the plan in one query, because a second query would make the call a third slower.
  const row = await db
    .selectFrom('users')
    .select(columns)
    .select(
      sql<
        (Ends & { hasTariff: boolean }) | null
      >`(select json_build_object('now', now(), 'trialEndsAt', c.trial_ends_at,
          'planEndsAt', c.plan_ends_at, 'paidEndsAt', c.paid_ends_at, 'hasTariff', exists (select from plans where not standard))
        from companies c where c.id = users.company_id)`.as('ends'),
    )
    .where('users.id', '=', actor.userId)
    .executeTakeFirst();
  if (row === undefined) throw new AppError('unauthorized');
  const { ends, ...stored } = row;
  const self = userEntity.present(stored as never, actor);
  if (self.company === null || ends === null || !actor.roles.includes('CREATOR')) return self;
  const { hasTariff } = ends;
  return {
    ...self,
    company: { ...self.company, hasTariff, ending: await findEnding(db, self.company.id, ends) },
  };
}

interface NewUsers {
  readonly role: Role;
  readonly passwordHash: string;
  /** Whether the users will set their password through a link. */
  readonly invited?: boolean;
  /** Returns the prefix of the fields of a user in errors, such as `people.3.`. */
  readonly pathOf?: PathOf;
}

type NewUser = Pick<UserInput, 'email' | 'name' | 'surname' | 'ends'> & {
  readonly politics?: readonly number[];
};

/**
 * Creates all given users, or none. The users get the same role and password. The number of round trips does not depend on the
 * number of users.
 * @param companyId null for users outside every company
 * @throws AppError email_taken; too_many_objects; plan_limit; bad_input for a policy of another company
 * @throws AppError unauthorized when the actor's company was deleted; not_found when another company was deleted
 */
export async function createUsers(
  tx: Tx,
  actor: Actor,
  companyId: number | null,
  people: readonly NewUser[],
  { role, passwordHash, invited = false, pathOf }: NewUsers,
): Promise<User[]> {
  const missing = role === 'USER' ? 'unauthorized' : 'not_found';
  await makeRoom(tx, 'users', companyId, missing, { rows: people.length });
  const rows = people.map(({ email, name, surname }) => ({
    ...{ company_id: companyId, email, name, surname },
    ...{ password_hash: passwordHash, invited, roles: [role] },
  }));
  const refusals = { users_email_key: emailTaken };
  const linked = people.map(({ politics, ends }) => ({ politics, ends }));
  return createEntities(tx, actor, userEntity, rows, { linked, refusals, pathOf });
}

/**
 * Refuses email addresses that already have an account. The error names all such addresses of the actor's
 * company, and at most `most` addresses of other companies.
 * @throws AppError email_taken
 */
export async function refuseTaken(
  db: Db,
  actor: Member,
  emails: readonly string[],
  most: number,
): Promise<void> {
  const taken = [...(await findTaken(db, actor, emails)).values()];
  if (taken.length === 0) return;
  const own = taken.filter(({ isOwn }) => isOwn);
  const others = taken.filter(({ isOwn }) => !isOwn).slice(0, most);
  const addresses = [...own, ...others].map(({ email }) => shownEmails(email)).join(', ');
  throw new AppError('email_taken', { fields: { emails: ['emails_taken', addresses] } });
}

/**
 * Refuses an import with email addresses that already have an account. The lines are checked in their order. After `most` addresses
 * of other companies, the error says of each further line that its address was not checked, unless the own company has it.
 * @throws AppError email_taken with `fields`, such as `people.3.email`
 */
export async function refuseTakenLines(
  db: Db,
  actor: Member,
  emails: readonly string[],
  most: number,
): Promise<void> {
  const taken = await findTaken(db, actor, emails);
  let left = most;
  refuseFaults('email_taken', emails, (email, at) => {
    const path = `people.${at}.email`;
    const account = taken.get(email.toLowerCase());
    if (account?.isOwn === true) return [path, ['email_of_company']];
    if (left === 0) return [path, ['email_unchecked']];
    if (account === undefined) return null;
    left--;
    return [path, ['email_taken']];
  });
}

/**
 * Locks the actor's company, and then the rows of its users with the given ids.
 * @param actor the actor, from whom `asOwner` removed the role ADMIN
 * @param reasonOf returns the error for a user to skip, and null for a user to keep
 * @returns the kept users, and the error of each skipped id; not_found if no user of the company has the id
 */
export async function lockUsers(
  tx: Tx,
  actor: Member,
  ids: readonly number[],
  reasonOf: (user: User) => AppError | null,
): Promise<{ users: User[]; refused: { id: number; error: AppError }[] }> {
  const rows = await lockRows(tx, actor, userEntity, ids);
  const users = rows.map((row) => userEntity.present(row as never, actor));
  // Bounded: the map exists for one call, and holds at most one entry for each of `ids`
  const errors = new Map(users.map((user) => [user.id, reasonOf(user)]));
  const refused = ids.flatMap((id) => {
    const error = errors.get(id);
    return error === null ? [] : { id, error: error ?? new AppError('not_found') };
  });
  return { users: users.filter(({ id }) => errors.get(id) === null), refused };
}

/** @returns already_joined for a user with a password, protected_user for an owner or ADMIN, and null for a user to invite again */
export function reasonNotToInvite({ invitation, roles }: User): AppError | null {
  if (invitation === null) return new AppError('already_joined');
  // Without this check, the holder of a stolen session could set the password of an owner or ADMIN by an invitation link.
  return isProtected(roles.map(({ value }) => value)) ? new AppError('protected_user') : null;
}

/** @returns the error for a user who needs no reminder of the extension, or cannot use the extension yet; null for any other user */
export function reasonNotToRemind({ extension, invitation, suspension, roles }: User): AppError | null {
  const refusal = (detail: 'not_joined' | 'user_suspended' | 'extension_in_use') =>
    new AppError('no_reminder', { detail: [detail] });
  if (isProtected(roles.map(({ value }) => value))) return new AppError('protected_user');
  if (invitation !== null) return refusal('not_joined');
  if (suspension !== null) return refusal('user_suspended');
  return extension === null ? null : refusal('extension_in_use');
}

/**
 * Edits a user. A new password or email ends the user's sessions, gateway tokens and mail links, and sends a
 * notice to the previous address.
 * @throws AppError not_found; changed_meanwhile; email_taken; bad_input; protected_user for password or email
 *   of a CREATOR or ADMIN
 */
export function updateUser(
  tx: Tx,
  actor: Actor,
  target: Target,
  body: UserChange,
  { passwordHash, tell }: { passwordHash: string | undefined; tell: Tell | undefined },
): Promise<User> {
  const { id } = target;
  return changeEntity(tx, actor, userEntity, target, (user) => {
    if (passwordHash !== undefined && isProtected(user.roles)) {
      throw new AppError('protected_user', {
        detail: ['password_of_owner'],
      });
    }
    const moved = body.email !== undefined && body.email.toLowerCase() !== user.email.toLowerCase();
    // Password links are mailed to this address, so a new address gives control of the account. Owners and
    // admins must confirm a new address of their own account through a mailed link.
    if (moved && isProtected(user.roles) && !(isAdmin(actor) && id !== actor.userId)) {
      throw new AppError('protected_user', {
        detail: ['email_of_owner'],
      });
    }
    if ((body.politics ?? body.ends) !== undefined && user.company_id === null)
      throw new AppError('no_company');
    // The new email address may belong to another person, so the sessions of the account end.
    const endSessions = async () => {
      await (passwordHash === undefined ? endAccess(tx, id) : setPassword(tx, id, passwordHash));
      await tell?.(tx, moved ? { what: 'email', newEmail: body.email } : { what: 'password' });
    };
    return {
      set: { name: body.name, surname: body.surname, email: body.email },
      refusals: { users_email_key: emailTaken },
      links: body,
      afterUpdate: passwordHash !== undefined || moved ? endSessions : undefined,
      secret: passwordHash === undefined ? undefined : 'password',
    };
  });
}
