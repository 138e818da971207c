import type { AuditField, AuditKind } from '@propusk/contract/audit';
import { keptName } from '@propusk/contract/shown-text';
import {
  type CompiledQuery,
  type Expression,
  type Selectable,
  type SqlBool,
  sql,
  type Updateable,
} from 'kysely';
import { type AuditFields, record } from '../audit/store.ts';
import type { Actor } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { expectVersion, type IfMatch } from '../core/versions.ts';
import { lockCompanyOf, type Owned } from '../db/company.ts';
import type { Tx } from '../db/open.ts';
import { pipeline, run, type Statement, statement } from '../db/pipeline.ts';
import type { Tables } from '../db/schema.ts';
import { ofCompany } from '../db/scope.ts';
import { refusing } from '../db/violations.ts';

/** An entity of a company or of the platform, for the write protocol. `View` is its form in replies. */
export interface Entity<T extends Owned, View> {
  readonly table: T;
  readonly kind: AuditKind;
  /** The rows that the actor may change. */
  visible(actor: Actor): Expression<SqlBool>;
  read(tx: Tx, actor: Actor, id: number): Statement<View>;
  /** The name in the audit. */
  name(view: View): string;
  /** The fields that the audit log compares before and after the change. */
  facts(view: View): AuditFields;
}

/** The row to change, and the version that the caller expects. */
interface Target {
  readonly id: number;
  readonly ifMatch: IfMatch;
}

/** The writes of an edit. */
interface Change<T extends Owned> {
  readonly set: Updateable<Tables[T]>;
  /** The errors of database constraints, by name. */
  readonly refusals?: Record<string, () => Error>;
  /** Statements that replace the row's links to other entities. */
  readonly links?: readonly Statement<void>[];
  /** Further writes. */
  readonly afterUpdate?: (() => Promise<void>) | undefined;
  /** A secret that the edit sets. The audit names the field without its value. */
  readonly secret?: AuditField | undefined;
}

type Row<T extends Owned> = Selectable<Tables[T]> & { version: number; company_id: number | null };

/**
 * Edits an entity: lock the company, lock the row, check the version, update, read, audit.
 * @param plan decides on the writes under the lock; throws to refuse
 * @returns the entity after the edit
 * @throws AppError not_found, changed_meanwhile, and what `plan` and `refusals` throw
 */
export async function changeEntity<T extends Owned, View>(
  tx: Tx,
  actor: Actor,
  entity: Entity<T, View>,
  target: Target,
  plan: (row: Row<T>) => Change<T> | Promise<Change<T>>,
): Promise<View> {
  const { id } = target;
  const { row, view: before } = await lockAndRead(tx, actor, entity, target);
  const { set, refusals = {}, links = [], afterUpdate, secret } = await plan(row);
  const entries = Object.entries(set).map(([column, given]) => {
    const stored: unknown = row[column as keyof typeof row];
    const isText = typeof given === 'string' && typeof stored === 'string';
    return [column, isText ? keptName(given, stored) : given];
  });
  const assigned = {
    ...Object.fromEntries(entries),
    version: row.version + 1,
    updated_at: sql<string>`now()`,
  };
  const update = tx
    .updateTable(entity.table as 'sites')
    .set(assigned as unknown as Updateable<Tables['sites']>)
    .where('id', '=', id)
    .where(ofCompany(row.company_id));
  const writes = [done(update.compile()), ...links];
  const read = entity.read(tx, actor, id);
  let after: View;
  if (afterUpdate === undefined) {
    const results = await refusing(refusals, pipeline<[...void[], View]>(tx, ...writes, read));
    after = results.at(-1) as View;
  } else {
    await refusing(refusals, pipeline<void[]>(tx, ...writes));
    await afterUpdate();
    after = await run(tx, read);
  }
  await record(tx, actor, {
    action: 'changed',
    kind: entity.kind,
    id,
    name: entity.name(before),
    companyId: row.company_id,
    before: entity.facts(before),
    after: entity.facts(after),
    secret,
  });
  return after;
}

/** The additional parts of a deletion. */
interface Deletion {
  /** Fields for the audit that the entity's own view lacks. */
  readonly facts?: AuditFields;
  readonly refusals?: Record<string, () => Error>;
  /** Writes before the deletion, such as new versions of the rows that list the entity. */
  readonly beforeDelete?: () => Promise<void>;
}

/**
 * Deletes an entity by the same protocol as `changeEntity`.
 * @throws AppError not_found, changed_meanwhile, and what `plan` and `refusals` throw
 */
export async function deleteEntity<T extends Owned, View>(
  tx: Tx,
  actor: Actor,
  entity: Entity<T, View>,
  target: Target,
  plan: (row: Row<T>) => Deletion | Promise<Deletion> = () => ({}),
): Promise<void> {
  const { id } = target;
  const { row, view: gone } = await lockAndRead(tx, actor, entity, target);
  const { facts = {}, refusals = {}, beforeDelete } = await plan(row);
  const { kind } = entity;
  await record(tx, actor, {
    action: 'deleted',
    kind,
    id,
    name: entity.name(gone),
    companyId: row.company_id,
    before: { ...entity.facts(gone), ...facts },
  });
  await beforeDelete?.();
  await refusing(
    refusals,
    tx
      .deleteFrom(entity.table as 'sites')
      .where('id', '=', id)
      .where(ofCompany(row.company_id))
      .execute(),
  );
}

/** Records the audit events of created entities. */
export async function recordCreated<T extends Owned, View extends { readonly id: number }>(
  tx: Tx,
  actor: Actor,
  entity: Entity<T, View>,
  companyId: number | null,
  ...views: readonly View[]
): Promise<void> {
  const { kind } = entity;
  const events = views.map((view) => ({
    action: 'created' as const,
    kind,
    id: view.id,
    name: entity.name(view),
    companyId,
    after: entity.facts(view),
  }));
  await record(tx, actor, ...events);
}

/** Locks a row like `lockRow`, and reads its view. */
async function lockAndRead<T extends Owned, View>(
  tx: Tx,
  actor: Actor,
  { table, visible, read }: Entity<T, View>,
  { id, ifMatch }: Target,
): Promise<{ row: Row<T>; view: View }> {
  const locks = lockStatements(tx, table, id, visible(actor), ifMatch);
  const [, row, view] = await pipeline<[void, Row<T>, View]>(tx, ...locks, read(tx, actor, id));
  return { row, view };
}

/**
 * Locks a row for a change, and its company before it, in the order of every write.
 * @param visible the condition of rows that the actor may change
 * @throws AppError not_found, also for another company's row; changed_meanwhile
 */
export async function lockRow<T extends Owned>(
  tx: Tx,
  table: T,
  id: number,
  visible: Expression<SqlBool>,
  ifMatch: IfMatch,
): Promise<Row<T>> {
  const [, row] = await pipeline<[void, Row<T>]>(tx, ...lockStatements(tx, table, id, visible, ifMatch));
  return row;
}

function lockStatements<T extends Owned>(
  tx: Tx,
  table: T,
  id: number,
  visible: Expression<SqlBool>,
  ifMatch: IfMatch,
): [Statement<void>, Statement<Row<T>>] {
  // Two statements: a statement that waits for a lock keeps its earlier snapshot and would read the old row. All four tables
  // have these columns, but the query builder cannot express their union.
  const lock = tx
    .selectFrom(table as 'proxies')
    .selectAll()
    .where('id', '=', id)
    .where(visible)
    .forNoKeyUpdate();
  const locked = statement(lock.compile(), ([row]) => {
    if (row === undefined) throw new AppError('not_found');
    expectVersion(ifMatch, row.version);
    return row as unknown as Row<T>;
  });
  return [lockCompanyOf(tx, table, id, visible), locked];
}

/** A write without a result. */
const done = (query: CompiledQuery): Statement<void> => statement(query, () => undefined);
