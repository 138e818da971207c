import { randomBytes } from 'node:crypto';
import { inviteOwner } from '@propusk/contract/users';
import { signedIn } from '../http/fair-queue.ts';
import { implement, type Routes } from '../http/implement.ts';
import { invitationLetter } from '../mail/letters.ts';
import { hashPassword } from '../passwords.ts';
import { createOwner } from '../users/store.ts';
import type { LinkParts } from './link-routes.ts';
import { addPasswordLink } from './link-store.ts';

/** `POST /company/:id/owner`: how a company that an ADMIN made comes to its owner. */
export function inviteRoutes(routes: Routes, { mailer, passwordLink, page }: InviteParts): void {
  implement(routes, inviteOwner, async ({ actor, params, body, write }) => {
    // Nobody knows it: the account opens by the link alone.
    const passwordHash = await hashPassword(randomBytes(32).toString('base64url'), signedIn(actor.userId));
    let token: string | undefined;
    const owner = await write(async (tx) => {
      const made = await createOwner(tx, actor, params.id, body, passwordHash);
      token = (await addPasswordLink(tx, made.email))?.token;
      return made;
    });
    // A repeated request made no link, and its letter is on the way already.
    if (token !== undefined) {
      const company = owner.company?.companyName ?? '';
      mailer.send(
        invitationLetter(owner.email, { company, link: passwordLink(token), resetPage: page('/auth/reset') }),
      );
    }
    return owner;
  });
}

/** How an invitation leaves, and where its links lead. */
export interface InviteParts extends Pick<LinkParts, 'mailer'> {
  /** The link in a letter that sets a password. */
  readonly passwordLink: (token: string) => string;
  /** A page of the console. */
  readonly page: (path: string) => string;
}
