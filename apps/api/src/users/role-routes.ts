import type { User } from '@propusk/contract/me';
import * as contract from '@propusk/contract/role-changes';
import { inviteOwner, suspendUser } from '@propusk/contract/role-changes';
import { resetSecondFactor } from '@propusk/contract/second-factor';
import type { Actor } from '../core/actor.ts';
import { found } from '../core/errors.ts';
import type { Tx } from '../db/open.ts';
import { implement } from '../http/implement.ts';
import { addInvitationLinks } from '../identity/link-store.ts';
import { unknownPassword } from '../identity/passwords.ts';
import { queueMail } from '../mail/store.ts';
import type { Slice } from '../slice.ts';
import { changeRole, removeAdmin, resetFactor } from './role-store.ts';
import { createUsers } from './store.ts';
import * as store from './suspension-store.ts';

/** Routes that change roles, invite owners, add and remove admins (ADR 017), and reset the second factor of another user. */
export function roleRoutes(routes: Slice): void {
  const { outbox, links, teller } = routes;

  implement(routes, contract.changeRole, async ({ actor, params, target, body, db, write }) => {
    const tell = await teller(db, actor, params.id);
    return write((tx) => changeRole(tx, actor, target, body.role, tell));
  });

  implement(routes, suspendUser, ({ actor, target, body, write }) =>
    write((tx) => store.suspendUser(tx, actor, target, body)),
  );

  implement(routes, contract.addAdmin, async ({ actor, body, write }) => {
    const passwordHash = await unknownPassword(routes.passwords, actor);
    return write(async (tx) => {
      const admin = found((await createUsers(tx, actor, null, [body], { role: 'ADMIN', passwordHash }))[0]);
      const { facts, expiresAt } = await firstPasswordLink(tx, actor, admin);
      await queueMail(tx, outbox, { to: admin.email, code: 'admin_invitation', facts: [facts] }, expiresAt);
      return admin;
    });
  });

  implement(routes, contract.removeAdmin, async ({ actor, params, db, write }) => {
    const tell = await teller(db, actor, params.id);
    return write((tx) => removeAdmin(tx, actor, params.id, tell));
  });

  implement(routes, inviteOwner, async ({ actor, params, body, write }) => {
    const passwordHash = await unknownPassword(routes.passwords, actor);
    return write(async (tx) => {
      const created = await createUsers(tx, actor, params.id, [body], { role: 'CREATOR', passwordHash });
      const owner = found(created[0]);
      const { facts: link, expiresAt } = await firstPasswordLink(tx, actor, owner);
      const facts = { company: owner.company?.companyName ?? '', ...link };
      await queueMail(tx, outbox, { to: owner.email, code: 'owner_invitation', facts: [facts] }, expiresAt);
      return owner;
    });
  });

  implement(routes, resetSecondFactor, async ({ actor, params, db, write }) => {
    const tell = await teller(db, actor, params.id);
    return write((tx) => resetFactor(tx, actor, params.id, tell));
  });

  async function firstPasswordLink(tx: Tx, actor: Actor, user: User) {
    const { token, expiresAt } = found((await addInvitationLinks(tx, actor, [user]))[0]);
    return {
      facts: { link: links.token('password', token), resetPage: links.page('/auth/reset') },
      expiresAt,
    };
  }
}
