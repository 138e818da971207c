import { setTimeout as pause } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import type { Logger } from 'pino';
import type { Mail } from './compose-mail.ts';
import { writeToFolder } from './folder.ts';

/** Sends mail in the background. */
export interface Mailer {
  /** Queues a mail. Retries a failure; logs the final one. */
  send(mail: Mail): void;
  /** Waits for pending mails, at most 5 s, then aborts them. Pending retries run at once. */
  close(): Promise<void>;
}

const CLOSE_MS = 5_000;
/** The limit of pending mails, about 10 KB each: strangers request links, and the mail server may be down for hours. */
const WAITING_MOST = 1_000;
// The last retry comes well before the link in the mail expires.
const PAUSES_MS = [1_000, 5_000, 30_000, 120_000];

/**
 * @param smtpUrl smtp:// or smtps://; its query may set options of nodemailer, such as `?requireTLS=false`. Without it
 *   every mail becomes a file in `folder`.
 */
export function createMailer(options: {
  smtpUrl: string | undefined;
  /** `Name <address>`, or only an address. */
  from: string;
  folder: string;
  log: Pick<Logger, 'warn' | 'error'>;
  /** Milliseconds between attempts; the default is PAUSES_MS. */
  pausesMs?: readonly number[];
}): Mailer {
  const { smtpUrl, from, folder, log, pausesMs = PAUSES_MS } = options;
  const deliver = smtpUrl === undefined ? writer() : overSmtp(smtpUrl);
  // grows: by requests that send mail while no server accepts it; bound: 1,000 mails, about 10 MB; at the bound: the mail
  // is dropped with a log line; test: apps/api/src/mail/mail-queue.net.test.ts
  const underWay = new Set<Promise<void>>();
  const closing = new AbortController();
  const aborted = new AbortController();

  async function persist(mail: Mail): Promise<void> {
    const message = { from, ...mail };
    for (let tries = 1; ; tries++) {
      try {
        await deliver(message, aborted.signal);
        return;
      } catch (error) {
        const wait = pausesMs[tries - 1];
        if (wait === undefined || isFinal(error) || closing.signal.aborted) {
          log.error({ failure: describe(error), tries }, 'mail was not sent');
          return;
        }
        await pause(wait, undefined, { signal: closing.signal, ref: false }).catch(() => {});
      }
    }
  }

  function writer(): Deliver {
    return async (message) => {
      const file = await writeToFolder(folder, message);
      log.warn({ file }, 'no SMTP_URL: mail was written to a file');
    };
  }

  return {
    send(mail) {
      if (underWay.size >= WAITING_MOST) {
        log.error({ failure: 'too many pending mails', tries: 0 }, 'mail was not sent');
        return;
      }
      const sending = persist(mail).finally(() => underWay.delete(sending));
      underWay.add(sending);
    },
    async close() {
      closing.abort();
      const deadline = setTimeout(() => aborted.abort(), CLOSE_MS);
      // Aborted mails get 500 ms to write their log lines. A hanging disk must not delay the close further.
      const last = pause(CLOSE_MS + 500, undefined, { ref: false });
      await Promise.race([Promise.all(underWay), last]);
      clearTimeout(deadline);
    },
  };
}

type Deliver = (message: Mail & { from: string }, signal: AbortSignal) => Promise<void>;

function overSmtp(url: string): Deliver {
  const { hostname, password } = new URL(url);
  const local = /^(localhost|127\.[0-9.]+|\[::1\])$/i.test(hostname);
  const transport = createTransport({
    url,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    dnsTimeout: 10_000,
    // Loopback needs no encryption, and a local server often has a self-signed certificate.
    ignoreTLS: local,
    // An attacker who strips STARTTLS must not get the password (RFC 3207 section 6).
    requireTLS: password !== '' && !local,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async (message, signal) => {
    // Prevents automatic replies (RFC 3834).
    const headers = { 'Auto-Submitted': 'auto-generated' };
    await transport.sendMail({ ...message, headers, textEncoding: 'base64', signal });
  };
}

/** Whether the server refused the mail permanently (RFC 5321 section 4.2.1), or the settings are wrong. */
function isFinal(error: unknown): boolean {
  const { responseCode } = error as { responseCode?: number };
  return responseCode !== undefined && responseCode >= 500;
}

/** The fields of an error that may be logged: the server's message contains the recipient. */
function describe(error: unknown): Record<string, unknown> {
  const { name, code, command, responseCode, syscall } = error as Record<string, unknown>;
  return { name, code, command, responseCode, syscall };
}
