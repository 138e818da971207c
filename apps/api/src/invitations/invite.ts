import type { User } from '@propusk/contract/me';
import type { Member } from '../core/actor.ts';
import type { AppError } from '../core/errors.ts';
import type { Tx } from '../db/open.ts';
import { addInvitationLinks } from '../identity/link-store.ts';
import { queueMails } from '../mail/store.ts';
import type { Slice } from '../slice.ts';
import { scheduleInvitations } from '../throttle/invitation-days.ts';

/**
 * Charges an invitation for each user, adds its link and queues its mail. The caller holds the lock of the company.
 * @param days the number of days on which the mails may be due, from today on
 * @returns the invitations, when each mail is due, the expiry of the first link (without invitations, the current time), and the
 *   users beyond a limit
 * @throws AppError unauthorized, unavailable
 */
export async function invite(
  { links, outbox, config }: Slice,
  tx: Tx,
  owner: Member,
  users: readonly User[],
  days: number,
) {
  const { due, refused } = await scheduleInvitations(tx, owner.companyId, users, days);
  const made = await addInvitationLinks(tx, owner, due);
  const invitations = made.map(({ id, email, token, dueAt, expiresAt }) => {
    return { id, email, link: links.token('password', token), dueAt, expiresAt };
  });
  const company = users[0]?.company?.companyName ?? '';
  const mails = invitations.map(({ email: to, link, ...times }) => {
    return { ...times, mail: { to, code: 'agent_invitation', facts: [{ company, link }] } } as const;
  });
  await queueMails(tx, outbox, mails);
  const expiresAt = invitations[0]?.expiresAt ?? new Date().toISOString();
  return { invitations, expiresAt, mailed: config.smtpUrl !== undefined, refused };
}

/** Returns the invitations of a call that invites all of its users or none. @throws the error of the first refused user */
export function whole<T extends { readonly refused: readonly { readonly error: AppError }[] }>(made: T): T {
  if (made.refused[0] !== undefined) throw made.refused[0].error;
  return made;
}
