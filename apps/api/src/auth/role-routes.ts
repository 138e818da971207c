import { randomBytes } from 'node:crypto';
import * as contract from '@propusk/contract/role-changes';
import { inviteOwner } from '@propusk/contract/users';
import type { Actor } from '../core/actor.ts';
import { signedIn } from '../core/fair-queue.ts';
import { implement, type Routes } from '../http/implement.ts';
import { composeMail } from '../mail/compose-mail.ts';
import type { Mailer } from '../mail/mail.ts';
import { hashPassword } from '../passwords.ts';
import { createAdmin, createOwner } from '../users/store.ts';
import { addPasswordLink } from './link-store.ts';
import type { Links } from './links.ts';
import { changeRole, removeAdmin } from './role-store.ts';

/** Adds and removes owners of a company and admins of the platform (ADR 017). Each call asks for proof. */
export function roleRoutes(routes: Routes, { mailer, links }: { mailer: Mailer; links: Links }): void {
  implement(routes, contract.changeRole, ({ actor, params, body, ifMatch, write }) =>
    write((tx) => changeRole(tx, actor, { id: params.id, role: body.role, ifMatch })),
  );

  implement(routes, contract.addAdmin, async ({ actor, body, write }) => {
    const passwordHash = await unknownPassword(actor);
    let token: string | undefined;
    const admin = await write(async (tx) => {
      const made = await createAdmin(tx, actor, body, passwordHash);
      token = (await addPasswordLink(tx, made.email))?.token;
      return made;
    });
    // A repeated request made no link; the first one sent its mail.
    if (token !== undefined) {
      mailer.send(
        composeMail(admin.email, 'admin_invitation', {
          link: links.token('password', token),
          resetPage: links.page('/auth/reset'),
        }),
      );
    }
    return admin;
  });

  implement(routes, contract.removeAdmin, ({ actor, params, write }) =>
    write((tx) => removeAdmin(tx, actor, params.id)),
  );

  implement(routes, inviteOwner, async ({ actor, params, body, write }) => {
    const passwordHash = await unknownPassword(actor);
    let token: string | undefined;
    const owner = await write(async (tx) => {
      const made = await createOwner(tx, actor, params.id, body, passwordHash);
      token = (await addPasswordLink(tx, made.email))?.token;
      return made;
    });
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

/** The hash of a random password that is stored nowhere else: only the link in the mail opens the account. */
function unknownPassword({ userId }: Actor): Promise<string> {
  return hashPassword(randomBytes(32).toString('base64url'), signedIn(userId));
}
