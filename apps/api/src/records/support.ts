import type { Support, VisitPage, VisitQuery } from '@propusk/contract/records';
import { sql } from 'kysely';
import { type AuditActor, record, recordDaily } from '../audit/store.ts';
import type { Actor, Member } from '../core/actor.ts';
import { AppError, found } from '../core/errors.ts';
import type { Db, Tx } from '../db/open.ts';
import { readLive, readVisits } from './log.ts';

/** SQL: the time until which company `c` permits ADMINs to read its visits; null without permission. */
export const supportUntil = sql`case when c.support_until > now() then c.support_until end`;

/**
 * Reads the time until which the company permits ADMINs to read its visits.
 * @throws AppError not_found
 */
export async function readSupport(db: Db, companyId: number): Promise<Support> {
  const { rows } =
    await sql<Support>`select ${supportUntil} as until from companies c where c.id = ${companyId}`.execute(
      db,
    );
  return found(rows[0]);
}

/**
 * Permits ADMINs to read the visits of the actor's company for 24 hours, or ends the permission. Writes no
 * audit event if there was no permission to end.
 */
export async function setSupport(tx: Tx, actor: Member, allowed: boolean): Promise<Support> {
  const { companyId: id } = actor;
  const { rows } = await sql<{ name: string }>`
    update companies set support_until = case when ${allowed} then now() + interval '24 hours' end
    where id = ${id} and (${allowed} or support_until > now()) returning company_name as name`.execute(tx);
  const action = allowed ? 'support_allowed' : 'support_ended';
  for (const { name } of rows) await record(tx, actor, { action, kind: 'company', id, name, companyId: id });
  return readSupport(tx, id);
}

/**
 * One page of a company's visits for an ADMIN.
 * @throws AppError not_found when the company does not exist; support_closed when the company does not permit ADMINs to
 *   read its visits; the errors of `readVisits`
 */
export async function readAsSupport(
  db: Db,
  actor: Actor,
  companyId: number,
  query: VisitQuery,
): Promise<VisitPage> {
  if ((await readSupport(db, companyId)).until === null) throw new AppError('support_closed');
  const page = await readVisits(db, { companyId }, query);
  await recordCompany(db, { ...actor, companyId }, 'visits_read');
  return page;
}

/** One page of a company's visits for an owner. */
export async function readAsOwner(db: Db, actor: Member, query: VisitQuery): Promise<VisitPage> {
  const page = await readVisits(db, { companyId: actor.companyId }, query);
  await recordLook(db, actor, query.user);
  return page;
}

/**
 * Writes the audit event of read access to visits, once a day for each reader and object. The object is the user `id`, or the
 * company if `id` is undefined. A user who reads their own visits causes no event.
 */
async function recordLook(db: Db, actor: Member, id?: number): Promise<void> {
  if (id === actor.userId) return;
  if (id === undefined) return recordCompany(db, actor, 'visits_read');
  const name = sql`coalesce((select email::text from users where id = ${id} and company_id = c.id),
    (select name from record_people where user_id = ${id} and company_id = c.id))`;
  const person = { kind: 'user', id, name, companyId: actor.companyId } as const;
  await recordDaily(db, actor, { action: 'visits_read', ...person });
}

/** Writes the audit event of an export of visits. With `id`, also writes the event of read access to the visits of this user. */
export async function recordExport(db: Db, actor: Member, id?: number): Promise<void> {
  await recordCompany(db, actor, 'visits_exported');
  if (id !== undefined) await recordLook(db, actor, id);
}

/** The company's visits in progress, for an owner. */
export async function readLiveAsOwner(db: Db, actor: Member): Promise<VisitPage> {
  const page = await readLive(db, actor.companyId);
  await recordLook(db, actor);
  return page;
}

function recordCompany(
  db: Db,
  { companyId, ...by }: AuditActor & { companyId: number },
  action: 'visits_read' | 'visits_exported',
) {
  const company = { kind: 'company', id: companyId, companyId, name: sql`c.company_name` } as const;
  return recordDaily(db, by, { action, ...company });
}
