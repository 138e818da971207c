import type { AuditAction } from '@propusk/contract/audit';
import { sql } from 'kysely';
import { AppError } from '../core/errors.ts';
import type { Tx } from './open.ts';
import { type Statement, statement } from './pipeline.ts';

/**
 * Bytes of audit rows that one user may cause in 24 hours: nothing else bounds how often a user changes the same thing.
 * `agent` is a user with the role USER alone.
 */
export const DAILY_BYTES = { agent: 5_000_000, manager: 50_000_000 } as const;
/** What a row takes beside its changes: names, addresses, columns. */
const ROW_BYTES = 400;
const DAY_MS = 86_400_000;

// Removing stays possible on a used-up day. Every removal needs an earlier addition, which was counted.
const uncounted: ReadonlySet<AuditAction> = new Set([
  'deleted',
  'signed_out',
  'session_ended',
  'other_sessions_ended',
]);
// These need a password, a code or a mailbox. They have bytes of their own: a stolen session must not keep its user out.
const ofSignIn: ReadonlySet<AuditAction> = new Set([
  'signed_in',
  'password_changed',
  'password_reset',
  'email_confirmed',
  'second_factor_on',
  'recovery_code_used',
]);

/**
 * Counts the rows that a user is about to cause, within the transaction of the change: a rollback counts nothing.
 * @param rows of one call; they are all of sign-in, or none is
 * @returns the statement, whose result throws AppError too_many_requests when the user's bytes of the day are used up
 *   (`retryAfter` is the day's end); null when no row counts
 */
export function countBytes(
  tx: Tx,
  userId: number,
  rows: readonly { readonly action: AuditAction; readonly changes: object }[],
): Statement<void> | null {
  const counted = rows.filter(({ action }) => !uncounted.has(action));
  if (counted.length === 0) return null;
  const signsIn = counted.every(({ action }) => ofSignIn.has(action));
  const bytes = counted.reduce(
    (sum, { changes }) => sum + ROW_BYTES + Buffer.byteLength(JSON.stringify(changes)),
    0,
  );
  return spendBytes(tx, userId, bytes, signsIn);
}

/**
 * Counts bytes that a user's call stores beside its entity: rows of the audit, and the reply kept for a repeated create.
 * @param signsIn whether they count among those of signing in
 * @returns the statement, whose result throws AppError too_many_requests as that of `countBytes` does
 */
export function spendBytes(tx: Tx, userId: number, bytes: number, signsIn = false): Statement<void> {
  const now = Date.now();
  const spend = sql<{ points: number; expire: number; agent: boolean }>`
    insert into rate_limits as l (key, points, expire)
    values (${`${signsIn ? 'auditSignIn' : 'auditChange'}:${userId}`}, ${bytes}, ${now + DAY_MS})
    on conflict (key) do update set
      points = case when l.expire > ${now} then l.points + excluded.points else excluded.points end,
      expire = case when l.expire > ${now} then l.expire else excluded.expire end
    returning points, expire, exists (select from users where id = ${userId} and roles <@ array['USER']) as agent`;
  return statement(spend.compile(tx), ([day]) => {
    if (day === undefined || day.points <= DAILY_BYTES[signsIn || day.agent ? 'agent' : 'manager']) return;
    throw new AppError('too_many_requests', {
      retryAfter: Math.ceil((day.expire - now) / 1000),
      detail: ['daily_bytes'],
    });
  });
}
