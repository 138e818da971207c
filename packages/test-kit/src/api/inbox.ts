import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

export interface ReadMail {
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly raw: string;
}

export interface Inbox {
  /** The value of SMTP_URL. */
  readonly url: string;
  readonly mails: readonly ReadMail[];
  /** Takes the next mail to a recipient, and waits up to 5 s for it. */
  take(to: string): Promise<ReadMail>;
  /** Delays the SMTP reply after each received mail. @param wait milliseconds, asked once for each mail */
  slow(wait: () => number): void;
  /** Refuses the next mails with an SMTP reply code. */
  refuse(times: number, code: number): void;
  close(): Promise<void>;
}

/** Starts an SMTP server on loopback that accepts mail for every recipient. */
export async function openInbox(): Promise<Inbox> {
  const mails: ReadMail[] = [];
  const taken = new Set<ReadMail>();
  let refusals = { times: 0, code: 0 };
  let delay = () => 0;
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onData: (stream, _session, done) => {
      const received = text(stream).then((raw) => {
        if (refusals.times-- > 0) {
          done(Object.assign(new Error('no <somebody@secret.test> here'), { responseCode: refusals.code }));
          return;
        }
        mails.push(readMail(raw));
        setTimeout(done, delay());
      });
      // A killed client closes its connection in the middle of a mail.
      received.catch(() => {});
    },
  });
  // A killed client resets its connection.
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    mails,
    async take(to) {
      for (let tries = 250; tries > 0; tries--) {
        const mail = mails.find((one) => one.to === to && !taken.has(one));
        if (mail !== undefined) {
          taken.add(mail);
          return mail;
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw new Error(`no mail to ${to}`);
    },
    slow: (wait) => {
      delay = wait;
    },
    refuse: (times, code) => {
      refusals = { times, code };
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Decodes a mail of the product: two parts, text and HTML, in base64. */
export function readMail(raw: string): ReadMail {
  const header = (name: string) => new RegExp(`^${name}: ((?:.|\\r?\\n[ \\t])*)`, 'im').exec(raw)?.[1] ?? '';
  const part = (type: string) => {
    const body = new RegExp(`^content-type: ${type}[^]*?\\r?\\n\\r?\\n([^]*?)\\r?\\n--`, 'im').exec(raw)?.[1];
    return Buffer.from(body ?? '', 'base64').toString();
  };
  const words = header('Subject').replace(/\r?\n[ \t]/g, ' ');
  const subject = words
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?UTF-8\?B\?(.*?)\?=/g, (_, word: string) => Buffer.from(word, 'base64').toString());
  return {
    to: header('To'),
    from: header('From'),
    subject,
    // A file without SMTP_URL is plain text (apps/api/src/mail/folder.ts).
    text: /^Content-Transfer-Encoding: 8bit$/m.test(raw)
      ? raw.slice(raw.indexOf('\n\n') + 2)
      : part('text/plain'),
    html: part('text/html'),
    raw,
  };
}
