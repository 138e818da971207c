import type { Member } from '@propusk/contract/fields';
import type { EndFilter } from '@propusk/contract/times';
import { type RawBuilder, sql } from 'kysely';
import { AppError } from '../core/errors.ts';
import type { Tx } from './open.ts';

/** Refuses a time zone that PostgreSQL or JavaScript does not support. @throws AppError bad_input for the field */
export async function demandZone(tx: Tx, zone: string, field: string): Promise<void> {
  const known = isZone(zone) && (await sql`select from pg_timezone_names where name = ${zone}`.execute(tx));
  if (!known || known.rows.length === 0) throw new AppError('bad_input', { fields: { [field]: ['unfit'] } });
}

function isZone(timeZone: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone }) !== null;
  } catch {
    return false;
  }
}

/** SQL that formats a time as in replies. */
export const isoOf = (time: RawBuilder<unknown>) =>
  sql<string | null>`to_char(${time} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * SQL for the instant of a given time or day (`Moment` of the contract). As an end, a day means its end.
 * @param zone SQL of the time zone in which days begin and end
 * @returns null for an empty text; undefined for undefined
 */
export function momentOf(
  given: string | undefined,
  zone: RawBuilder<unknown>,
  isEnd = true,
): RawBuilder<string> | null | undefined {
  if (given === undefined) return undefined;
  return given === '' ? null : sql<string>`moment_of(${given}::text, ${zone}, ${isEnd})`;
}

/** The SQL condition that an end is within the period that a filter selects. @param end SQL of a time */
export function endsWithin(filter: NonNullable<EndFilter>, end: RawBuilder<unknown>): RawBuilder<unknown> {
  if (filter === 'past') return sql`${end} <= now()`;
  return sql`(${end} > now() and ${end} <= now() + ${filter === 'week' ? '7 days' : '1 month'}::interval)`;
}

/** The ends of memberships, as a list for the audit. */
export const endsOf = (members: readonly Member[]) =>
  members.flatMap(({ id, name, until }) =>
    until === null ? [] : [{ id: `${id} ${until}`, name: `${name}: ${until}` }],
  );
