import * as contract from '@propusk/contract/invitations';
import type { User } from '@propusk/contract/me';
import { record } from '../audit/store.ts';
import { asMember, type Member } from '../core/actor.ts';
import { demandConfirmed } from '../db/company.ts';
import type { Tx } from '../db/open.ts';
import { implement } from '../http/implement.ts';
import { lockAccount, touchUser } from '../identity/account-store.ts';
import { addInvitationLinks, openPasswordLink } from '../identity/link-store.ts';
import { unknownPassword } from '../identity/passwords.ts';
import { revealing } from '../identity/revealing.ts';
import { queueMails } from '../mail/store.ts';
import type { Slice } from '../slice.ts';
import { keyOf, times } from '../throttle/budgets.ts';
import { createUsers, findInvited, refuseTaken } from '../users/store.ts';

/** Routes to invite agents by mail, and to open a mailed link. */
export function invitationRoutes(routes: Slice): void {
  const { outbox, links } = routes;

  implement(routes, contract.inviteUsers, async ({ actor, body, db, write }) => {
    const owner = asMember(actor);
    const folded = body.emails.map((email) => email.toLowerCase());
    const emails = body.emails.filter((_, at) => folded.indexOf(folded[at] ?? '') === at);
    await demandConfirmed(db, owner.companyId);
    await chargeInvitations(owner, emails);
    const create = async (most: number) => {
      await refuseTaken(db, owner, emails, most);
      const passwordHash = await unknownPassword(routes.passwords, actor);
      return write(async (tx) => {
        const people = emails.map((email) => ({ email, name: '', surname: '' }));
        const { politics } = body;
        const credentials = { role: 'USER', politics, passwordHash, invited: true } as const;
        return invite(tx, owner, await createUsers(tx, owner, owner.companyId, people, credentials));
      });
    };
    return revealing(routes, actor, emails, create);
  });

  implement(routes, contract.inviteAgain, async ({ actor, params, db, write }) => {
    const owner = asMember(actor);
    const { email } = await findInvited(db, owner, params.id);
    await demandConfirmed(db, owner.companyId);
    await chargeInvitations(owner, [email]);
    return write(async (tx) => {
      await lockAccount(tx, params.id);
      const user = await findInvited(tx, owner, params.id);
      await touchUser(tx, user.id);
      const again = { kind: 'user', id: user.id, name: email, companyId: owner.companyId } as const;
      await record(tx, owner, { ...again, action: 'invited_again' });
      return invite(tx, owner, [user]);
    });
  });

  implement(routes, contract.openLink, ({ body, address, db }) =>
    routes.throttle.redeeming('mailLink', address, () => openPasswordLink(db, body.token)),
  );

  /**
   * Counts invitations towards the rate limits of the company and of the invited mailboxes. A refused call counts
   * too, because its error can reveal which email addresses have accounts.
   * @throws AppError too_many_requests
   */
  function chargeInvitations({ companyId }: Member, emails: readonly string[]) {
    const ofMailboxes = emails.map((email) => keyOf('invitationMailbox', companyId, email));
    return routes.throttle.begin({
      keys: [times(keyOf('invitation', companyId), emails.length), ...ofMailboxes],
    });
  }

  async function invite(tx: Tx, owner: Member, users: readonly User[]) {
    const { tokens, expiresAt } = await addInvitationLinks(tx, owner, users);
    const invitations = users.map(({ email }, at) => ({
      email,
      link: links.token('password', tokens[at] ?? ''),
    }));
    const company = users[0]?.company?.companyName ?? '';
    const mails = invitations.map(({ email: to, link }) => {
      return { to, code: 'agent_invitation', facts: [{ company, link }] } as const;
    });
    await queueMails(tx, outbox, mails, expiresAt);
    return { invitations, expiresAt, mailed: routes.config.smtpUrl !== undefined };
  }
}
