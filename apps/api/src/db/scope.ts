import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Actor, type Scope, scopeOfWrite } from '../core/actor.ts';

/**
 * The condition of rows that an actor may access by id: the rows of the actor's company, or every row for an admin.
 * @param companyId the column with the row's company, such as `sites.company_id`
 */
export function managedBy(actor: Actor, companyId: string): Expression<SqlBool> {
  return inScope(actor, scopeOfWrite(actor), companyId);
}

/**
 * Returns the SQL condition for the rows of a scope: every row for `platform`, otherwise the rows of the actor's company.
 * @param companyId the column with the row's company, such as `sites.company_id`
 * @param own an additional condition for a USER, who may see only some rows of the company
 */
export function inScope(
  actor: Actor,
  scope: Scope,
  companyId: string,
  own?: RawBuilder<unknown>,
): Expression<SqlBool> {
  if (scope === 'platform') return sql<SqlBool>`true`;
  const ofCompany = sql<SqlBool>`${sql.ref(companyId)} = ${actor.companyId}`;
  return own === undefined || scope === 'company' ? ofCompany : sql<SqlBool>`(${ofCompany} and ${own})`;
}

/** Selects the rows of a company, or the platform's rows if the id is null. `is not distinct from` would use no index. */
export function ofCompany(companyId: number | null): Expression<SqlBool> {
  return companyId === null ? sql<SqlBool>`company_id is null` : sql<SqlBool>`company_id = ${companyId}`;
}
