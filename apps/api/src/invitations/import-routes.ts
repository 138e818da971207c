import * as contract from '@propusk/contract/imports';
import { asMember, type Member } from '../core/actor.ts';
import { demandConfirmed } from '../db/company.ts';
import type { Db, Tx } from '../db/open.ts';
import { rolledBack } from '../db/rolled-back.ts';
import { refuseLines, refuseUnknownPolicies } from '../entities/lines.ts';
import { implement } from '../http/implement.ts';
import { unknownPassword } from '../identity/passwords.ts';
import { revealing } from '../identity/revealing.ts';
import type { Slice } from '../slice.ts';
import { scheduleInvitations } from '../throttle/invitation-days.ts';
import { createUsers, refuseTakenLines } from '../users/store.ts';
import { invite } from './invite.ts';

/** Routes to import users from a table: all of them or none. */
export function importRoutes(routes: Slice): void {
  const mailed = routes.config.smtpUrl !== undefined;

  implement(routes, contract.importUsers, async ({ actor, body: { people }, db, write }) => {
    const owner = asMember(actor);
    return adding(db, owner, people, (add) =>
      write(async (tx) => {
        const { users, dueAt, summary } = await add(tx, false);
        const { invitations } = await invite(routes, tx, owner, users, dueAt);
        return { ...summary, invitations: mailed ? [] : invitations };
      }),
    );
  });

  implement(routes, contract.previewUsers, async ({ actor, body: { people }, db, write }) => {
    return adding(db, asMember(actor), people, (add) =>
      rolledBack(write, async (tx) => (await add(tx, true)).summary),
    );
  });

  /**
   * Checks the people of an import, then calls `run` with a function that creates the users in a transaction.
   * @throws AppError company_unconfirmed; bad_input and email_taken with the faults of all lines; the errors of `createUsers` and
   *   `scheduleInvitations`
   */
  async function adding<T>(
    db: Db,
    owner: Member,
    people: readonly contract.ImportedPerson[],
    run: (add: (tx: Tx, isTrial: boolean) => ReturnType<typeof create>) => Promise<T>,
  ): Promise<T> {
    const emails = people.map(({ email }) => email);
    const folded = emails.map((email) => email.toLowerCase());
    refuseLines('bad_input', 'people.', folded, (email, at) => {
      const first = folded.indexOf(email);
      return first === at ? null : ['email', ['email_in_line', first + 1]];
    });
    await demandConfirmed(db, owner.companyId);
    return revealing(routes, owner, emails, async (most) => {
      await refuseTakenLines(db, owner, people, most);
      const passwordHash = await unknownPassword(routes.passwords, owner);
      return run((tx, isTrial) => create(tx, owner, people, { passwordHash, isTrial }));
    });
  }

  async function create(
    tx: Tx,
    owner: Member,
    people: readonly contract.ImportedPerson[],
    { passwordHash, isTrial }: { passwordHash: string; isTrial: boolean },
  ) {
    const { companyId } = owner;
    await refuseUnknownPolicies(tx, companyId, 'people.', people);
    const users = await createUsers(tx, owner, companyId, people, {
      role: 'USER',
      passwordHash,
      invited: true,
    });
    const dueAt = await scheduleInvitations(
      tx,
      companyId,
      people.map(({ email }) => email),
      isTrial,
    );
    const days = Map.groupBy(dueAt, (time) => Math.floor(time / 86_400_000));
    const mails = [...days.values()].map((times) => ({
      dueAt: new Date(times[0] ?? 0).toISOString(),
      count: times.length,
    }));
    return { users, dueAt, summary: { count: users.length, mails, mailed } };
  }
}
