import { inviteManyAgain } from '@propusk/contract/bulk';
import * as imports from '@propusk/contract/imports';
import * as contract from '@propusk/contract/invitations';
import { record } from '../audit/store.ts';
import { type Actor, asMember, asOwner } from '../core/actor.ts';
import { refuseFaults } from '../core/errors.ts';
import { demandConfirmed } from '../db/company.ts';
import type { Db, Tx } from '../db/open.ts';
import { rolledBack } from '../db/rolled-back.ts';
import { rowOf } from '../http/error-reply.ts';
import { implement } from '../http/implement.ts';
import { touchUser } from '../identity/account-store.ts';
import { openPasswordLink } from '../identity/link-store.ts';
import { unknownPassword } from '../identity/passwords.ts';
import { revealing } from '../identity/revealing.ts';
import type { Slice } from '../slice.ts';
import { createUsers, lockInvited, refuseTaken, refuseTakenLines } from '../users/store.ts';
import { invite, whole } from './invite.ts';

/** The parts of a call that add and invite users. */
interface Writing {
  readonly actor: Actor;
  readonly db: Db;
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/** Routes to invite agents by mail, to import them from a table, and to open a mailed link. */
export function invitationRoutes(routes: Slice): void {
  implement(routes, contract.inviteUsers, async ({ body: { emails, politics }, ...call }) => {
    const folded = emails.map((email) => email.toLowerCase());
    const different = emails.filter((_, at) => folded.indexOf(folded[at] ?? '') === at);
    const people = different.map((email) => ({ email, name: '', surname: '', politics }));
    return add(call, people, refuseTaken, { days: 1 });
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
    const options = { days: 3, pathOf: (at: number) => `people.${at}.` };
    const { invitations, mailed } = await add(call, people, refuseTakenLines, options);
    const days = Map.groupBy(invitations, ({ dueAt }) => Math.floor(dueAt / 86_400_000));
    const mails = [...days.values()].map((of) => {
      return { dueAt: new Date(of[0]?.dueAt ?? 0).toISOString(), count: of.length };
    });
    return { count: people.length, mails, mailed, invitations: mailed ? [] : invitations };
  }

  /**
   * Adds agents to the actor's company and invites them: all of them or none.
   * @param refuse refuses email addresses that have an account
   * @throws AppError company_unconfirmed; email_taken; too_many_requests; the errors of `createUsers`
   */
  async function add(
    { actor, db, write }: Writing,
    people: readonly imports.ImportedPerson[],
    refuse: typeof refuseTaken,
    { days, pathOf }: { days: number; pathOf?: (at: number) => string },
  ) {
    const owner = asMember(actor);
    const emails = people.map(({ email }) => email);
    await demandConfirmed(db, owner.companyId);
    return revealing(routes, owner, emails, async (most) => {
      await refuse(db, owner, emails, most);
      const passwordHash = await unknownPassword(routes.passwords, owner);
      const credentials = { role: 'USER', passwordHash, invited: true, pathOf } as const;
      return write(async (tx) => {
        const users = await createUsers(tx, owner, owner.companyId, people, credentials);
        return whole(await invite(routes, tx, owner, users, days));
      });
    });
  }

  /** Invites the users who have an invitation, as far as the rate limits permit. Returns an error for each remaining id. */
  function inviteAgain({ actor, write }: Pick<Writing, 'actor' | 'write'>, ids: readonly number[]) {
    const owner = asOwner(actor);
    return write(async (tx) => {
      const found = await lockInvited(tx, owner, ids);
      if (found.users.length > 0) await demandConfirmed(tx, owner.companyId);
      const made = await invite(routes, tx, owner, found.users, 1);
      const again = { action: 'invited_again', kind: 'user', companyId: owner.companyId } as const;
      await touchUser(
        tx,
        made.invitations.map(({ id }) => id),
      );
      await record(tx, owner, ...made.invitations.map(({ id, email: name }) => ({ ...again, id, name })));
      return { ...made, refused: [...found.refused, ...made.refused] };
    });
  }
}
