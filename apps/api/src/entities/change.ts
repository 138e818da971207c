import type { AuditField, AuditKind } from '@propusk/contract/audit';
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
import { refusing } from '../db/violations.ts';

/** An entity of a company (or of the platform), as the write protocol sees it. `View` is what replies show. */
export interface Entity<T extends Owned, View> {
  readonly table: T;
  readonly kind: AuditKind;
  /** The rows that the actor may change. */
  visible(actor: Actor): Expression<SqlBool>;
  read(tx: Tx, actor: Actor, id: number): Statement<View>;
  /** The name in the audit. */
  name(view: View): string;
  /** The fields that the audit compares. */
  facts(view: View): AuditFields;
}

/** The row to change, and the version that the caller expects. */
interface Target {
  readonly id: number;
  readonly ifMatch: IfMatch;
}

/** What an edit writes. */
interface Change<T extends Owned> {
  readonly set: Updateable<Tables[T]>;
  /** Constraints of the database that stand for refusals. */
  readonly refusals?: Record<string, () => Error>;
  /** The lists that link the row to others, as the edit leaves them. */
  readonly links?: readonly Statement<void>[];
  /** Other writes beside the row. */
  readonly afterUpdate?: (() => Promise<void>) | undefined;
  /** A secret that is set anew. The audit names the field without its value. */
  readonly secret?: AuditField | undefined;
}

type Row<T extends Owned> = Selectable<Tables[T]> & { version: number; company_id: number | null };

/**
 * Edits an entity: lock the company, lock the row, check the version, update, read, audit.
 * @param plan decides under the lock what is written; throws to refuse
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
  const assigned = { ...set, version: row.version + 1, updated_at: sql<string>`now()` };
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

/** What the deletion of an entity takes along. */
interface Deletion {
  /** Fields for the audit that the entity's own view lacks. */
  readonly facts?: AuditFields;
  readonly refusals?: Record<string, () => Error>;
  /** Writes before the row goes, such as new versions of the rows that list it. */
  readonly beforeDelete?: () => Promise<void>;
}

/**
 * Deletes an entity, by the same protocol.
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

/** Reads entities that were just created, and records them. */
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

/** Locks a row as `lockRow` does, and reads its view. */
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
 * @param visible whether the actor may change the row at all
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
  // Two statements: a statement keeps the snapshot from before it waited for a lock, so it would read the old row. Each of the
  // four tables has the columns; the query builder cannot express their union.
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

/** A write whose rows mean nothing. */
const done = (query: CompiledQuery): Statement<void> => statement(query, () => undefined);

function ofCompany(companyId: number | null): Expression<SqlBool> {
  return sql<SqlBool>`company_id is not distinct from ${companyId}`;
}
