import { sql } from 'kysely';
import type { Actor } from '../core/actor.ts';
import { tooMany } from '../core/errors.ts';
import { afterCommit } from '../db/after-commit.ts';
import type { Db, Tx } from '../db/open.ts';
import { managedBy } from '../db/scope.ts';
import { keyOf } from '../throttle/budgets.ts';
import type { Throttle } from '../throttle/throttle.ts';
import { type Outbox, queueMail } from './store.ts';

/** The number of owners or admins that a mail names as contacts. */
const CONTACTS = 3;

/** A change of an account by another user. `newEmail` is set if the email address changes. */
interface AccountChange {
  readonly what: 'email' | 'password' | 'factor' | 'role' | 'removed';
  readonly newEmail?: string | undefined;
}

/** Queues the notice about an account change, in the transaction that makes this change. */
export type Tell = (tx: Tx, change: AccountChange) => Promise<void>;

/** Prepares the notice to the holder of account `id`, before the transaction that changes the account. */
export type Teller = (db: Db, actor: Actor, id: number) => Promise<Tell>;

/**
 * Creates the function that mails a notice when a user changes the password, email, role or second factor of another user. The
 * notice goes to the old email address. The notice contains no link, because a thief with a stolen session can also cause
 * notices.
 *
 * A mailbox gets at most five notices an hour; further changes are stored without a notice. A user can cause at most 300 notices
 * an hour; further changes are refused, because changes without notices would stay undetected. An unconfirmed company sends no
 * notices, because its owner may have entered addresses of uninvolved people.
 * @throws AppError too_many_requests
 */
export function createTeller(throttle: Throttle, outbox: Outbox): Teller {
  return async (db, actor, id) => {
    const { rows } = await sql<{ to: string; companyId: number | null; by: string; contacts: string[] }>`
      select u.email::text as to, u.company_id as "companyId", concat_ws(', ', nullif(trim(a.name || ' ' || a.surname), ''), a.email) as by,
        array(select m.email from (select id, email::text from users where company_id = u.company_id and roles @> '{CREATOR}'
          union select id, email::text from users where roles @> '{ADMIN}' and not exists (select from users o
            where o.company_id = u.company_id and o.roles @> '{CREATOR}' and o.id <> u.id)) m
          where m.id <> u.id order by m.id limit ${CONTACTS}) as contacts
      from users u join users a on a.id = ${actor.userId} left join companies c on c.id = u.company_id
      where u.id = ${id} and coalesce(c.confirmed, true) and ${managedBy(actor, 'u.company_id')}`.execute(db);
    const [holder] = rows;
    if (holder === undefined) return async () => {};
    const { to, by, contacts } = holder;
    const keys = [keyOf('noticeMailbox', to), keyOf('noticeActor', actor.userId)] as const;
    const [ofMailbox, ofActor] = await Promise.all([throttle.wait(keys[0]), throttle.wait(keys[1])]);
    if (ofActor > 0) throw tooMany(ofActor);
    if (ofMailbox > 0) return async () => {};
    return (tx, change) => {
      // Counts the notice against the rate limits only after the commit, so that a refused change does not count.
      afterCommit(tx, () => Promise.allSettled(keys.map((key) => throttle.begin({ keys: [key] }))));
      const facts = { ...change, by, at: new Date().toISOString(), contacts };
      return queueMail(tx, outbox, { to, code: 'account_changed', facts: [facts] }, null);
    };
  };
}
