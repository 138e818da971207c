import { type Expression, type SqlBool, sql } from 'kysely';
import { type Actor, isAdmin } from '../core/actor.ts';

/**
 * The rows that an actor may act on by their id: those of the own company, for an admin of every one (answers.md).
 * @param companyId the column that says whose a row is, such as `sites.company_id`
 */
export function managedBy(actor: Actor, companyId: string): Expression<SqlBool> {
  return isAdmin(actor) ? sql<SqlBool>`true` : sql<SqlBool>`${sql.ref(companyId)} = ${actor.companyId}`;
}
