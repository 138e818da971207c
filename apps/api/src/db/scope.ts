import { type Expression, type SqlBool, sql } from 'kysely';
import { type Actor, isAdmin } from '../core/actor.ts';

/**
 * The condition of rows that an actor may access by id: rows of the own company; for an admin, every row (answers.md).
 * @param companyId the column with the row's company, such as `sites.company_id`
 */
export function managedBy(actor: Actor, companyId: string): Expression<SqlBool> {
  return isAdmin(actor) ? sql<SqlBool>`true` : sql<SqlBool>`${sql.ref(companyId)} = ${actor.companyId}`;
}

/** The condition of the rows of a company, or of the platform for null. `is not distinct from` would use no index. */
export function ofCompany(companyId: number | null): Expression<SqlBool> {
  return companyId === null ? sql<SqlBool>`company_id is null` : sql<SqlBool>`company_id = ${companyId}`;
}
