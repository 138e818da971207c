import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Inbox, openInbox, readMail } from '@propusk/test-kit/api/inbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { composeMail } from './compose-mail.ts';
import { createMailer } from './mail.ts';

const from = 'Пропуск <pass@company.test>';
const message = composeMail(
  'ivan@company.test',
  'password_link',
  'https://pass.test/security/login#token=abc&for=password',
);

/** A log that stores its lines. */
function memory() {
  const lines: [object, string][] = [];
  const note = (fields: object, message: string) => void lines.push([fields, message]);
  return { lines, log: { warn: note, error: note } as never };
}

describe('with SMTP_URL', () => {
  let inbox: Inbox;
  beforeAll(async () => {
    inbox = await openInbox();
  });
  afterAll(() => inbox.close());
  const mailer = (log: never, pausesMs = [10, 20]) =>
    createMailer({ smtpUrl: inbox.url, from, folder: '/nowhere', log, pausesMs });

  test('a mail arrives with its subject, text and HTML', async () => {
    const { lines, log } = memory();
    const mail = mailer(log);
    mail.send(message);
    const read = await inbox.take('ivan@company.test');
    expect(read.subject).toBe('Новый пароль для входа в «Пропуск»');
    expect(read.from).toContain('<pass@company.test>');
    expect(read.text).toContain('https://pass.test/security/login#token=abc&for=password\n');
    expect(read.html).toContain('href="https://pass.test/security/login#token=abc&#38;for=password"');
    expect(read.raw).toMatch(/^auto-submitted: auto-generated/im);
    await mail.close();
    expect(lines).toEqual([]);
  });

  test('the mailer retries a mail after a temporary refusal', async () => {
    const { lines, log } = memory();
    const mail = mailer(log);
    inbox.refuse(2, 451);
    mail.send(message);
    await inbox.take('ivan@company.test');
    await mail.close();
    expect(lines).toEqual([]);
  });

  test.each([
    ['permanently', 550, 1],
    ['temporarily', 451, 3],
  ])(
    'the mailer gives up a mail refused %s with %i after %i attempts and logs neither recipient nor link',
    async (_, code, tries) => {
      const { lines, log } = memory();
      const before = inbox.mails.length;
      const mail = mailer(log);
      inbox.refuse(tries, code);
      mail.send(message);
      await expect.poll(() => lines.length).toBe(1);
      await mail.close();
      expect(lines).toEqual([
        [
          expect.objectContaining({ tries, failure: expect.objectContaining({ responseCode: code }) }),
          'mail was not sent',
        ],
      ]);
      expect(JSON.stringify(lines)).not.toMatch(/ivan|secret\.test|token|abc/);
      expect(inbox.mails.length).toBe(before);
    },
  );

  test('closing the mailer retries a waiting mail at once', async () => {
    const { lines, log } = memory();
    const mail = mailer(log, [60_000]);
    inbox.refuse(1, 451);
    mail.send(message);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const began = Date.now();
    await mail.close();
    expect(Date.now() - began).toBeLessThan(2_000);
    await inbox.take('ivan@company.test');
    expect(lines).toEqual([]);
  });

  test('closing the mailer aborts a silent server after 5 s', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as { port: number };
    const { lines, log } = memory();
    const mail = createMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, from, folder: '/nowhere', log });
    mail.send(message);
    const began = Date.now();
    await mail.close();
    expect(Date.now() - began).toBeGreaterThan(4_500);
    expect(Date.now() - began).toBeLessThan(6_000);
    expect(lines).toHaveLength(1);
    // Resolves only after the last connection has closed.
    await new Promise((resolve) => silent.close(resolve));
  });
});

describe('without SMTP_URL', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'propusk-mail-'));
  });
  afterAll(() => rm(dataDir, { recursive: true }));

  test('the mailer writes each mail to a file readable only by its owner and logs the path', async () => {
    const folder = join(dataDir, 'mail');
    const { lines, log } = memory();
    const mail = createMailer({ smtpUrl: undefined, from, folder, log });
    for (let i = 0; i < 20; i++) mail.send(message);
    await mail.close();
    const names = await readdir(folder);
    expect(names).toHaveLength(20);
    expect(names.every((name) => /^\d{4}-\d\d-\d\dT.*\.eml$/.test(name))).toBe(true);
    const file = join(folder, names[0] ?? '');
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const read = readMail(await readFile(file, 'utf8'));
    expect(read.to).toBe('ivan@company.test');
    expect(read.text).toContain('#token=abc&for=password');
    expect(lines).toHaveLength(20);
    expect(lines.map(([fields]) => fields)).toContainEqual({ file });
    expect(JSON.stringify(lines)).not.toMatch(/ivan|token/);
  });

  test('the mailer logs a folder that it cannot write to', async () => {
    const { lines, log } = memory();
    const folder = join(dataDir, 'a-file', 'mail');
    await writeFile(join(dataDir, 'a-file'), '');
    const mail = createMailer({ smtpUrl: undefined, from, folder, log, pausesMs: [1] });
    mail.send(message);
    await mail.close();
    expect(lines).toEqual([[expect.objectContaining({ tries: expect.any(Number) }), 'mail was not sent']]);
  });
});
