import type { AuditAction, AuditField, AuditKind, AuditQuery, AuditRow } from '@propusk/contract/audit';
import { plainAddress } from '@propusk/overload/networks';
import { sql } from 'kysely';
import { type Actor, admit, asMember, scopeOf } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { countBytes } from '../db/daily-bytes.ts';
import { contains, readList } from '../db/list.ts';
import type { Db, Tx } from '../db/open.ts';
import { differences, type Facts } from './changes.ts';

export type { Facts };

/** Whose deed it is, and the address that it came from. */
export type Doer = Pick<Actor, 'userId' | 'address'>;

/** A deed: what was done to which object, as people know it. */
export interface Deed {
  readonly action: AuditAction;
  readonly kind: AuditKind;
  readonly id: number;
  /** A site's address, a person's email, a policy's or company's name, a proxy's host and port. */
  readonly name: string;
  /** Whose object it is; null: the platform's. */
  readonly companyId: number | null;
}

/** What differs: the object before, where it was there, and after, where it still is. */
export interface Difference {
  readonly before?: Facts;
  readonly after?: Facts;
  /** What was set anew and is never told. */
  readonly secret?: AuditField | undefined;
}

/**
 * Writes down what an actor does, in the transaction of the change: before an object is removed, after it is made. Doer and
 * company are told as they are called at that moment. An edit after which nothing differs is none.
 * @throws AppError unauthorized when the doer is gone meanwhile: what nobody did is not done; too_many_requests when the doer
 *   has used up the day's bytes
 */
export async function record(tx: Tx, by: Doer, ...deeds: readonly (Deed & Difference)[]): Promise<void> {
  const told = deeds
    .map(({ before, after, secret, ...deed }, place) => ({
      ...deed,
      place,
      changes: { ...differences(before ?? {}, after ?? {}), ...(secret !== undefined && { [secret]: {} }) },
    }))
    .filter(({ action, changes }) => action !== 'changed' || Object.keys(changes).length > 0);
  if (told.length === 0) return;
  await countBytes(tx, by.userId, told);
  const { rows } = await sql<{ one: number }>`
    insert into audit (company_id, company, actor_id, actor_name, actor_email, actor_roles, address,
      action, object_kind, object_id, object_name, changes)
    select d."companyId", coalesce(c.company_name, ''), u.id, trim(u.name || ' ' || u.surname), u.email::text, u.roles,
      ${plainAddress(by.address)}, d.action, d.kind, d.id, d.name, d.changes
    from jsonb_to_recordset(${JSON.stringify(told)}::jsonb) as d (place int, action text, kind text, id bigint, name text,
        "companyId" bigint, changes jsonb)
      join users u on u.id = ${by.userId} left join companies c on c.id = d."companyId"
    order by d.place returning 1 as one`.execute(tx);
  if (rows.length !== told.length) throw new AppError('unauthorized');
}

/** Writes down what a person does to the own account. */
export async function recordOwn(
  tx: Tx,
  by: Doer,
  action: AuditAction,
  difference: Difference = {},
): Promise<void> {
  const { email, company_id: companyId } = await tx
    .selectFrom('users')
    .select(['email', 'company_id'])
    .where('id', '=', by.userId)
    .executeTakeFirstOrThrow(() => new AppError('unauthorized'));
  await record(tx, by, { action, kind: 'user', id: by.userId, name: email, companyId, ...difference });
}

/**
 * What was done in the actor's company, for an admin anywhere: newest first, always a page.
 * @throws AppError forbidden, no_company
 */
export async function listAudit(
  db: Db,
  actor: Actor,
  { from, to, of, ...query }: AuditQuery,
): Promise<{ rows: AuditRow[]; count: number }> {
  if (of === 'platform') admit(actor, ['ADMIN']);
  const everywhere = (of ?? scopeOf(actor)) === 'platform';
  const matching = db
    .selectFrom('audit')
    .selectAll()
    .$if(!everywhere, (rows) => rows.where('company_id', '=', asMember(actor).companyId))
    .$if(from !== undefined, (rows) => rows.where('at', '>=', startOf(from ?? '')))
    .$if(to !== undefined, (rows) => rows.where('at', '<', endOf(to ?? '')))
    .where(contains(everywhere ? ['audit.words', 'audit.company'] : ['audit.words'], query.name));
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
      object: { kind: row.object_kind, id: row.object_id, name: row.object_name },
      changes: row.changes,
    })),
  };
}

const DAY_MS = 86_400_000;
const isDay = (moment: string) => moment.length === 'YYYY-MM-DD'.length;

// The day that a person picks is one in Moscow, where the product's people are; it has known no other hour since 2014.
function startOf(moment: string): string {
  return new Date(isDay(moment) ? `${moment}T00:00:00+03:00` : moment).toISOString();
}

/** The first moment that is not in the period any more. */
function endOf(moment: string): string {
  if (!isDay(moment)) return startOf(moment);
  return new Date(Date.parse(startOf(moment)) + DAY_MS).toISOString();
}
