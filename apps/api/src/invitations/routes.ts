import { inviteManyAgain } from '@propusk/contract/bulk';
import * as contract from '@propusk/contract/invitations';
import type { User } from '@propusk/contract/me';
import { record } from '../audit/store.ts';
import { type Actor, asMember, asOwner, type Member } from '../core/actor.ts';
import { tooMany } from '../core/errors.ts';
import { demandConfirmed, lockOwnCompany } from '../db/company.ts';
import type { Db, Tx } from '../db/open.ts';
import { rowOf } from '../http/error-reply.ts';
import { implement } from '../http/implement.ts';
import { touchUser } from '../identity/account-store.ts';
import { openPasswordLink } from '../identity/link-store.ts';
import { unknownPassword } from '../identity/passwords.ts';
import { revealing } from '../identity/revealing.ts';
import type { Slice } from '../slice.ts';
import { times } from '../throttle/budgets.ts';
import { invitationsOn, invitationsTo } from '../throttle/invitation-days.ts';
import { createUsers, findInvited, refuseTaken } from '../users/store.ts';
import { importRoutes } from './import-routes.ts';
import { invite } from './invite.ts';

/** The parts of a call that `inviteAgain` uses. */
interface Writing {
  readonly actor: Actor;
  readonly db: Db;
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

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

  implement(routes, contract.inviteAgain, async (call) => {
    const { refused, ...made } = await inviteAgain(call, [call.params.id]);
    if (refused[0] !== undefined) throw refused[0].error;
    return made;
  });

  implement(routes, inviteManyAgain, async (call) => {
    const { refused, ...made } = await inviteAgain(call, call.body.ids);
    return { ...made, refused: refused.map(rowOf) };
  });

  implement(routes, contract.openLink, ({ body, address, db }) =>
    routes.throttle.redeeming('mailLink', address, () => openPasswordLink(db, body.token)),
  );

  /** Invites the users who have an invitation, as far as the rate limits permit. Returns an error for each remaining id. */
  async function inviteAgain({ actor, db, write }: Writing, ids: readonly number[]) {
    const owner = asOwner(actor);
    const found = await findInvited(db, owner, ids);
    if (found.users.length > 0) await demandConfirmed(db, owner.companyId);
    const { admitted, spent } = await chargeAgain(owner, found.users);
    return write(async (tx) => {
      await lockOwnCompany(tx, owner);
      await touchUser(tx, admitted);
      const current = await findInvited(tx, owner, admitted);
      const again = { action: 'invited_again', kind: 'user', companyId: owner.companyId } as const;
      await record(tx, owner, ...current.users.map(({ id, email: name }) => ({ ...again, id, name })));
      const made = await invited(tx, owner, current.users);
      return { ...made, refused: [...found.refused, ...spent, ...current.refused] };
    });
  }

  /**
   * Charges the invitations that the rate limits of the company and of the mailboxes permit.
   * @returns the ids of the admitted users, and an error for each remaining user
   * @throws AppError too_many_requests when a concurrent call has exhausted a limit
   */
  async function chargeAgain(owner: Member, users: readonly User[]) {
    const emails = users.map(({ email }) => email);
    const [day = { left: 0, ms: 0 }, ...mailboxes] = await routes.throttle.left(keysOf(owner, emails));
    const isFull = users.map((_, at) => mailboxes[at]?.left === 0);
    const admitted = users.filter((_, at) => !isFull[at]).slice(0, day.left);
    const isAdmitted = new Set(admitted);
    const spent = users.flatMap((user, at) => {
      const { ms } = (isFull[at] ? mailboxes[at] : undefined) ?? day;
      return isAdmitted.has(user) ? [] : { id: user.id, error: tooMany(ms) };
    });
    if (admitted.length > 0)
      await chargeInvitations(
        owner,
        admitted.map(({ email }) => email),
      );
    return { admitted: admitted.map(({ id }) => id), spent };
  }

  /**
   * Counts invitations towards the rate limits of the company and of the invited mailboxes. A refused call counts
   * too, because its error can reveal which email addresses have accounts. An import of the company locks the counters until its
   * commit, so the charge waits in the company's queue of writes, where it holds no database connection that other companies need.
   * @throws AppError too_many_requests
   */
  function chargeInvitations(owner: Member, emails: readonly string[]) {
    const keys = keysOf(owner, emails);
    return routes.queue(owner.companyId, () => routes.throttle.begin({ keys }));
  }

  /** The rate limits of the company, and of each mailbox. */
  function keysOf({ companyId }: Member, emails: readonly string[]) {
    return [times(invitationsOn(companyId), emails.length), ...invitationsTo(companyId, emails)];
  }

  async function invited(tx: Tx, owner: Member, users: readonly User[]) {
    const mailed = routes.config.smtpUrl !== undefined;
    return { ...(await invite(routes, tx, owner, users)), mailed };
  }
}
