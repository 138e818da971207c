import { type RawBuilder, sql } from 'kysely';
import { hashToken, newToken } from '../core/tokens.ts';
import type { Db } from './open.ts';

/** The tables of secret links and codes. Each link and each code has an expiry time. */
type LinkTable = 'mail_links' | 'pairing_codes' | 'company_invitations' | 'lock_links';

/** A new secret link or code. The database stores only the hash of the token. */
export interface Issued {
  readonly token: string;
  readonly expiresAt: string;
}

/**
 * Stores a new secret link or code in one statement.
 * @param columns the columns that `row` selects
 * @param row a SELECT of the values to store; when this SELECT finds nothing, nothing is stored
 * @returns the token, and whether the row was stored
 */
export async function issue(
  tx: Db,
  table: LinkTable,
  seconds: number,
  columns: string,
  row: RawBuilder<unknown>,
): Promise<Issued & { isStored: boolean }> {
  const { token, hash } = newToken();
  const expiresAt = new Date(Date.now() + seconds * 1000).toISOString();
  const { numAffectedRows } =
    await sql`insert into ${sql.raw(table)} (token_hash, expires_at, ${sql.raw(columns)})
    select ${hash}::bytea, ${expiresAt}::timestamptz, found.* from (${row}) found`.execute(tx);
  return { token, expiresAt, isStored: numAffectedRows !== 0n };
}

/** The SQL condition that finds the row of a link or code that has not expired. */
export function works(table: LinkTable, token: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${table}.token_hash`)} = ${hashToken(token)} and ${sql.ref(`${table}.expires_at`)} > now()`;
}
