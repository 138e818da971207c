import { randomBytes } from 'node:crypto';
import * as contract from '@propusk/contract/role-changes';
import { signedIn } from '../core/fair-queue.ts';
import { implement, type Routes } from '../http/implement.ts';
import type { Limits } from '../http/limits.ts';
import { composeMail } from '../mail/compose-mail.ts';
import type { Mailer } from '../mail/mail.ts';
import { hashPassword } from '../passwords.ts';
import { createAdmin } from '../users/store.ts';
import { addPasswordLink } from './link-store.ts';
import type { Links } from './links.ts';
import { provenWrite } from './proof.ts';
import { changeRole, removeAdmin } from './role-store.ts';

/** Adds and removes owners of a company and admins of the platform (ADR 017). */
export function roleRoutes(
  routes: Routes,
  limits: Limits,
  { mailer, links }: { mailer: Mailer; links: Links },
): void {
  const { encryption } = routes;

  implement(routes, contract.changeRole, (call) => {
    const { actor, params, body, ifMatch } = call;
    return provenWrite({ limits, encryption, endpoint: contract.changeRole }, call, (tx, prove) =>
      changeRole(tx, actor, { id: params.id, role: body.role, ifMatch }, prove),
    );
  });

  implement(routes, contract.addAdmin, async (call) => {
    // Random and stored nowhere else: only the link opens the account.
    const passwordHash = await hashPassword(
      randomBytes(32).toString('base64url'),
      signedIn(call.actor.userId),
    );
    let token: string | undefined;
    const admin = await provenWrite(
      { limits, encryption, endpoint: contract.addAdmin },
      call,
      async (tx, prove) => {
        await prove(tx);
        const made = await createAdmin(tx, call.actor, call.body, passwordHash);
        token = (await addPasswordLink(tx, made.email))?.token;
        return made;
      },
    );
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

  implement(routes, contract.removeAdmin, (call) =>
    provenWrite({ limits, encryption, endpoint: contract.removeAdmin }, call, (tx, prove) =>
      removeAdmin(tx, call.actor, call.params.id, prove),
    ),
  );
}
