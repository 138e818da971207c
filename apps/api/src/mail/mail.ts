import { setTimeout as pause } from 'node:timers/promises';
import type { MailFailure } from '@propusk/contract/mail';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { repeat, startWorkers } from '../db/background.ts';
import type { Db } from '../db/open.ts';
import { works } from '../db/secret-links.ts';
import type { Encryption } from '../encryption.ts';
import { composeMail, type Mail, tokenOf } from './compose-mail.ts';
import { sweepFolder, writeToFolder } from './folder.ts';
import { smtpSender, smtpTransport } from './smtp.ts';
import {
  type ClaimedMail,
  claimMail,
  dropExpiredMails,
  type Outbox,
  openMail,
  postponeMail,
  releaseMail,
  removeMail,
} from './store.ts';

/** Sends the mails of the outbox. Any number of processes may share one outbox. */
export interface Mailer extends Outbox {
  /** Stops claiming mails, and aborts unfinished deliveries after 5 s. Unsent mails stay in the outbox. */
  close(): Promise<void>;
}

const CLOSE_MS = 5_000;
/** One process sends at most this many mails at once. */
const PARALLEL = 4;
/** The interval of polling the outbox for retries and for mails that other processes queued. */
const TICK_MS = 5_000;
const SWEEP_MS = 60_000;
/** The timeout of one delivery attempt; shorter than the lease of the mail. */
const SEND_MS = 60_000;
/** The delay after each failed attempt; the last delay repeats until the mail expires. */
const PAUSES_MS = [5_000, 30_000, 120_000, 300_000];

/**
 * Starts the mailer of this process.
 * @param smtpUrl smtp:// or smtps://; its query may set options of nodemailer, such as `?requireTLS=false`. When `smtpUrl` is
 *   undefined, mails are written as files to `folder`
 */
export function startMailer(options: {
  db: Db;
  encryption: Encryption;
  smtpUrl: string | undefined;
  /** The sender: `Name <address>`, or only an address. */
  from: string;
  folder: string;
  log: Pick<Logger, 'warn' | 'error'>;
  /** Replaces PAUSES_MS. */
  pausesMs?: readonly number[];
  /** Replaces TICK_MS. */
  tickMs?: number;
}): Mailer {
  const { db, encryption, smtpUrl, from, folder, log, pausesMs = PAUSES_MS, tickMs = TICK_MS } = options;
  const deliver = smtpUrl === undefined ? toFolder(folder, log) : smtpSender(smtpUrl);
  const aborted = new AbortController();

  async function attempt(claimed: ClaimedMail): Promise<void> {
    try {
      const mail = openMail(encryption, claimed);
      const signal = AbortSignal.any([aborted.signal, AbortSignal.timeout(SEND_MS)]);
      const composed = mail && composeMail(mail.to, mail.code, ...mail.facts);
      // The invitation of an agent may wait for days. Its link ends when the owner withdraws the invitation.
      const isDead = mail?.code === 'agent_invitation' && !(await hasLiveLink(db, composed?.link ?? ''));
      if (isDead) log.warn('mail was not sent: its invitation has ended');
      else if (composed !== null) await deliver({ from, ...composed }, signal);
    } catch (error) {
      await recordFailure(claimed, error);
      return;
    }
    await removeMail(db, claimed);
  }

  async function recordFailure(claimed: ClaimedMail, error: unknown): Promise<void> {
    if (aborted.signal.aborted) return releaseMail(db, claimed);
    const line = { failure: describe(error), tries: claimed.tries };
    if (isFinal(error)) {
      log.error(line, 'mail was not sent');
      return removeMail(db, claimed);
    }
    log.warn(line, 'mail was not sent yet');
    const pauseMs = pausesMs[Math.min(claimed.tries, pausesMs.length) - 1] ?? 0;
    return postponeMail(db, claimed, { pauseMs, failure: smtpUrl === undefined ? 'folder' : kindOf(error) });
  }

  const workers = startWorkers({
    parallel: PARALLEL,
    ms: tickMs,
    poll: async () => {
      const dropped = await dropExpiredMails(db);
      if (dropped > 0) log.error({ dropped }, 'mail was not sent: its link has expired');
    },
    claim: () => claimMail(db),
    work: attempt,
    onError: (err) => log.warn({ err }, 'the outbox of mail did not answer'),
  });
  const sweeper = repeat(
    SWEEP_MS,
    async () => void (await sweepFolder(db, folder)),
    (err) => log.warn({ err }, 'failed to delete dead mails of the folder'),
  );
  return {
    encryption,
    wake: workers.wake,
    async close() {
      const deadline = setTimeout(() => aborted.abort(), CLOSE_MS);
      // Aborted mails get 500 ms to return to the outbox. Then `close` returns, even if the disk hangs.
      const last = pause(CLOSE_MS + 500, undefined, { ref: false });
      await Promise.race([Promise.all([workers.close(), sweeper.close()]), last]);
      clearTimeout(deadline);
    },
  };
}

/** Whether the password link in a mail still works. */
async function hasLiveLink(db: Db, link: string): Promise<boolean> {
  const live = sql`select from mail_links where ${works('mail_links', tokenOf(link))}`;
  return (await live.execute(db)).rows.length > 0;
}

type Deliver = (message: Mail & { from: string }, signal: AbortSignal) => Promise<unknown>;

function toFolder(folder: string, log: Pick<Logger, 'warn'>): Deliver {
  return async (message) => {
    const file = await writeToFolder(folder, message);
    log.warn({ file }, 'no SMTP_URL: mail was written to a file');
  };
}

/** Connects and signs in to the mail server without sending a mail. @returns the kind of failure; null on success */
export async function verifySmtp(url: string): Promise<MailFailure | null> {
  const transport = smtpTransport(url);
  try {
    await transport.verify();
    return null;
  } catch (error) {
    return kindOf(error);
  } finally {
    transport.close();
  }
}

/**
 * Whether the server refused the recipient or the content permanently (RFC 5321 section 4.2.1). A refused login, sender or
 * connection is not final, because a later delivery can succeed after the settings are corrected.
 */
function isFinal(error: unknown): boolean {
  const { responseCode = 0, command } = error as { responseCode?: number; command?: string };
  return responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA');
}

/** Classifies a delivery error, for the console and the setup. */
export function kindOf(error: unknown): MailFailure {
  const { name, code, originalCode, responseCode } = error as Record<string, unknown>;
  if (code === 'EAUTH') return 'login';
  if (originalCode === 'ECONNREFUSED') return 'refused';
  if (code === 'EDNS') return 'no_address';
  if (code === 'ETIMEDOUT' || originalCode === 'ETIMEDOUT' || name === 'TimeoutError') return 'timeout';
  // Matches OpenSSL's codes of a refused certificate, such as DEPTH_ZERO_SELF_SIGNED_CERT, and Node's ERR_TLS_* codes.
  if (code === 'ETLS' || (typeof originalCode === 'string' && /CERT|TLS|SSL/.test(originalCode)))
    return 'tls';
  return responseCode === undefined ? 'other' : 'rejected';
}

/** Picks the loggable fields of an error. The message is omitted, because it contains the recipient. */
function describe(error: unknown): Record<string, unknown> {
  const { name, code, originalCode, command, responseCode, syscall } = error as Record<string, unknown>;
  return { name, code, originalCode, command, responseCode, syscall };
}
