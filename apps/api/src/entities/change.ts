import type { AuditField } from '@propusk/contract/audit';
import { keptName } from '@propusk/contract/shown-text';
import {
  type CompiledQuery,
  type Insertable,
  type InsertObject,
  type Selectable,
  sql,
  type Updateable,
  type UpdateObject,
} from 'kysely';
import { type AuditEvent, type AuditFields, type Difference, record, recording } from '../audit/store.ts';
import { type Actor, type Member, scopeOfWrite } from '../core/actor.ts';
import { AppError, refuseFaults } from '../core/errors.ts';
import { expectVersion, type Target } from '../core/versions.ts';
import { companyLock, lockCompanyOf } from '../db/company.ts';
import { type LinkedIds, linksOf, setEnds, setLinks } from '../db/links.ts';
import type { Tx } from '../db/open.ts';
import { pipeline, run, type Statement, statement } from '../db/pipeline.ts';
import type { EntityTable, Tables } from '../db/schema.ts';
import { refusing } from '../db/violations.ts';
import { type Entity, hasId, readEntities, selectEntities } from './entity.ts';

/** The error to throw for each violated database constraint, by the name of the constraint. */
type Refusals = Record<string, () => Error>;

/** Returns the prefix that errors use for the fields of a list entry, such as `people.3.`. */
export type PathOf = (at: number) => string;

interface Change<T extends EntityTable> {
  /** The new values. A column with the value undefined stays unchanged. */
  readonly set: UpdateObject<Tables, T>;
  readonly refusals?: Refusals;
  /** The ids of the entities to link. They replace the current links. */
  readonly links?: LinkedIds;
  readonly afterUpdate?: (() => Promise<void>) | undefined;
  /** A secret that the edit sets. The audit names the field without its value. */
  readonly secret?: AuditField | undefined;
  /** Audit events of other entities that the edit changes. */
  readonly events?: readonly (AuditEvent & Difference)[];
}

type Row<T extends EntityTable> = Selectable<Tables[T]> & { readonly id: number };

/**
 * Edits an entity: locks its company and its row, checks its version, updates and reads it, and writes the audit event.
 * @param plan decides on the change while the locks are held; returns null to change nothing, and throws to refuse
 * @param lookup a statement that is sent with the locks; `plan` gets its result
 * @returns the entity after the edit
 * @throws AppError not_found, changed_meanwhile, and what `plan` and `refusals` throw
 */
export async function changeEntity<T extends EntityTable, View, Found = undefined>(
  tx: Tx,
  actor: Actor,
  entity: Entity<T, View>,
  target: Target,
  plan: (row: Row<T>, found: Found, before: View) => Change<T> | null | Promise<Change<T> | null>,
  lookup?: Statement<Found>,
): Promise<View> {
  const { id } = target;
  const lock = lockStatements(tx, actor, entity, target);
  const [, row, found] = await pipeline<[void, Row<T>, Found]>(
    tx,
    ...(lookup === undefined ? (lock as never) : ([...lock, lookup] as const)),
  );
  const before = entity.present(row as never, actor);
  const change = await plan(row, found, before);
  if (change === null) return before;
  const { set, refusals = {}, afterUpdate, secret, events = [] } = change;
  const kept = Object.entries(set).map(([column, given]) => {
    const stored: unknown = row[column as keyof typeof row];
    const isText = typeof given === 'string' && typeof stored === 'string';
    return [column, isText ? keptName(given, stored) : given];
  });
  const assigned = { ...Object.fromEntries(kept), version: sql`version + 1`, updated_at: sql`now()` };
  const update = tx
    .updateTable(entity.table as 'sites')
    .set(assigned as Updateable<Tables['sites']>)
    .where('id', '=', id)
    .where(entity.sees(actor, scopeOfWrite(actor)));
  const writes = [
    done(update.compile()),
    ...linkStatements(tx, entity, companyOf(entity, row), [id], [change.links ?? {}]),
  ];
  // The read is a separate statement, so that it returns values that a trigger of the update writes, such as
  // the verdict of a site.
  const read = readEntities(tx, actor, entity, [id]);
  let views: View[];
  if (afterUpdate === undefined) {
    const results = await refusing(refusals, pipeline<[...void[], View[]]>(tx, ...writes, read));
    views = results.at(-1) as View[];
  } else {
    await refusing(refusals, pipeline<void[]>(tx, ...writes));
    await afterUpdate();
    views = await run(tx, read);
  }
  const after = views[0] as View;
  const event = {
    ...{ action: 'changed' as const, kind: entity.kind, id, companyId: companyOf(entity, row) },
    // The event has the old name of a renamed entity, but the new name of a company, as in the event's column `company`.
    name: entity.name(entity.table === 'companies' ? after : before),
    before: entity.facts(before),
    after: entity.facts(after),
    secret,
  };
  await record(tx, actor, event, ...events);
  return after;
}

interface Deletion {
  /** Fields of the audit event in addition to the fields of the entity's view. */
  readonly facts?: AuditFields;
  readonly refusals?: Refusals;
  /** Statements that run before the deletion. */
  readonly first?: readonly Statement<void>[];
}

/**
 * Deletes an entity: locks its company and its row, checks its version, writes the audit event and deletes
 * the row. Raises the version of linked entities.
 * @throws AppError not_found, changed_meanwhile, the code of a row that must stay, and what `plan` and `refusals` throw
 */
export async function deleteEntity<T extends EntityTable, View>(
  tx: Tx,
  actor: Actor,
  entity: Entity<T, View>,
  target: Target,
  plan: (row: Row<T>) => Deletion | Promise<Deletion> = () => ({}),
): Promise<void> {
  const row = await lockRow(tx, actor, entity, target);
  const code = entity.keeps?.(row as never, actor) ?? null;
  if (code !== null) throw new AppError(code);
  await removeRows(tx, actor, entity, [row], await plan(row));
}

/**
 * Deletes several entities of the actor's company as `deleteEntity` does: all of them or none. The number of round trips does not
 * depend on the number of entities.
 * @param actor the actor without the role ADMIN (`asOwner`)
 * @throws AppError bad_input that names each absent row, and each row that must stay, by its index (`ids.3`)
 */
export async function deleteEntities<T extends EntityTable, View>(
  tx: Tx,
  actor: Member,
  entity: Entity<T, View>,
  ids: readonly number[],
): Promise<void> {
  const rows = await lockRows(tx, actor, entity, ids);
  // Bounded: the map exists for one call, and holds at most one entry for each of `ids`
  const byId = new Map(rows.map((row) => [row.id, row]));
  refuseFaults('bad_input', ids, (id, at) => {
    const row = byId.get(id);
    const code = row === undefined ? 'not_found' : (entity.keeps?.(row as never, actor) ?? null);
    return code === null ? null : [`ids.${at}`, ['row_refused', code]];
  });
  await removeRows(tx, actor, entity, rows, {});
}

/** Deletes locked rows of one company, and writes one audit event for each row. */
async function removeRows<T extends EntityTable, View>(
  tx: Tx,
  actor: Actor,
  entity: Entity<T, View>,
  rows: readonly Row<T>[],
  { facts = {}, refusals = {}, first = [] }: Deletion,
): Promise<void> {
  const ids = rows.map(({ id }) => id);
  const companyId = rows[0] === undefined ? null : companyOf(entity, rows[0]);
  const events = rows.map((row) => {
    const gone = entity.present(row as never, actor);
    const before = { ...entity.facts(gone), ...facts };
    return {
      ...{ action: 'deleted' as const, kind: entity.kind, id: row.id, name: entity.name(gone) },
      ...{ companyId, before },
    };
  });
  const remove = tx
    .deleteFrom(entity.table as 'sites')
    .where(hasId(entity, ids))
    .where(entity.sees(actor, scopeOfWrite(actor)));
  await refusing(
    refusals,
    pipeline(
      tx,
      ...recording(tx, actor, ...events),
      // The links are deleted first: a cascade would delete the links of each entity by a separate statement, and each statement would
      // fire the trigger that raises the policy version.
      ...linkStatements(tx, entity, companyId, ids, [{ politics: [], users: [], sites: [] }]),
      ...first,
      done(remove.compile()),
    ),
  );
}

/**
 * Creates several entities of one company with their links and audit events: all of them or none. The number of round trips does not
 * depend on the number of entities.
 * @param options.linked the entities to link to each of the rows
 * @param options.pathOf returns the prefix of the fields of a row in errors, such as `people.3.`; by default, the fields have no prefix
 * @returns the entities in the order of `rows`
 * @throws AppError what `refusals` and the links throw
 */
export async function createEntities<T extends EntityTable, View extends { readonly id: number }>(
  tx: Tx,
  actor: Actor,
  entity: Entity<T, View>,
  rows: readonly InsertObject<Tables, T>[],
  options: { linked?: readonly LinkedIds[]; refusals?: Refusals; pathOf?: PathOf } = {},
): Promise<View[]> {
  const { linked = [], refusals = {}, pathOf } = options;
  const insert = tx
    .insertInto(entity.table as 'sites')
    .values(rows as unknown as Insertable<Tables['sites']>[])
    .returningAll();
  const created = (await refusing(refusals, insert.execute())) as unknown as Row<T>[];
  const companyId = created[0] ? companyOf(entity, created[0]) : null;
  const ids = created.map(({ id }) => id);
  const read = readEntities(tx, actor, entity, ids);
  const linking = linkStatements(tx, entity, companyId, ids, linked, pathOf);
  const views = (await pipeline<[...void[], View[]]>(tx, ...linking, read)).at(-1) as View[];
  const { kind, name, facts } = entity;
  const events = views.map((view) => ({
    ...{ action: 'created' as const, kind, id: view.id, name: name(view), companyId },
    after: facts(view),
  }));
  await record(tx, actor, ...events);
  return views;
}

/**
 * Locks a row for a change. Locks the company of the row first, because all writes take their locks in this order.
 * @returns the row, with the columns of the entity
 * @throws AppError not_found for an absent row or another company's row; changed_meanwhile when `target` expects another version
 */
export async function lockRow<T extends EntityTable, View>(
  tx: Tx,
  actor: Actor,
  entity: Entity<T, View>,
  target: Target,
): Promise<Row<T>> {
  return (await pipeline<[void, Row<T>]>(tx, ...lockStatements(tx, actor, entity, target)))[1];
}

/**
 * Locks rows of the actor's company for a change, and the company first.
 * @param actor the actor without the role ADMIN (`asOwner`)
 * @returns the rows that exist, in the order of their ids
 */
export async function lockRows<T extends EntityTable, View>(
  tx: Tx,
  actor: Member,
  entity: Entity<T, View>,
  ids: readonly number[],
): Promise<Row<T>[]> {
  const lock = selectForUpdate(tx, actor, entity, ids);
  const locked = statement(lock.compile(), (rows) => rows as unknown as Row<T>[]);
  return (await pipeline<[void, Row<T>[]]>(tx, companyLock(tx, actor.companyId, 'unauthorized'), locked))[1];
}

/** Selects and locks the rows that the actor may change, in the order of their ids. */
function selectForUpdate<T extends EntityTable, View>(
  tx: Tx,
  actor: Actor,
  entity: Entity<T, View>,
  ids: readonly number[],
) {
  return selectEntities(tx, actor, entity, scopeOfWrite(actor))
    .selectAll(entity.table as 'sites')
    .where(hasId(entity, ids))
    .orderBy('id')
    .forNoKeyUpdate();
}

function lockStatements<T extends EntityTable, View>(
  tx: Tx,
  actor: Actor,
  entity: Entity<T, View>,
  { id, ifMatch }: Target,
): [Statement<void>, Statement<Row<T>>] {
  // One statement locks the company, and another statement locks the row. A single statement would take its
  // MVCC snapshot before the wait for the company, and would then read the old row.
  const lock = selectForUpdate(tx, actor, entity, [id]);
  const locked = statement(lock.compile(), ([row]) => {
    if (row === undefined) throw new AppError('not_found');
    expectVersion(ifMatch, row.version);
    return row as unknown as Row<T>;
  });
  return [lockCompanyOf(tx, entity.table, id, entity.sees(actor, scopeOfWrite(actor))), locked];
}

/** @param linked the entities to link to each of `ids`. A field that the first entry lacks changes no links. */
function linkStatements(
  tx: Tx,
  { table }: { readonly table: EntityTable },
  companyId: number | null,
  ids: readonly number[],
  linked: readonly LinkedIds[],
  pathOf: PathOf = () => '',
): Statement<void>[] {
  if (companyId === null) return [];
  const links = linksOf(table).filter(({ field }) => linked[0]?.[field] !== undefined);
  const set = links.map((link) => {
    const pairs = ids.flatMap((id, at) => (linked[at]?.[link.field] ?? []).map((to) => [id, to] as const));
    return setLinks(tx, link, companyId, ids, pairs, (id) => `${pathOf(ids.indexOf(id))}${link.field}`);
  });
  const ends = ids.flatMap((own, at) =>
    (linked[at]?.ends ?? []).map(({ id, until }, place) => ({
      ...(table === 'users' ? { policy: id, user: own } : { policy: own, user: id }),
      ...{ until, path: `${pathOf(at)}ends.${place}` },
    })),
  );
  return ends.length === 0 ? set : [...set, setEnds(tx, companyId, ends)];
}

/** The company of a row; null for a row of the platform. */
export function companyOf<T extends EntityTable>({ table }: { table: T }, row: Row<T>): number | null {
  if (table === 'companies') return row.id;
  return (row as { company_id?: number | null }).company_id ?? null;
}

/** Returns a pipeline statement for a query whose result rows are not needed. */
const done = (query: CompiledQuery): Statement<void> => statement(query, () => undefined);
