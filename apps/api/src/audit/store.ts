import type { AuditAction, AuditField, AuditKind, AuditQuery, AuditRow } from '@propusk/contract/audit';
import { shownEmails } from '@propusk/contract/shown-email';
import { plainAddress } from '@propusk/dial/addresses';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { type Actor, admit, asMember, isAdmin, scopeOf } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { contains, readList } from '../db/list.ts';
import type { Db, Tx } from '../db/open.ts';
import { pipeline, type Statement, statement } from '../db/pipeline.ts';
import type { Tables } from '../db/schema.ts';
import { countBytes, type Spent } from '../throttle/daily-bytes.ts';
import { type AuditFields, type Changes, differences } from './changes.ts';

export type { AuditFields };

/** The user who acts, and the client address of the call. */
export type AuditActor = Pick<Actor, 'userId' | 'address'>;

/** An audit event without its actor: an action, and the object of the action. */
export interface AuditEvent {
  readonly action: AuditAction;
  readonly kind: AuditKind;
  readonly id: number;
  /** The object's display name: site address, user email, policy or company name, or proxy host and port. */
  readonly name: string;
  /** The company that owns the object; null for an object of the platform. */
  readonly companyId: number | null;
}

/** The object's fields before the change (absent for a new object) and after it (absent for a deleted one). */
export interface Difference {
  readonly before?: AuditFields;
  readonly after?: AuditFields;
  /** A changed field whose value must not be stored. */
  readonly secret?: AuditField | undefined;
}

/** An audit event about the actor's own account. `name` and `companyId` are null: the INSERT reads both from the actor's row. */
type OwnEvent = Omit<AuditEvent, 'name' | 'companyId'> & { readonly name: null; readonly companyId: null };

/**
 * Writes audit events in the transaction of the change. An edit that changes no field writes no event. The
 * names of actor and company are read from the database, so call this before a deletion and after a creation.
 * @throws AppError unauthorized when the actor was deleted meanwhile; too_many_requests when the actor's
 *   daily write budget is exhausted
 */
export async function record(
  tx: Tx,
  by: AuditActor,
  ...events: readonly (AuditEvent & Difference)[]
): Promise<void> {
  await pipeline(tx, ...recording(tx, by, ...events));
}

/** Returns the statement that writes audit events, or an empty list when there is no event to write. */
export function recording(
  db: Db,
  by: AuditActor,
  ...events: readonly ((AuditEvent | OwnEvent) & Difference)[]
): Statement<void>[] {
  const written = events
    .map(({ before, after, secret, ...event }, place) => ({
      ...event,
      place,
      changes: { ...differences(before ?? {}, after ?? {}), ...(secret !== undefined && { [secret]: {} }) },
    }))
    .filter(({ action, changes }) => action !== 'changed' || Object.keys(changes).length > 0);
  if (written.length === 0) return [];
  const counted = countBytes(by.userId, written);
  const insert = sql<{
    spent: Spent | null;
  }>`${counted === null ? sql`` : sql`with spent as (${counted.spend})`}
    insert into audit (company_id, company, actor_id, actor_name, actor_email, actor_roles, address,
      action, object_kind, object_id, object_name, changes)
    -- A subquery and not a join: the planner expects 100 events, and a join would scan all companies for them.
    select o.id, coalesce((select company_name from companies where id = o.id), ''), u.id, trim(u.name || ' ' || u.surname),
      u.email::text, u.roles, ${plainAddress(by.address)}, d.action, d.kind, d.id, coalesce(d.name, u.email::text), d.changes
    from jsonb_to_recordset(${JSON.stringify(written)}::jsonb) as d (place int, action text, kind text, id bigint, name text,
        "companyId" bigint, changes jsonb)
      join users u on u.id = ${by.userId}
      cross join lateral (select case when d.name is null then u.company_id else d."companyId" end as id) o
    order by d.place returning ${counted === null ? sql`null` : sql`(select to_json(spent) from spent)`} as spent`;
  const demand = (rows: readonly { spent: Spent | null }[]) => {
    counted?.demand(rows[0]?.spent ?? undefined);
    if (rows.length !== written.length) throw new AppError('unauthorized');
  };
  return [statement(insert.compile(db), demand)];
}

/**
 * Writes an audit event for the actor's first read of an object in a day (UTC). Uses one statement, so that concurrent reads write
 * one event.
 * @param event.name SQL of the object's name; no event is written when this SQL yields null
 */
export async function recordDaily(
  db: Db,
  by: AuditActor,
  { name, action, kind, id, companyId }: Omit<AuditEvent, 'name'> & { readonly name: RawBuilder<unknown> },
): Promise<void> {
  await sql`
    with object as (select c.id, c.company_name as company, ${name} as name from companies c where c.id = ${companyId}),
      first as (
        insert into rate_limits (key, points, expire)
        select concat_ws(':', ${action}::text, ${by.userId}::bigint, ${kind}::text, ${id}::bigint, (now() at time zone 'UTC')::date), 1,
          extract(epoch from now() + interval '1 day') * 1000
        from object where name is not null on conflict (key) do nothing returning 1
      )
    insert into audit (company_id, company, actor_id, actor_name, actor_email, actor_roles, address,
      action, object_kind, object_id, object_name)
    select o.id, o.company, u.id, trim(u.name || ' ' || u.surname), u.email::text, u.roles, ${plainAddress(by.address)},
      ${action}::text, ${kind}::text, ${id}::bigint, o.name
    from first, object o, users u where u.id = ${by.userId}`.execute(db);
}

/** Writes the audit event of a change of the actor's own account. @throws the errors of `record` */
export async function recordOwn(
  tx: Tx,
  by: AuditActor,
  action: AuditAction,
  difference: Difference = {},
): Promise<void> {
  await pipeline(tx, ...recordingOwn(tx, by, action, difference));
}

/** Returns the statements that `recordOwn` runs, for callers that send several statements together. */
export const recordingOwn = (db: Db, by: AuditActor, action: AuditAction, difference: Difference = {}) =>
  recording(db, by, { action, kind: 'user', id: by.userId, name: null, companyId: null, ...difference });

/**
 * Lists one page of audit events, newest first: of the actor's company, or of all companies for an ADMIN.
 * @throws AppError forbidden, no_company
 */
export async function listAudit(
  db: Db,
  actor: Actor,
  { from, to, of, action, ...query }: AuditQuery,
): Promise<{ rows: AuditRow[]; count: number }> {
  if (of === 'platform') admit(actor, ['ADMIN']);
  const everywhere = (of ?? scopeOf(actor)) === 'platform';
  const matching = db
    .selectFrom('audit')
    .selectAll()
    .$if(!everywhere, (rows) => rows.where('company_id', '=', asMember(actor).companyId))
    .$if(action !== undefined, (rows) => rows.where('action', '=', action ?? 'changed'))
    .$if(from !== undefined, (rows) => rows.where('at', '>=', startOf(from ?? '')))
    .$if(to !== undefined, (rows) => rows.where('at', '<', endOf(to ?? '')))
    .where(contains(everywhere ? ['audit.words', 'audit.company'] : ['audit.words'], query.name, everywhere));
  const page = { ...query, page: query.page ?? 1, order: query.order ?? 'DESC' } as const;
  const { rows, count } = await readList(matching, page, sql.ref('audit.at'), sql.ref('audit.id'));
  return {
    count,
    rows: rows.map((row) => ({
      id: row.id,
      at: row.at,
      company: row.company_id === null ? null : { id: row.company_id, name: row.company },
      actor: {
        id: row.actor_id,
        name: row.actor_name,
        email: row.actor_email,
        roles: row.actor_roles.map((value) => ({ value })),
      },
      address: row.address,
      action: row.action,
      object: { kind: row.object_kind, id: row.object_id, name: shownEmails(row.object_name) },
      changes: isAdmin(actor) ? row.changes : withoutAdminsLogin(row),
    })),
  };
}

/**
 * Returns the changes of an audit event for an owner. Removes the user name from an ADMIN's event about a proxy, because owners
 * must not see the user names of paid proxies. Only ADMINs store these names. The event of an edit keeps the field `username`,
 * without values.
 */
function withoutAdminsLogin({
  action,
  actor_roles: roles,
  object_kind: kind,
  changes: { username, ...changes },
}: Pick<Selectable<Tables['audit']>, 'action' | 'actor_roles' | 'object_kind' | 'changes'>): Changes {
  if (username === undefined) return changes;
  if (kind !== 'proxy' || !roles.includes('ADMIN')) return { username, ...changes };
  return action === 'changed' ? { ...changes, username: {} } : changes;
}

const DAY_MS = 86_400_000;
const isDay = (moment: string) => moment.length === 'YYYY-MM-DD'.length;

// A date is a day in Moscow (ADR 011), which has been at UTC+3 since 2014.
function startOf(moment: string): string {
  return new Date(isDay(moment) ? `${moment}T00:00:00+03:00` : moment).toISOString();
}

function endOf(moment: string): string {
  if (!isDay(moment)) return startOf(moment);
  return new Date(Date.parse(startOf(moment)) + DAY_MS).toISOString();
}
