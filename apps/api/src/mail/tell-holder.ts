import { sql } from 'kysely';
import type { Actor } from '../core/actor.ts';
import type { Tx } from '../db/open.ts';
import { type Outbox, queueMail } from './store.ts';

/** The addresses that a mail names for questions. */
const CONTACTS = 3;

/**
 * Tells the holder of an account by mail that somebody else changed what gives power over it: who, when, and whom to write to. The mail
 * has no link, because a thief of the actor's session caused it as well.
 * @param to the holder's address before the change
 * @param change `newEmail` for a moved address
 */
export async function tellHolder(
  tx: Tx,
  outbox: Outbox,
  actor: Actor,
  holder: { readonly id: number; readonly to: string; readonly companyId: number | null },
  change: { readonly what: 'email' | 'password' | 'factor' | 'role'; readonly newEmail?: string },
): Promise<void> {
  const { rows: managers } = await sql<{ email: string; near: boolean }>`
    select email::text, company_id is not distinct from ${holder.companyId} as near from users
    where id <> ${holder.id} and (roles @> '{ADMIN}' or company_id = ${holder.companyId} and roles @> '{CREATOR}')
    order by near desc, id limit ${CONTACTS}`.execute(tx);
  const near = managers.filter((manager) => manager.near);
  const by = await tx
    .selectFrom('users')
    .select(['name', 'surname', 'email'])
    .where('id', '=', actor.userId)
    .executeTakeFirstOrThrow();
  const facts = {
    ...change,
    by: [`${by.name} ${by.surname}`.trim(), by.email].filter((part) => part !== '').join(', '),
    at: new Date().toISOString(),
    contacts: (near.length > 0 ? near : managers).map(({ email }) => email),
  };
  await queueMail(tx, outbox, { to: holder.to, code: 'account_changed', facts: [facts] }, null);
}
