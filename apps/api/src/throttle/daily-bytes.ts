import type { AuditAction } from '@propusk/contract/audit';
import { type RawBuilder, sql } from 'kysely';
import { AppError } from '../core/errors.ts';
import type { Tx } from '../db/open.ts';
import { type Statement, statement } from '../db/pipeline.ts';

/**
 * Bytes of audit rows that one user may write in 24 hours. No other limit bounds how often a user edits the same entity.
 * `agent` is a user whose only role is USER.
 */
export const DAILY_BYTES = { agent: 5_000_000, manager: 50_000_000 } as const;
/** The assumed size in bytes of an audit row without the JSON of its changes. */
const ROW_BYTES = 400;
const DAY_MS = 86_400_000;

// These actions are not counted, so that a user with an exhausted budget can still delete entities and end sessions. The number
// of deletions is limited, because the creation of each deleted entity was counted.
const uncounted: ReadonlySet<AuditAction> = new Set([
  'deleted',
  'signed_out',
  'session_ended',
  'other_sessions_ended',
]);
// Sign-in actions need a password, a code or a mailed link. They have a separate budget, because a stolen
// session could exhaust a shared budget and lock the user out.
const ofSignIn: ReadonlySet<AuditAction> = new Set([
  'signed_in',
  'password_changed',
  'password_reset',
  'email_confirmed',
  'second_factor_on',
  'recovery_code_used',
]);

/** The state of a budget after a charge. */
export interface Spent {
  readonly points: number;
  readonly expire: number;
  readonly agent: boolean;
}

interface Charge {
  /** A query that charges the budget and returns one row `Spent`. */
  readonly spend: RawBuilder<Spent>;
  /** @throws AppError too_many_requests when the budget is exhausted; `retryAfter`: seconds until the budget is restored */
  demand(spent: Spent | undefined): void;
}

/**
 * Charges the audit rows of one call to the user's daily budget. The charge belongs to the transaction of the
 * call, so a rollback undoes the charge.
 * @param rows either only sign-in actions, or no sign-in actions
 * @returns null when all actions of the rows are uncounted
 */
export function countBytes(
  userId: number,
  rows: readonly { readonly action: AuditAction; readonly changes: object }[],
): Charge | null {
  const counted = rows.filter(({ action }) => !uncounted.has(action));
  if (counted.length === 0) return null;
  const signsIn = counted.every(({ action }) => ofSignIn.has(action));
  const bytes = counted.reduce(
    (sum, { changes }) => sum + ROW_BYTES + Buffer.byteLength(JSON.stringify(changes)),
    0,
  );
  return chargeOf(userId, bytes, signsIn);
}

/**
 * Charges the bytes of a reply that is stored under an idempotency key.
 * @returns the statement of the charge; its `result` throws AppError too_many_requests when the budget is exhausted
 */
export function spendBytes(tx: Tx, userId: number, bytes: number): Statement<void> {
  const { spend, demand } = chargeOf(userId, bytes, false);
  return statement(spend.compile(tx), ([spent]) => demand(spent));
}

function chargeOf(userId: number, bytes: number, signsIn: boolean): Charge {
  const now = Date.now();
  const spend = sql<Spent>`
    insert into rate_limits as l (key, points, expire)
    values (${`${signsIn ? 'auditSignIn' : 'auditChange'}:${userId}`}, ${bytes}, ${now + DAY_MS})
    on conflict (key) do update set
      points = case when l.expire > ${now} then l.points + excluded.points else excluded.points end,
      expire = case when l.expire > ${now} then l.expire else excluded.expire end
    returning points, expire, exists (select from users where id = ${userId} and roles <@ array['USER']) as agent`;
  const demand = (spent: Spent | undefined) => {
    if (spent === undefined || spent.points <= DAILY_BYTES[signsIn || spent.agent ? 'agent' : 'manager'])
      return;
    throw new AppError('too_many_requests', {
      retryAfter: Math.ceil((spent.expire - now) / 1000),
      detail: ['daily_bytes'],
    });
  };
  return { spend, demand };
}
