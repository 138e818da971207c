import type { AuditKind } from '@propusk/contract/audit';
import type { ErrorCode } from '@propusk/contract/errors';
import type { ListQuery } from '@propusk/contract/fields';
import { limits } from '@propusk/contract/limits';
import {
  type Expression,
  type RawBuilder,
  type SelectExpression,
  type Selection,
  type SqlBool,
  sql,
} from 'kysely';
import type { AuditFields } from '../audit/store.ts';
import { type Actor, type Member, type Scope, scopeById, scopeOfWrite } from '../core/actor.ts';
import { found } from '../core/errors.ts';
import { contains, every, readList } from '../db/list.ts';
import type { Db } from '../db/open.ts';
import { run, type Statement, statement } from '../db/pipeline.ts';
import type { EntityTable, Tables } from '../db/schema.ts';

/** Describes an entity for the functions that read, list and write it. `View` is the form of the entity in replies. */
export interface Entity<T extends EntityTable, View> {
  readonly table: T;
  readonly kind: AuditKind;
  /** The columns of a reply. No alias may equal the name of another column of the table: `lockRow` also selects all columns. */
  columns(actor: Actor): readonly SelectExpression<Tables, T>[];
  /** Converts a row of the selected columns to a reply. */
  present(row: never, actor: Actor): View;
  /** The SQL condition for the rows that the actor may access. The scope of a read can be wider than that of a write. */
  sees(actor: Actor, scope: Scope): Expression<SqlBool>;
  /** The SQL condition of the filters of a list. A filter by something that the actor may not see matches no row. */
  filter?(actor: Actor, query: never): Expression<SqlBool>;
  /** The columns that a search of a list matches. */
  readonly search?: readonly (string | RawBuilder<string>)[];
  /** The error code of a row that may not be deleted; null for other rows. */
  readonly keeps?: ((row: never, actor: Actor) => ErrorCode | null) | undefined;
  /** The sort key of lists; the default is the id. */
  readonly order?: RawBuilder<unknown>;
  /** The name of the entity in audit events. */
  name(view: View): string;
  /** The fields that the audit compares before and after a change. */
  facts(view: View): AuditFields;
}

/** Defines an entity. The type of the rows passed to `present` is inferred from `columns`. */
export function entity<T extends EntityTable, S extends SelectExpression<Tables, T>, View>(
  described: Omit<Entity<T, View>, 'columns' | 'present'> & {
    columns(actor: Actor): readonly S[];
    present(row: Selection<Tables, T, S>, actor: Actor): View;
  },
): Entity<T, View> {
  return described;
}

/**
 * Selects the rows that the actor may read. The query builder cannot express a union of tables, so the query
 * has the types of the table `sites`.
 */
export function selectEntities<T extends EntityTable, View>(
  db: Db,
  actor: Actor,
  { table, columns, sees }: Entity<T, View>,
  scope: Scope,
) {
  return db
    .selectFrom(table as 'sites')
    .select(columns(actor) as readonly SelectExpression<Tables, 'sites'>[])
    .where(sees(actor, scope));
}

/** Reads entities by id, in the order of their ids. Leaves out absent entities. */
export function readEntities<T extends EntityTable, View>(
  db: Db,
  actor: Actor,
  entity: Entity<T, View>,
  ids: readonly number[],
  scope = scopeOfWrite(actor),
): Statement<View[]> {
  const rows = selectEntities(db, actor, entity, scope)
    .where(hasId(entity, ids))
    .orderBy(sql.ref(`${entity.table}.id`));
  return statement(rows.compile(), (read) => read.map((row) => entity.present(row as never, actor)));
}

/** SQL condition for the rows of an entity with the given ids. */
export function hasId(
  { table }: { readonly table: EntityTable },
  ids: readonly number[],
): Expression<SqlBool> {
  const id = sql.ref(`${table}.id`);
  // A single id is compared with `=`. With `= any`, PostgreSQL may choose a plan that reads the rows of every company.
  return ids.length === 1 ? sql<SqlBool>`${id} = ${ids[0]}` : sql<SqlBool>`${id} = any(${ids})`;
}

/** @throws AppError not_found, also for another company's entity */
export async function findEntity<T extends EntityTable, View>(
  db: Db,
  actor: Actor,
  entity: Entity<T, View>,
  id: number,
): Promise<View> {
  return found((await run(db, readEntities(db, actor, entity, [id], scopeById(actor))))[0]);
}

/** Lists the entities of a scope that match a query. */
export async function listEntities<T extends EntityTable, View>(
  db: Db,
  actor: Actor,
  entity: Entity<T, View>,
  scope: Scope,
  query: ListQuery,
): Promise<{ rows: View[]; count: number }> {
  const { table, search = [], order = sql.ref(`${table}.id`) } = entity;
  const matching = selectEntities(db, actor, entity, scope)
    .where(contains(search, query.name, scope === 'platform'))
    .where(entity.filter?.(actor, query as never) ?? every());
  const { rows, count } = await readList(matching, query, order);
  return { rows: rows.map((row) => entity.present(row as never, actor)), count };
}

/** Returns the ids of all entities of the actor's company that match a query, in the order of the list. */
export async function listIds<T extends EntityTable, View extends { readonly id: number }>(
  db: Db,
  actor: Member,
  entity: Entity<T, View>,
  query: ListQuery,
): Promise<{ ids: number[] }> {
  const { rows } = await listEntities(db, actor, entity, 'company', { ...query, take: limits.list });
  return { ids: rows.map(({ id }) => id) };
}
