import type { AuditField, AuditKind } from '@propusk/contract/audit';
import { type Expression, type Selectable, type SqlBool, sql, type Updateable } from 'kysely';
import { type AuditFields, record } from '../audit/store.ts';
import type { Actor } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { expectVersion, type IfMatch } from '../core/versions.ts';
import { lockCompanyOf, type Owned } from '../db/company.ts';
import type { Tx } from '../db/open.ts';
import type { Tables } from '../db/schema.ts';
import { refusing } from '../db/violations.ts';

/** An entity of a company (or of the platform), as the write protocol sees it. `View` is what replies show. */
export interface Entity<T extends Owned, View> {
  readonly table: T;
  readonly kind: AuditKind;
  /** The rows that the actor may change. */
  visible(actor: Actor): Expression<SqlBool>;
  read(tx: Tx, actor: Actor, id: number): Promise<View>;
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
  /** Writes beside the row, such as its links. Runs after the row is updated. */
  readonly afterUpdate?: () => Promise<void>;
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
  const row = await lockRow(tx, entity.table, id, entity.visible(actor), target.ifMatch);
  const { set, refusals = {}, afterUpdate, secret } = await plan(row);
  const before = await entity.read(tx, actor, id);
  const assigned = { ...set, version: row.version + 1, updated_at: sql<string>`now()` };
  await refusing(
    refusals,
    tx
      .updateTable(entity.table as 'sites')
      .set(assigned as unknown as Updateable<Tables['sites']>)
      .where('id', '=', id)
      .where(ofCompany(row.company_id))
      .execute(),
  );
  await afterUpdate?.();
  const after = await entity.read(tx, actor, id);
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
  const row = await lockRow(tx, entity.table, id, entity.visible(actor), target.ifMatch);
  const { facts = {}, refusals = {}, beforeDelete } = await plan(row);
  const gone = await entity.read(tx, actor, id);
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
  await lockCompanyOf(tx, table, id, visible);
  // A statement of its own: one that waits for a lock does not see what the lock's holder has changed. Each of the four tables
  // has the columns; the query builder cannot express their union.
  const row = await tx
    .selectFrom(table as 'proxies')
    .selectAll()
    .where('id', '=', id)
    .where(visible)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => new AppError('not_found'));
  expectVersion(ifMatch, row.version);
  return row as unknown as Row<T>;
}

function ofCompany(companyId: number | null): Expression<SqlBool> {
  return sql<SqlBool>`company_id is not distinct from ${companyId}`;
}
