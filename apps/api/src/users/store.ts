import type { ListQuery } from '@propusk/contract/fields';
import type { User } from '@propusk/contract/me';
import type { Role } from '@propusk/contract/roles';
import { shownEmails } from '@propusk/contract/shown-email';
import type { InvitedUser, UserChange, UserInput } from '@propusk/contract/users';
import { sql } from 'kysely';
import { jsonArrayFrom, jsonObjectFrom } from 'kysely/helpers/postgres';
import { emailTaken, endAccess, isProtected, setPassword } from '../accounts/store.ts';
import { type AuditFields, record } from '../audit/store.ts';
import { type Actor, isAdmin, type Member } from '../core/actor.ts';
import { AppError, found } from '../core/errors.ts';
import type { IfMatch } from '../core/versions.ts';
import { makeRoom, replaceLinks, touchLinked } from '../db/company.ts';
import { hasFactor } from '../db/factor.ts';
import { contains, readList } from '../db/list.ts';
import type { Db, Tx } from '../db/open.ts';
import { pipeline, run, type Statement, statement } from '../db/pipeline.ts';
import { managedBy } from '../db/scope.ts';
import { refusing } from '../db/violations.ts';
import { changeEntity, deleteEntity, type Entity } from '../entities/change.ts';
import type { Tell } from '../mail/tell-holder.ts';
import { findEnding } from '../tariff/store.ts';

type Person = Pick<UserInput, 'email' | 'name' | 'surname'>;

function selectUsers(db: Db) {
  return db.selectFrom('users').select((eb) => [
    'users.id',
    'users.name',
    'users.surname',
    'users.email',
    'users.roles',
    'users.version',
    hasFactor('users.id').as('secondFactor'),
    'users.invited',
    sql<string | null>`case when users.invited then (select max(l.expires_at) from mail_links l
      where l.user_id = users.id and l.made_by is not null and l.expires_at > now()) end`.as('invitedUntil'),
    'users.created_at as createdAt',
    'users.updated_at as updatedAt',
    jsonArrayFrom(
      eb
        .selectFrom('policy_users')
        .innerJoin('policies', (join) =>
          join
            .onRef('policies.company_id', '=', 'policy_users.company_id')
            .onRef('policies.id', '=', 'policy_users.policy_id'),
        )
        .select(['policies.id', 'policies.name'])
        .whereRef('policy_users.company_id', '=', 'users.company_id')
        .whereRef('policy_users.user_id', '=', 'users.id')
        .orderBy('policies.id'),
    ).as('politics'),
    jsonObjectFrom(
      eb
        .selectFrom('companies')
        .select([
          'companies.id',
          'company_name as companyName',
          'company_site as companySite',
          'second_factor_required as secondFactorRequired',
          'confirmed',
          // `GET /me` alone shows these, as `ending` and `hasTariff`. A second query for them would cost it a third of its time.
          sql<string>`now()`.as('now'),
          'trial_ends_at as trialEndsAt',
          'plan_ends_at as planEndsAt',
          'paid_ends_at as paidEndsAt',
          sql<boolean>`exists (select from plans where not standard)`.as('hasTariff'),
        ])
        .whereRef('companies.id', '=', 'users.company_id'),
    ).as('company'),
  ]);
}

type Row = Awaited<ReturnType<ReturnType<typeof selectUsers>['executeTakeFirstOrThrow']>>;
const present = ({ invited, invitedUntil, company, ...row }: Row): User => ({
  ...row,
  roles: row.roles.map((value) => ({ value })),
  company: company && shownOf(company),
  invitation: invited ? { expiresAt: invitedUntil } : null,
});
const shownOf = ({
  id,
  companyName,
  companySite,
  secondFactorRequired,
  confirmed,
}: NonNullable<Row['company']>) => ({ id, companyName, companySite, secondFactorRequired, confirmed });

/** The actor's own account. */
export async function findSelf(db: Db, actor: Actor): Promise<User> {
  const row = await selectUsers(db).where('users.id', '=', actor.userId).executeTakeFirst();
  if (row === undefined) throw new AppError('unauthorized');
  const self = present(row);
  if (self.company === null || row.company === null || !actor.roles.includes('CREATOR')) return self;
  const { hasTariff, ...ends } = row.company;
  return { ...self, company: { ...self.company, hasTariff, ending: await findEnding(db, ends.id, ends) } };
}

/** @throws AppError not_found, also for another company's user */
export function findUser(db: Db, actor: Actor, id: number): Promise<User> {
  return run(db, readUser(db, actor, id));
}

function readUser(db: Db, actor: Actor, id: number): Statement<User> {
  const query = selectUsers(db).where('users.id', '=', id).where(managedBy(actor, 'users.company_id'));
  return statement(query.compile(), ([row]) => present(found(row)));
}

/** The text that a search matches, with U+0451 replaced by U+0435. The index `users_text_trgm` has the same expression. */
const userText = sql<string>`translate(users.name || ' ' || users.surname || ' ' || users.email::text,
  U&'\\0451\\0401', U&'\\0435\\0415')`;

/** @param companyId null lists the users of every company */
export async function listUsers(
  db: Db,
  companyId: number | null,
  query: ListQuery,
): Promise<{ rows: User[]; count: number }> {
  const users = selectUsers(db).where(
    contains([userText], query.name?.replace(/\u0451/gi, '\u0435'), companyId === null),
  );
  const matching = companyId === null ? users : users.where('users.company_id', '=', companyId);
  const { rows, count } = await readList(matching, query, sql.ref('users.id'));
  return { rows: rows.map(present), count };
}

/**
 * Creates agents with the same credentials and policies: all or none, in as many round trips as one agent takes.
 * @throws AppError email_taken, too_many_objects, or bad_input for a policy of another company
 */
export async function createUsers(
  tx: Tx,
  actor: Member,
  people: readonly Person[],
  { politics, ...credentials }: { politics: readonly number[]; passwordHash: string; invited?: boolean },
): Promise<User[]> {
  const users = people.map((person) => ({ ...person, ...credentials, role: 'USER' as const }));
  const { companyId } = actor;
  const ids = await insertUsers(tx, companyId, users, 'unauthorized');
  await pipeline<void[]>(tx, ...ids.map((id) => linkPolicies(tx, companyId, id, politics)));
  return recordCreated(tx, actor, ids);
}

/** @throws AppError email_taken, with the addresses that have an account: all of the company, and at most `most` others */
export async function refuseTaken(
  db: Db,
  { companyId }: Member,
  emails: readonly string[],
  most: number,
): Promise<void> {
  const columns = ['email', 'company_id'] as const;
  const taken = await db.selectFrom('users').select(columns).where('email', 'in', emails).execute();
  if (taken.length === 0) return;
  const own = taken.filter(({ company_id }) => company_id === companyId);
  const others = taken.filter(({ company_id }) => company_id !== companyId).slice(0, most);
  const addresses = [...own, ...others].map(({ email }) => shownEmails(email)).join(', ');
  throw new AppError('email_taken', { fields: { emails: ['emails_taken', addresses] } });
}

/** Counts the addresses that have an account outside the actor's company. */
export async function countTaken(db: Db, { companyId }: Actor, emails: readonly string[]): Promise<number> {
  const { count } = await db
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('email', 'in', emails)
    .where('company_id', 'is distinct from', companyId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * Finds a user who has an invitation and no password yet.
 * @throws AppError not_found, also for another company's user; already_joined; protected_user for an owner or ADMIN
 */
export async function findInvited(db: Db, actor: Member, id: number): Promise<User> {
  const user = await findUser(db, actor, id);
  // An account that is an owner and an ADMIN finds users of other companies too.
  if (user.company?.id !== actor.companyId) throw new AppError('not_found');
  if (user.invitation === null) throw new AppError('already_joined');
  // The link opens the account, and a new password of an owner needs more than a session.
  if (isProtected(user.roles.map(({ value }) => value))) throw new AppError('protected_user');
  return user;
}

/** Creates an owner of any company, on behalf of an admin. @throws AppError not_found, email_taken, too_many_objects */
export async function createOwner(
  tx: Tx,
  actor: Actor,
  companyId: number,
  body: InvitedUser,
  passwordHash: string,
): Promise<User> {
  const owner = { ...body, passwordHash, role: 'CREATOR' as const };
  const ids = await insertUsers(tx, companyId, [owner], 'not_found');
  return found((await recordCreated(tx, actor, ids))[0]);
}

/** Creates an ADMIN of the platform, outside every company. @throws AppError email_taken, too_many_objects */
export async function createAdmin(
  tx: Tx,
  actor: Actor,
  body: InvitedUser,
  passwordHash: string,
): Promise<User> {
  const admin = { ...body, passwordHash, role: 'ADMIN' as const };
  const ids = await insertUsers(tx, null, [admin], 'not_found');
  return found((await recordCreated(tx, actor, ids))[0]);
}

async function recordCreated(tx: Tx, actor: Actor, ids: readonly number[]): Promise<User[]> {
  const users = await pipeline<User[]>(tx, ...ids.map((id) => readUser(tx, actor, id)));
  const created = (user: User) =>
    ({ ...auditTarget(user), action: 'created', after: auditFields(user) }) as const;
  await record(tx, actor, ...users.map(created));
  return users;
}

/** @throws AppError email_taken, too_many_objects */
async function insertUsers(
  tx: Tx,
  companyId: number | null,
  users: readonly (Person & { passwordHash: string; invited?: boolean; role: Role })[],
  missing: 'unauthorized' | 'not_found',
): Promise<number[]> {
  await makeRoom(tx, 'users', companyId, missing, { rows: users.length });
  const rows = users.map(({ email, name, surname, passwordHash, invited = false, role }) => ({
    ...{ company_id: companyId, email, name, surname },
    ...{ password_hash: passwordHash, invited, roles: [role] },
  }));
  const inserted = await refusing(
    { users_email_key: emailTaken },
    tx.insertInto('users').values(rows).returning('id').execute(),
  );
  return inserted.map(({ id }) => id);
}

/**
 * Edits a user. A new password or email ends the user's sessions, gateway tokens and mail links, and sends a notice to the address
 * before the change.
 * @throws AppError not_found; changed_meanwhile; protected_user for password or email of a CREATOR or ADMIN; email_taken;
 *   bad_input
 */
export async function updateUser(
  tx: Tx,
  actor: Actor,
  id: number,
  body: UserChange,
  {
    passwordHash,
    ifMatch,
    tell,
  }: { passwordHash: string | undefined; ifMatch: IfMatch; tell: Tell | undefined },
): Promise<User> {
  return changeEntity(tx, actor, userEntity, { id, ifMatch }, (user) => {
    if (passwordHash !== undefined && isProtected(user.roles)) {
      throw new AppError('protected_user', {
        detail: ['password_of_owner'],
      });
    }
    const moved = body.email !== undefined && body.email.toLowerCase() !== user.email.toLowerCase();
    // Password links go to this address, so a change of it can take over the account. Owners and admins confirm a new
    // address of their own through a link in mail.
    if (moved && isProtected(user.roles) && !(isAdmin(actor) && id !== actor.userId)) {
      throw new AppError('protected_user', {
        detail: ['email_of_owner'],
      });
    }
    const { politics } = body;
    if (politics !== undefined && user.company_id === null) throw new AppError('no_company');
    // The new address may belong to another user, so the sessions of the previous holder end.
    const endSessions = async () => {
      await (passwordHash === undefined ? endAccess(tx, id) : setPassword(tx, id, passwordHash));
      await tell?.(tx, moved ? { what: 'email', newEmail: body.email } : { what: 'password' });
    };
    return {
      set: {
        ...(body.name !== undefined && { name: body.name }),
        ...(body.surname !== undefined && { surname: body.surname }),
        ...(body.email !== undefined && { email: body.email }),
      },
      refusals: { users_email_key: emailTaken },
      links:
        politics === undefined || user.company_id === null
          ? []
          : [linkPolicies(tx, user.company_id, id, politics)],
      afterUpdate: passwordHash !== undefined || moved ? endSessions : undefined,
      secret: passwordHash === undefined ? undefined : 'password',
    };
  });
}

/** @throws AppError not_found, changed_meanwhile, own_account, protected_user */
export function deleteUser(tx: Tx, actor: Actor, id: number, ifMatch: IfMatch): Promise<void> {
  return deleteEntity(tx, actor, userEntity, { id, ifMatch }, ({ roles, company_id: companyId }) => {
    if (id === actor.userId) throw new AppError('own_account');
    if (isProtected(roles)) throw new AppError('protected_user');
    if (companyId === null) return {};
    const links = {
      table: 'policy_users',
      own: 'user_id',
      other: 'policy_id',
      otherTable: 'policies',
    } as const;
    return { beforeDelete: () => touchLinked(tx, { ...links, companyId, ownId: id }) };
  });
}

/** The user as the object of an audit event. */
export function auditTarget({ id, email, company }: User) {
  return { kind: 'user', id, name: email, companyId: company?.id ?? null } as const;
}

/** The fields of a user that the audit compares. */
export const auditFields = ({ name, surname, email, roles, politics }: User): AuditFields => ({
  name,
  surname,
  email,
  roles: roles.map(({ value }) => ({ id: value, name: value })),
  politics,
});

const userEntity: Entity<'users', User> = {
  table: 'users',
  kind: 'user',
  visible: (actor) => managedBy(actor, 'company_id'),
  read: readUser,
  name: ({ email }) => email,
  facts: auditFields,
};

function linkPolicies(tx: Tx, companyId: number, userId: number, ids: readonly number[]): Statement<void> {
  return replaceLinks(tx, {
    table: 'policy_users',
    companyId,
    own: 'user_id',
    ownId: userId,
    other: 'policy_id',
    otherTable: 'policies',
    ids,
    field: 'politics',
  });
}
