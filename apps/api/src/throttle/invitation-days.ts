import { limits } from '@propusk/contract/limits';
import { AppError, tooMany } from '../core/errors.ts';
import type { Tx } from '../db/open.ts';
import { type Key, keyOf, times } from './budgets.ts';
import { charge, left } from './throttle.ts';

const DAY_MS = 86_400_000;
/** The first mails of a call are due at once. */
const AT_ONCE: number = limits.invitations;
/** The pause between the other mails, in which mails of other kinds are sent. */
const PACE_MS = 200;

/**
 * Charges invitations to the daily limits of the company (UTC) and to the limits of the mailboxes. A rollback refunds the charge. The
 * caller holds the lock of the company, so that no other call charges these counters meanwhile.
 * @param days the number of days, from today, over which the mails may be spread. The limits of three days suffice for 1,000 users
 * @param mailbox the limit of each mailbox
 * @returns the users within the limits, each with the time when the mail is due, in milliseconds since 1970; and the error
 *   too_many_requests for each remaining user
 */
export async function scheduleInvitations<U extends { readonly email: string }>(
  tx: Tx,
  companyId: number,
  users: readonly U[],
  days: number,
  mailbox: 'invitationMailbox' | 'extensionReminder' = 'invitationMailbox',
): Promise<{ due: (U & { dueAt: number })[]; refused: { user: U; error: AppError }[] }> {
  const now = Date.now();
  const ofDays = Array.from({ length: days }, (_, day): Key => {
    const end = (Math.floor(now / DAY_MS) + 1 + day) * DAY_MS;
    const key = keyOf('invitation', companyId, new Date(end - 1).toISOString().slice(0, 10));
    return { ...key, minutes: Math.ceil((end - now) / 60_000) };
  });
  const mailboxOf = ({ email }: U) => keyOf(mailbox, companyId, email);
  const lefts = await left(tx, [...ofDays, ...users.map(mailboxOf)]);
  const places = ofDays.flatMap((key, day) =>
    Array.from({ length: lefts[day]?.attempts ?? 0 }, (_, place) => ({
      key,
      dueAt: now + day * DAY_MS + Math.max(0, place - AT_ONCE) * PACE_MS,
    })),
  );
  const retryAfter = (ofDays[0]?.minutes ?? 0) * 60;
  const full =
    days === 1
      ? tooMany(retryAfter * 1_000)
      : new AppError('too_many_requests', { detail: ['invitations_full'], retryAfter });
  const recently = new AppError('too_many_requests', { detail: ['reminded_recently'] });
  // Bounded: the list exists for one call, and holds at most one entry for each of `users`
  const due: (U & { key: Key; dueAt: number })[] = [];
  const refused = users.flatMap((user, at) => {
    const ofMailbox = lefts[days + at];
    if (ofMailbox?.attempts === 0)
      return { user, error: mailbox === 'extensionReminder' ? recently : tooMany(ofMailbox.ms) };
    const place = places[due.length];
    if (place === undefined) return { user, error: full };
    due.push({ ...user, ...place });
    return [];
  });
  const byDay = [...Map.groupBy(due, ({ key }) => key)].map(([key, of]) => times(key, of.length));
  await charge(tx, [...byDay, ...due.map(mailboxOf)]);
  return { due, refused };
}
