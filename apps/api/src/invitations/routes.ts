import { inviteManyAgain } from '@propusk/contract/bulk';
import * as imports from '@propusk/contract/imports';
import * as contract from '@propusk/contract/invitations';
import type { User } from '@propusk/contract/me';
import type { Ends } from '@propusk/contract/times';
import { record } from '../audit/store.ts';
import { type Actor, asMember, asOwner, type Member } from '../core/actor.ts';
import { type AppError, refuseFaults } from '../core/errors.ts';
import { demandConfirmed, lockOwnCompany } from '../db/company.ts';
import type { Db, Tx } from '../db/open.ts';
import { rolledBack } from '../db/rolled-back.ts';
import { rowOf } from '../http/error-reply.ts';
import { implement } from '../http/implement.ts';
import { touchUser } from '../identity/account-store.ts';
import { addInvitationLinks, openPasswordLink } from '../identity/link-store.ts';
import { unknownPassword } from '../identity/passwords.ts';
import { revealing } from '../identity/revealing.ts';
import { queueMails } from '../mail/store.ts';
import type { Slice } from '../slice.ts';
import { scheduleInvitations } from '../throttle/invitation-days.ts';
import { createUsers, lockUsers, reasonNotToInvite, refuseTaken, refuseTakenLines } from '../users/store.ts';

/** The parts of a call that add and invite users. */
interface Writing {
  readonly actor: Actor;
  readonly db: Db;
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/** A user, and when the mail with the invitation is due, in milliseconds since 1970, by default now. */
type Due = User & { readonly dueAt?: number };

/** Routes to invite agents by mail, to import them from a table, and to open a mailed link. */
export function invitationRoutes(routes: Slice): void {
  implement(routes, contract.inviteUsers, async ({ body: { emails, politics, ends }, ...call }) => {
    const folded = emails.map((email) => email.toLowerCase());
    const different = emails.filter((_, at) => folded.indexOf(folded[at] ?? '') === at);
    const people = different.map((email) => ({ email, name: '', surname: '', politics, ends }));
    const owner = asMember(call.actor);
    await demandConfirmed(call.db, owner.companyId);
    // A list that is refused because an address has an account counts towards the limits. Otherwise a client could test any number
    // of addresses for accounts.
    await call.write(async (tx) => {
      await lockOwnCompany(tx, owner);
      whole(await scheduleInvitations(tx, owner.companyId, people, 1));
    });
    return add(call, people, refuseTaken, { schedule: async (_, users) => users });
  });

  implement(routes, imports.importUsers, async ({ body, ...call }) => importPeople(call, body.people));

  implement(routes, imports.previewUsers, async ({ body, write, ...call }) =>
    importPeople({ ...call, write: (work) => rolledBack(write, work) }, body.people),
  );

  implement(routes, contract.inviteAgain, async (call) => whole(await inviteAgain(call, [call.params.id])));

  implement(routes, inviteManyAgain, async (call) => {
    const made = await inviteAgain(call, call.body.ids);
    return { ...made, refused: made.refused.map(rowOf) };
  });

  implement(routes, contract.openLink, ({ body, address, db }) =>
    routes.throttle.redeeming('mailLink', address, () => openPasswordLink(db, body.token)),
  );

  /** @throws AppError bad_input and email_taken with the faults of all lines; the errors of `add` */
  async function importPeople(call: Writing, people: readonly imports.ImportedPerson[]) {
    const folded = people.map(({ email }) => email.toLowerCase());
    refuseFaults('bad_input', folded, (email, at) => {
      const first = folded.indexOf(email);
      return first === at ? null : [`people.${at}.email`, ['email_in_line', first + 1]];
    });
    const { companyId } = asMember(call.actor);
    await demandConfirmed(call.db, companyId);
    const { invitations, mailed } = await add(call, people, refuseTakenLines, {
      schedule: async (tx, users) => whole(await scheduleInvitations(tx, companyId, users, 3)).due,
      pathOf: (at) => `people.${at}.`,
    });
    const days = Map.groupBy(invitations, ({ dueAt = 0 }) => Math.floor(dueAt / 86_400_000));
    const mails = [...days.values()].map((of) => {
      return { dueAt: new Date(of[0]?.dueAt ?? 0).toISOString(), count: of.length };
    });
    return { count: people.length, mails, mailed, invitations: mailed ? [] : invitations };
  }

  /**
   * Adds agents to the actor's company and invites them: all of them or none.
   * @param refuse refuses email addresses that have an account
   * @param options.schedule charges the invitations, and returns when each mail is due; by default at once
   * @throws AppError email_taken; the errors of `createUsers` and `options.schedule`
   */
  async function add(
    { actor, db, write }: Writing,
    people: readonly (imports.ImportedPerson & { readonly ends?: Ends })[],
    refuse: typeof refuseTaken,
    options: { schedule: (tx: Tx, users: User[]) => Promise<Due[]>; pathOf?: (at: number) => string },
  ) {
    const owner = asMember(actor);
    const emails = people.map(({ email }) => email);
    return revealing(routes, owner, emails, async (most) => {
      await refuse(db, owner, emails, most);
      const passwordHash = await unknownPassword(routes.passwords, owner);
      const credentials = { role: 'USER', passwordHash, invited: true, pathOf: options.pathOf } as const;
      return write(async (tx) => {
        const users = await createUsers(tx, owner, owner.companyId, people, credentials);
        return invite(tx, owner, await options.schedule(tx, users));
      });
    });
  }

  /** Invites the users who have an invitation, as far as the rate limits permit. Returns an error for each remaining id. */
  function inviteAgain({ actor, write }: Pick<Writing, 'actor' | 'write'>, ids: readonly number[]) {
    const owner = asOwner(actor);
    return write(async (tx) => {
      const found = await lockUsers(tx, owner, ids, reasonNotToInvite);
      if (found.users.length > 0) await demandConfirmed(tx, owner.companyId);
      const { due, refused } = await scheduleInvitations(tx, owner.companyId, found.users, 1);
      const again = { action: 'invited_again', kind: 'user', companyId: owner.companyId } as const;
      await touchUser(
        tx,
        due.map(({ id }) => id),
      );
      await record(tx, owner, ...due.map(({ id, email: name }) => ({ ...again, id, name })));
      const spent = refused.map(({ user: { id }, error }) => ({ id, error }));
      return { ...(await invite(tx, owner, due)), refused: [...found.refused, ...spent] };
    });
  }

  /**
   * Adds an invitation link for each user and queues its mail.
   * @returns the invitations, when each mail is due, and the expiry of the first link; without users, the current time
   * @throws AppError unauthorized, unavailable
   */
  async function invite(tx: Tx, owner: Member, due: readonly Due[]) {
    const made = await addInvitationLinks(tx, owner, due);
    const invitations = made.map(({ email, token, dueAt, expiresAt }) => {
      return { email, link: routes.links.token('password', token), dueAt, expiresAt };
    });
    const company = due[0]?.company?.companyName ?? '';
    const mails = invitations.map(({ email: to, link, ...times }) => {
      return { ...times, mail: { to, code: 'agent_invitation', facts: [{ company, link }] } } as const;
    });
    await queueMails(tx, routes.outbox, mails);
    const expiresAt = invitations[0]?.expiresAt ?? new Date().toISOString();
    return { invitations, expiresAt, mailed: routes.config.smtpUrl !== undefined };
  }
}

/** For a call that invites all of its users or none. @throws the error of the first refused user */
function whole<T extends { readonly refused: readonly { readonly error: AppError }[] }>(made: T): T {
  if (made.refused[0] !== undefined) throw made.refused[0].error;
  return made;
}
