import type { User } from '@propusk/contract/me';
import type { Member } from '../core/actor.ts';
import type { Tx } from '../db/open.ts';
import { addInvitationLinks } from '../identity/link-store.ts';
import { queueMails } from '../mail/store.ts';
import type { Slice } from '../slice.ts';

/**
 * Adds an invitation link for each user and queues its mail.
 * @param dueAt when each mail is due, in milliseconds since 1970; by default now
 * @returns the invitations, and the expiry of the first link; without users, the current time
 * @throws AppError unauthorized, unavailable
 */
export async function invite(
  { links, outbox }: Pick<Slice, 'links' | 'outbox'>,
  tx: Tx,
  owner: Member,
  users: readonly User[],
  dueAt: readonly number[] = [],
): Promise<{ invitations: { email: string; link: string }[]; expiresAt: string }> {
  const due = users.map(({ id }, at) => ({ id, dueAt: dueAt[at] }));
  const made = await addInvitationLinks(tx, owner, due);
  const invitations = users.map(({ email }, at) => ({
    email,
    link: links.token('password', made[at]?.token ?? ''),
  }));
  const company = users[0]?.company?.companyName ?? '';
  const mails = invitations.map(({ email: to, link }) => {
    return { to, code: 'agent_invitation', facts: [{ company, link }] } as const;
  });
  const times = made.map(({ expiresAt }, at) => {
    const time = dueAt[at];
    return { expiresAt, dueAt: time === undefined ? undefined : new Date(time).toISOString() };
  });
  await queueMails(tx, outbox, mails, times);
  return { invitations, expiresAt: made[0]?.expiresAt ?? new Date().toISOString() };
}
