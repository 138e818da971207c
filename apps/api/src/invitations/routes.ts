import * as contract from '@propusk/contract/invitations';
import type { User } from '@propusk/contract/me';
import { record } from '../audit/store.ts';
import { asMember, type Member } from '../core/actor.ts';
import { demandConfirmed } from '../db/company.ts';
import type { Tx } from '../db/open.ts';
import { implement } from '../http/implement.ts';
import { lockAccount, touchUser } from '../identity/account-store.ts';
import { openPasswordLink } from '../identity/link-store.ts';
import { unknownPassword } from '../identity/passwords.ts';
import { revealing } from '../identity/revealing.ts';
import type { Slice } from '../slice.ts';
import { times } from '../throttle/budgets.ts';
import { invitationsOn, invitationsTo } from '../throttle/invitation-days.ts';
import { createUsers, findInvited, refuseTaken } from '../users/store.ts';
import { importRoutes } from './import-routes.ts';
import { invite } from './invite.ts';

/** Routes to invite agents by mail, and to open a mailed link. */
export function invitationRoutes(routes: Slice): void {
  importRoutes(routes);

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
        const people = emails.map((email) => ({ email, name: '', surname: '', politics: body.politics }));
        const credentials = { role: 'USER', passwordHash, invited: true } as const;
        return invited(tx, owner, await createUsers(tx, owner, owner.companyId, people, credentials));
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
      return invited(tx, owner, [user]);
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
    const ofDay = times(invitationsOn(companyId), emails.length);
    return routes.throttle.begin({ keys: [ofDay, ...invitationsTo(companyId, emails)] });
  }

  async function invited(tx: Tx, owner: Member, users: readonly User[]) {
    const mailed = routes.config.smtpUrl !== undefined;
    return { ...(await invite(routes, tx, owner, users)), mailed };
  }
}
