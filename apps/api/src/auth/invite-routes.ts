import { randomBytes } from 'node:crypto';
import { inviteOwner } from '@propusk/contract/users';
import { signedIn } from '../core/fair-queue.ts';
import { implement, type Routes } from '../http/implement.ts';
import { composeMail } from '../mail/compose-mail.ts';
import type { Mailer } from '../mail/mail.ts';
import { hashPassword } from '../passwords.ts';
import { createOwner } from '../users/store.ts';
import { addPasswordLink } from './link-store.ts';
import type { Links } from './links.ts';

/** `POST /company/:id/owner`: an ADMIN invites an owner by mail. */
export function inviteRoutes(routes: Routes, { mailer, links }: { mailer: Mailer; links: Links }): void {
  implement(routes, inviteOwner, async ({ actor, params, body, write }) => {
    // Random and stored nowhere else: only the link opens the account.
    const passwordHash = await hashPassword(randomBytes(32).toString('base64url'), signedIn(actor.userId));
    let token: string | undefined;
    const owner = await write(async (tx) => {
      const made = await createOwner(tx, actor, params.id, body, passwordHash);
      token = (await addPasswordLink(tx, made.email))?.token;
      return made;
    });
    // A repeated request made no link; the first one sent its mail.
    if (token !== undefined) {
      const company = owner.company?.companyName ?? '';
      mailer.send(
        composeMail(owner.email, 'owner_invitation', {
          company,
          link: links.token('password', token),
          resetPage: links.page('/auth/reset'),
        }),
      );
    }
    return owner;
  });
}
