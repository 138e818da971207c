import { randomUUID } from 'node:crypto';
import type { MailFailure, StuckMail } from '@propusk/contract/mail';
import { sql } from 'kysely';
import { AppError } from '../core/errors.ts';
import { afterCommit } from '../db/after-commit.ts';
import type { Db, Tx } from '../db/open.ts';
import type { Encryption } from '../encryption.ts';
import type { Facts, MailCode } from './compose-mail.ts';

/**
 * The maximum number of waiting mails with a link, and also of waiting notices without a link. The two kinds are counted
 * separately, so that strangers, who can request mails with a link, cannot prevent notices. A mail takes 0.5 KB.
 */
export const WAITING_MOST = 10_000;
/** The lease of an attempt to send a mail. The mailer aborts the attempt before the lease ends. */
const LEASE = sql.raw(`interval '90 seconds'`);

/** A mail before it is rendered. */
export interface OutgoingMail<Code extends MailCode = MailCode> {
  readonly to: string;
  readonly code: Code;
  readonly facts: Readonly<Facts<Code>>;
}

/** The dependencies of `queueMail`; the mailer of the process implements them. */
export interface Outbox {
  readonly encryption: Encryption;
  /** Makes the mailer claim waiting mails now. */
  wake(): void;
}

/** A mail that this process has leased for one attempt. */
export interface ClaimedMail {
  readonly id: string;
  readonly run: string;
  readonly sealed: Buffer;
  /** The number of this attempt to send the mail, counted from 1. */
  readonly tries: number;
}

/**
 * Queues a mail in the transaction of the change that causes it. The mailer sends the mail after the commit.
 * If the process crashes before the row is deleted, the mail is sent again.
 * @param mail null queues a decoy, which is deleted unsent. A decoy takes as long as a mail, so the response
 *   time does not reveal whether an account exists
 * @param expiresAt the expiry of the mail's link, after which the mailer gives up; null for a notice, which
 *   expires after 24 hours
 * @throws AppError unavailable when 10,000 mails with a link wait. A notice beyond 10,000 waiting notices is
 *   dropped without an error, so that changes such as revocations succeed although the outbox is full
 */
export function queueMail<Code extends MailCode>(
  tx: Tx,
  outbox: Outbox,
  mail: OutgoingMail<Code> | null,
  expiresAt: string | null,
): Promise<void> {
  return queueMails(tx, outbox, [{ mail, expiresAt }]);
}

/**
 * Queues mails as `queueMail` does, in one round trip. Either all mails have a link, or none.
 * @param mails.dueAt the time to send the mail, in milliseconds since 1970, by default now
 */
export async function queueMails<Code extends MailCode>(
  tx: Tx,
  { encryption, wake }: Outbox,
  mails: readonly {
    readonly mail: OutgoingMail<Code> | null;
    readonly expiresAt: string | null;
    readonly dueAt?: number | undefined;
  }[],
): Promise<void> {
  const hasLink = mails.some(({ expiresAt }) => expiresAt !== null);
  const ids = mails.map(() => randomUUID());
  const sealed = mails.map(({ mail }, at) => encryption.seal(placeOf(ids[at] ?? ''), JSON.stringify(mail)));
  const expire = mails.map(({ expiresAt }) => expiresAt);
  const due = mails.map(({ dueAt }) => (dueAt === undefined ? null : new Date(dueAt).toISOString()));
  // A mail that is scheduled for later counts as waiting from ten minutes before its time. An attempt or a failure postpones a
  // mail for at most five minutes.
  const { rows } = await sql`insert into mails (id, sealed, has_link, expires_at, created_at, due_at)
    with waiting as (
      select count(*) as count from mails where has_link = ${hasLink} and due_at < now() + interval '10 minutes'
    )
    select id, sealed, ${hasLink}, coalesce(expire, now() + interval '1 day'), coalesce(due, now()), coalesce(due, now())
    from unnest(${ids}::uuid[], ${sealed}::bytea[], ${expire}::timestamptz[], ${due}::timestamptz[])
      with ordinality as mail (id, sealed, expire, due, place), waiting
    where waiting.count + place <= ${WAITING_MOST} returning id`.execute(tx);
  if (rows.length < mails.length && hasLink)
    throw new AppError('unavailable', { detail: ['outbox_full'], retryAfter: 60 });
  afterCommit(tx, wake);
}

/** Reads the content of a claimed mail; null for a decoy. @throws Error if the ciphertext was changed or moved to another row */
export function openMail(encryption: Encryption, { id, sealed }: ClaimedMail): OutgoingMail | null {
  return JSON.parse(encryption.open(placeOf(id), sealed)) as OutgoingMail | null;
}

/** Leases the mail that has been due longest; mails with a link come first. @returns null if no mail is due */
export async function claimMail(db: Db): Promise<ClaimedMail | null> {
  const run = randomUUID();
  const { rows } = await sql<Omit<ClaimedMail, 'run'>>`
    update mails m set run = ${run}, due_at = now() + ${LEASE}, tries = tries + 1
    from (
      select id from mails where due_at <= now() and expires_at > now() order by has_link desc, due_at for update skip locked limit 1
    ) due
    where m.id = due.id returning m.id, m.sealed, m.tries`.execute(db);
  return rows[0] === undefined ? null : { ...rows[0], run };
}

/** Deletes a mail that was sent or given up, unless another process has claimed it since. */
export async function removeMail(db: Db, claimed: ClaimedMail): Promise<void> {
  await sql`delete from mails where ${own(claimed)}`.execute(db);
}

/**
 * Records a failed attempt to send a mail, unless another process has claimed the mail since.
 * @param pauseMs milliseconds until the next attempt
 */
export async function postponeMail(
  db: Db,
  claimed: ClaimedMail,
  { pauseMs, failure }: { pauseMs: number; failure: MailFailure },
): Promise<void> {
  await sql`update mails set run = null, failure = ${failure}, due_at = now() + ${pauseMs} * interval '1 millisecond'
    where ${own(claimed)}`.execute(db);
}

/** Ends the lease of a mail whose attempt this process aborted. The attempt is not counted. */
export async function releaseMail(db: Db, claimed: ClaimedMail): Promise<void> {
  await sql`update mails set run = null, due_at = now(), tries = tries - 1 where ${own(claimed)}`.execute(db);
}

/** Deletes expired mails, except those with a running lease. @returns their count */
export async function dropExpiredMails(db: Db): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from mails
    where expires_at <= now() and (run is null or due_at <= now())`.execute(db);
  return Number(numAffectedRows);
}

/** Counts the mails that failed 3 times or have waited for 10 minutes. The wait of a scheduled mail begins at its time. */
export async function findStuckMail(db: Db): Promise<StuckMail> {
  const { rows } = await sql<StuckMail>`
    select count(*)::int as count, min(created_at) as since,
      (array_agg(failure order by due_at desc) filter (where failure is not null))[1] as failure
    from mails where expires_at > now()
      and (created_at < now() - interval '10 minutes' or (tries >= 3 and failure is not null))`.execute(db);
  return rows[0] ?? { count: 0, since: null, failure: null };
}

function own({ id, run }: ClaimedMail) {
  return sql`id = ${id} and run = ${run}`;
}

/** Additional authenticated data for an encrypted mail: binds the ciphertext to its row. */
const placeOf = (id: string) => `mail/${id}`;
