import { limits } from '@propusk/contract/limits';
import { sql } from 'kysely';
import { AppError, tooMany } from '../core/errors.ts';
import type { Tx } from '../db/open.ts';
import { type Key, keyOf, times } from './budgets.ts';
import { charge, left } from './throttle.ts';

/** Invitations beyond the daily limit are mailed on the following days. The limits of three days suffice for 1,000 users. */
const DAYS = [0, 1, 2];
const DAY_MS = 86_400_000;
/** The first mails of an import are due at once, as those of `POST /users/invitations`. */
const AT_ONCE: number = limits.invitations;
/** The pause between the other mails of an import. Mails with links for new passwords are sent in these pauses. */
const PACE_MS = 200;

/** The counter of the invitations that a company mails on a day (UTC). @param day 0 for today, 1 for tomorrow */
export function invitationsOn(companyId: number, day = 0, now = Date.now()): Key {
  const end = (Math.floor(now / DAY_MS) + 1 + day) * DAY_MS;
  const key = keyOf('invitation', companyId, new Date(end - 1).toISOString().slice(0, 10));
  return { ...key, minutes: Math.ceil((end - now) / 60_000) };
}

/** The counters of the invitations of a company to mailboxes. */
export const invitationsTo = (companyId: number, emails: readonly string[]) =>
  emails.map((email) => keyOf('invitationMailbox', companyId, email));

/**
 * Charges the invitations of an import to the daily limits of the company and to the limits of the mailboxes. A rollback refunds
 * the charge. Further charges of the company wait for the commit, so they must run in the company's queue of writes.
 * @param isTrial only checks the limits. Locks no counter, because a trial can take long
 * @returns when the mail to each address is due, in milliseconds since 1970: today as many as the limit permits, the others on the
 *   following days
 * @throws AppError too_many_requests when the limits of three days, or of a mailbox, are exhausted
 */
export async function scheduleInvitations(
  tx: Tx,
  companyId: number,
  emails: readonly string[],
  isTrial: boolean,
): Promise<number[]> {
  const now = Date.now();
  const days = DAYS.map((day) => invitationsOn(companyId, day, now));
  const mailboxes = invitationsTo(companyId, emails);
  // Locks the counters, so that concurrent invitations wait for the commit.
  if (!isTrial)
    await sql`insert into rate_limits as l (key, points, expire)
      select key, 0, expire from unnest(${days.map(({ name }) => name)}::text[],
        ${days.map(({ minutes }) => now + minutes * 60_000)}::bigint[]) as day (key, expire) order by key
      on conflict (key) do update set points = l.points`.execute(tx);
  const lefts = await left(tx, [...days, ...mailboxes]);
  const full = lefts.slice(days.length).find((mailbox) => mailbox.left === 0);
  if (full !== undefined) throw tooMany(full.ms);
  const due = days.flatMap((key, day) =>
    Array.from({ length: lefts[day]?.left ?? 0 }, (_, place) => ({
      key,
      at: now + day * DAY_MS + Math.max(0, place - AT_ONCE) * PACE_MS,
    })),
  );
  const used = due.slice(0, emails.length);
  if (used.length < emails.length)
    throw new AppError('too_many_requests', {
      detail: ['invitations_full'],
      retryAfter: (days[0]?.minutes ?? 0) * 60,
    });
  const ofDays = [...Map.groupBy(used, ({ key }) => key)].map(([key, of]) => times(key, of.length));
  if (!isTrial) await charge(tx, [...ofDays, ...mailboxes]);
  return used.map(({ at }) => at);
}
