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
/** Mails that may wait for a server at once, about 10 KB each: strangers ask for links, and a server may be away for hours. */
const WAITING_MOST = 1_000;
// The last retry comes well before the link in the mail expires.
const PAUSES_MS = [1_000, 5_000, 30_000, 120_000];

/**
 * @param smtpUrl smtp:// or smtps://; its query may set options of nodemailer, such as `?requireTLS=false`. Without it
 *   every mail becomes a file in `folder`.
 */
export function createMailer(options: {
  smtpUrl: string | undefined;
  /** `Name <address>`, or an address alone. */
  from: string;
  folder: string;
  log: Pick<Logger, 'warn' | 'error'>;
  /** Milliseconds between the tries, when not ours. */
  pausesMs?: readonly number[];
}): Mailer {
  const { smtpUrl, from, folder, log, pausesMs = PAUSES_MS } = options;
  const deliver = smtpUrl === undefined ? writer() : overSmtp(smtpUrl);
  // grows: by callers that ask for mail while no server accepts it; bound: 1,000 mails, about 10 MB; at the bound: the
  // mail is dropped with a log line; test: apps/api/src/mail/mail-queue.net.test.ts
  const underWay = new Set<Promise<void>>();
  const closing = new AbortController();
  const tooLate = new AbortController();

  async function persist(mail: Mail): Promise<void> {
    const message = { from, ...mail };
    for (let tries = 1; ; tries++) {
      try {
        await deliver(message, tooLate.signal);
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
        log.error({ failure: 'too many mails wait', tries: 0 }, 'mail was not sent');
        return;
      }
      const sending = persist(mail).finally(() => underWay.delete(sending));
      underWay.add(sending);
    },
    async close() {
      closing.abort();
      const deadline = setTimeout(() => tooLate.abort(), CLOSE_MS);
      // What was broken off still has its line of the log to write; a disk that hangs is not waited for.
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
    // To this machine nobody listens in, and its server often shows a certificate that it signed itself.
    ignoreTLS: local,
    // A password must not be talked out of us by somebody who hides STARTTLS (RFC 3207 section 6).
    requireTLS: password !== '' && !local,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async (message, signal) => {
    // RFC 3834: nobody's holiday notice answers it.
    const headers = { 'Auto-Submitted': 'auto-generated' };
    await transport.sendMail({ ...message, headers, textEncoding: 'base64', signal });
  };
}

/** Whether the server said that it will never take this mail (RFC 5321 section 4.2.1), or the setting is wrong. */
function isFinal(error: unknown): boolean {
  const { responseCode } = error as { responseCode?: number };
  return responseCode !== undefined && responseCode >= 500;
}

/** What the log may know: a server's own words name the reader. */
function describe(error: unknown): Record<string, unknown> {
  const { name, code, command, responseCode, syscall } = error as Record<string, unknown>;
  return { name, code, command, responseCode, syscall };
}
