import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testEncryption } from '@propusk/test-kit/api/api';
import { createTestDatabase, type TestDatabase } from '@propusk/test-kit/api/database';
import { type Inbox, openInbox, readMail } from '@propusk/test-kit/api/inbox';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { newToken } from '../core/tokens.ts';
import { committing } from '../db/after-commit.ts';
import { composeMail } from './compose-mail.ts';
import { sweepFolder, writeToFolder } from './folder.ts';
import { type Mailer, startMailer } from './mail.ts';
import {
  claimMail,
  dropExpiredMails,
  findStuckMail,
  type OutgoingMail,
  openMail,
  postponeMail,
  queueMail,
  queueMails,
  removeMail,
  WAITING_MOST,
} from './store.ts';

const from = 'Пропуск <pass@company.test>';
const LINK = 'https://pass.test/security/login#token=abc&for=password';
const MAIL: OutgoingMail<'password_link'> = {
  to: 'ivan@company.test',
  code: 'password_link',
  facts: [LINK],
};
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

let database: TestDatabase;
let inbox: Inbox;
beforeAll(async () => {
  database = await createTestDatabase(inject('serverUrl'));
  inbox = await openInbox();
});
afterAll(async () => {
  await inbox.close();
  await database.drop();
});

const mailers: Mailer[] = [];
afterEach(async () => {
  await Promise.all(mailers.splice(0).map((mailer) => mailer.close()));
  await database.pool.query('delete from mails');
});

type Options = Partial<Parameters<typeof startMailer>[0]>;

/** Starts a mailer with short retry delays, and collects its log lines. */
function start(options: Options = {}) {
  const lines: [Record<string, unknown>, string][] = [];
  const note = (fields: Record<string, unknown>, message: string) => void lines.push([fields, message]);
  const mailer = startMailer({
    db: database.db,
    encryption: testEncryption,
    smtpUrl: inbox.url,
    from,
    folder: '/nowhere',
    log: { warn: note, error: note } as never,
    pausesMs: [10],
    tickMs: 20,
    ...options,
  });
  mailers.push(mailer);
  return { mailer, lines };
}

/** An outbox whose mails stay queued, because no mailer is woken. */
const silent = { encryption: testEncryption, wake: () => {} };

const queue = (
  outbox: Pick<Mailer, 'encryption' | 'wake'> = silent,
  mail = MAIL,
  expiresAt: string | null = inSeconds(600),
) => committing(database.db, (tx) => queueMail(tx, outbox, mail, expiresAt));

async function rows() {
  const { rows: found } = await database.pool.query('select * from mails order by created_at');
  return found as { id: string; failure: string | null; tries: number; run: string | null; due_at: string }[];
}

/** Starts a TCP server that handles each connection by `talk`. @returns its port */
async function listen(talk: Parameters<typeof createServer>[1]): Promise<{ server: Server; port: number }> {
  const server = createServer(talk as never).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

describe('mail to an SMTP server', () => {
  test('a queued mail arrives with its subject, text and HTML, and its row is deleted', async () => {
    // The timer does not fire within the test, so only the commit can wake the mailer.
    const { mailer, lines } = start({ tickMs: 60_000 });
    await queue(mailer);
    const read = await inbox.take('ivan@company.test');
    expect(read.subject).toBe('Новый пароль для входа в «Пропуск»');
    expect(read.from).toContain('<pass@company.test>');
    expect(read.text).toContain(`${LINK}\n`);
    expect(read.html).toContain('href="https://pass.test/security/login#token=abc&#38;for=password"');
    expect(read.raw).toMatch(/^auto-submitted: auto-generated/im);
    await expect.poll(rows).toEqual([]);
    expect(lines).toEqual([]);
  });

  test('a mail of a rolled back transaction is not sent', async () => {
    const { mailer } = start();
    const before = inbox.mails.length;
    const failing = committing(database.db, async (tx) => {
      await queueMail(tx, mailer, MAIL, null);
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect([await rows(), inbox.mails.length]).toEqual([[], before]);
  });

  test('the outbox row for a password link to an unknown email is deleted, and no mail is sent', async () => {
    const before = inbox.mails.length;
    const { mailer, lines } = start();
    await committing(database.db, (tx) => queueMail(tx, mailer, null, inSeconds(600)));
    await expect.poll(rows).toEqual([]);
    expect([inbox.mails.length, lines]).toEqual([before, []]);
  });

  test('a mailer sends the mails that another process queued', async () => {
    await queue();
    start();
    const atStart = await inbox.take('ivan@company.test');
    await queue();
    const byTimer = await inbox.take('ivan@company.test');
    expect(byTimer).not.toBe(atStart);
  });

  test('the mailer retries a mail after temporary refusals and logs neither recipient nor link', async () => {
    const { mailer, lines } = start();
    inbox.refuse(2, 451);
    await queue(mailer);
    await inbox.take('ivan@company.test');
    await expect.poll(rows).toEqual([]);
    expect(lines).toEqual(
      [1, 2].map((tries) => [
        { tries, failure: expect.objectContaining({ responseCode: 451 }) },
        'mail was not sent yet',
      ]),
    );
    expect(JSON.stringify(lines)).not.toMatch(/ivan|secret\.test|token|abc/);
  });

  test('the mailer drops a mail that the server refuses permanently, without a retry', async () => {
    const { mailer, lines } = start();
    const before = inbox.mails.length;
    inbox.refuse(1, 550);
    await queue(mailer);
    await expect.poll(() => lines.length).toBe(1);
    await expect.poll(rows).toEqual([]);
    const failure = expect.objectContaining({ responseCode: 550 });
    expect(lines).toEqual([[{ tries: 1, failure }, 'mail was not sent']]);
    expect(JSON.stringify(lines)).not.toMatch(/ivan|secret\.test|token|abc/);
    expect(inbox.mails.length).toBe(before);
  });

  test('a mail whose link has expired is dropped with a log line and not sent', async () => {
    const before = inbox.mails.length;
    await queue(silent, MAIL, inSeconds(-1));
    const { lines } = start();
    await expect.poll(rows).toEqual([]);
    await expect.poll(() => lines).toEqual([[{ dropped: 1 }, 'mail was not sent: its link has expired']]);
    expect(inbox.mails.length).toBe(before);
  });

  test('a mail without a link expires after 24 hours', async () => {
    await committing(database.db, (tx) => queueMail(tx, silent, MAIL, null));
    const { rows: found } = await database.pool.query(
      'select extract(epoch from expires_at - created_at)::int as life from mails',
    );
    expect(found).toEqual([{ life: 86_400 }]);
  });

  test('a mail that waits for a retry stays in the outbox when the mailer closes', async () => {
    const { mailer } = start({ pausesMs: [60_000] });
    inbox.refuse(1, 451);
    await queue(mailer);
    await expect.poll(async () => (await rows())[0]?.failure).toBe('rejected');
    const elapsed = stopwatch();
    await mailer.close();
    expect(elapsed()).toBeLessThan(2_000);
    expect(await rows()).toMatchObject([{ tries: 1, run: null }]);
  });

  test('a closing mailer aborts a hanging delivery after 5 s and leaves the mail to other processes', async () => {
    const { server, port } = await listen(() => {});
    const { mailer, lines } = start({ smtpUrl: `smtp://127.0.0.1:${port}` });
    await queue(mailer);
    await expect.poll(async () => (await rows())[0]?.run).not.toBeNull();
    const [began, elapsed] = [Date.now(), stopwatch()];
    await mailer.close();
    expect(Date.now() - began).toBeGreaterThan(4_500);
    expect(elapsed()).toBeLessThan(6_000);
    expect(await rows()).toMatchObject([{ tries: 0, run: null }]);
    start();
    await inbox.take('ivan@company.test');
    expect(lines).toEqual([]);
    // The test's SMTP server can close only after the mailer has closed its last connection.
    await new Promise((resolve) => server.close(resolve));
  });

  test('the mailer opens at most four connections at once', async () => {
    const connections: Socket[] = [];
    const { server, port } = await listen((socket) => void connections.push(socket.on('error', () => {})));
    const { mailer } = start({ smtpUrl: `smtp://127.0.0.1:${port}` });
    for (let i = 0; i < 20; i++) await queue(mailer);
    await expect.poll(() => connections.length).toBe(4);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(connections).toHaveLength(4);
    const closed = mailer.close();
    for (const socket of connections) socket.destroy();
    await closed;
    server.close();
  });
});

test.each([
  ['refused', (port: number) => `smtp://127.0.0.1:${port}`, null],
  ['no_address', () => 'smtp://mail.invalid:25', null],
  ['timeout', (port: number) => `smtp://127.0.0.1:${port}?greetingTimeout=100`, () => {}],
  ['tls', (port: number) => `smtp://127.0.0.1:${port}?ignoreTLS=false&requireTLS=true`, 'plain'],
  ['tls', (port: number) => `smtps://127.0.0.1:${port}`, 'plain'],
  ['login', (port: number) => `smtp://user:wrong@127.0.0.1:${port}`, 'login'],
  ['rejected', (port: number) => `smtp://127.0.0.1:${port}`, 'sender'],
] as const)('a mail stays in the outbox with the failure %s', async (failure, url, talk) => {
  const answers = (line: string) => {
    if (line.startsWith('EHLO')) return talk === 'login' ? '250-a\r\n250 AUTH PLAIN' : '250 a';
    if (line.startsWith('AUTH')) return '535 wrong';
    return line.startsWith('MAIL') ? '550 not you' : '250 ok';
  };
  const { server, port } = await listen((socket) => {
    socket.on('error', () => {});
    if (typeof talk !== 'string') return;
    socket.write('220 here\r\n');
    socket.on('data', (data) => socket.write(`${answers(data.toString())}\r\n`));
  });
  if (talk === null) await new Promise((resolve) => server.close(resolve));
  const { mailer } = start({ smtpUrl: url(port) });
  await queue(mailer);
  await expect.poll(async () => (await rows())[0]?.failure).toBe(failure);
  await mailer.close();
  server.close();
});

describe('the leases of mails in the outbox', () => {
  test('a process cannot record the result of a delivery after its lease on the mail has ended', async () => {
    await queue();
    const first = await claimMail(database.db);
    if (first === null) throw new Error('nothing was claimed');
    expect(await claimMail(database.db)).toBeNull();
    await database.pool.query('update mails set due_at = now()');
    const second = await claimMail(database.db);
    expect(second).toMatchObject({ id: first.id, tries: 2 });
    await postponeMail(database.db, first, { pauseMs: 60_000, failure: 'timeout' });
    await removeMail(database.db, first);
    expect(await rows()).toMatchObject([{ run: second?.run, failure: null }]);
  });

  test('a mail in progress is not dropped when its link expires', async () => {
    await queue(silent, MAIL, inSeconds(0.2));
    const claimed = await claimMail(database.db);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await dropExpiredMails(database.db)).toBe(0);
    if (claimed !== null) await removeMail(database.db, claimed);
    expect(await rows()).toEqual([]);
  });

  test('four concurrent mailers send each of 100 mails exactly once', async () => {
    const before = inbox.mails.length;
    const all = Array.from({ length: 100 }, (_, i) => `each${i}@company.test`);
    for (let i = 0; i < 4; i++) start();
    await Promise.all(all.map((to, i) => queue(mailers[i % 4], { ...MAIL, to })));
    await expect.poll(rows).toEqual([]);
    expect(
      inbox.mails
        .slice(before)
        .map(({ to }) => to)
        .toSorted(),
    ).toEqual(all.toSorted());
  });
});

test('the database holds neither recipient nor link of a waiting mail in plain text', async () => {
  await queue(silent, { ...MAIL, to: 'canary@company.test', facts: ['https://pass.test/#token=canary'] });
  const { rows: found } = await database.pool.query(
    `select m::text as row, encode(sealed, 'escape') as sealed from mails m`,
  );
  expect(found).toHaveLength(1);
  expect(JSON.stringify(found)).not.toMatch(/canary|pass\.test|password_link/);
  const claimed = await claimMail(database.db);
  if (claimed === null) throw new Error('nothing was claimed');
  expect(openMail(testEncryption, claimed)?.to).toBe('canary@company.test');
  const moved = { ...claimed, id: '6f1e6f0a-5d0f-4a63-9d5c-0a4f6a3f3c11' };
  expect(() => openMail(testEncryption, moved)).toThrow(/authenticate/);
});

test(`the outbox holds at most ${WAITING_MOST} mails with a link and ${WAITING_MOST} mails without a link`, async () => {
  const fill = (hasLink: boolean) =>
    database.pool.query(`insert into mails (id, sealed, has_link, expires_at)
      select gen_random_uuid(), '', ${hasLink}, now() + interval '1 day' from generate_series(1, ${WAITING_MOST})`);
  await fill(false);
  await queue(silent, MAIL, null);
  expect(await rows()).toHaveLength(WAITING_MOST);
  await queue();
  const claimed = await claimMail(database.db);
  if (claimed === null) throw new Error('nothing was claimed');
  expect(openMail(testEncryption, claimed)).toEqual(MAIL);
  await database.pool.query('delete from mails');
  await fill(true);
  await expect(queue()).rejects.toMatchObject({ code: 'unavailable' });
  await queue(silent, MAIL, null);
  await database.pool.query('delete from mails where id in (select id from mails where has_link limit 1)');
  await queue();
  expect(await rows()).toHaveLength(WAITING_MOST + 1);
});

test('mails that are scheduled for later take no room from other mails, and are neither due nor stuck', async () => {
  const times = { expiresAt: inSeconds(7 * 86_400), dueAt: Date.now() + 86_400_000 };
  await committing(database.db, (tx) => queueMails(tx, silent, [{ mail: MAIL, ...times }]));
  await database.pool.query(`insert into mails (id, sealed, has_link, expires_at, created_at, due_at)
    select gen_random_uuid(), sealed, has_link, expires_at, created_at, due_at from mails, generate_series(2, ${WAITING_MOST})`);
  expect(await claimMail(database.db)).toBeNull();
  expect((await findStuckMail(database.db)).count).toBe(0);
  await queue();
  await database.pool.query(`update mails set due_at = now(), created_at = now() - interval '11 minutes'`);
  expect((await findStuckMail(database.db)).count).toBe(WAITING_MOST + 1);
  await expect(queue()).rejects.toMatchObject({ code: 'unavailable' });
});

describe('stuck mail', () => {
  const none = { count: 0, since: null, failure: null };

  test('mails that failed three times or wait for 10 minutes count as stuck', async () => {
    await queue();
    expect(await findStuckMail(database.db)).toEqual(none);
    await database.pool.query(`update mails set tries = 2, failure = 'timeout'`);
    expect(await findStuckMail(database.db)).toEqual(none);
    await database.pool.query(`update mails set tries = 3`);
    expect(await findStuckMail(database.db)).toMatchObject({ count: 1, failure: 'timeout' });
    await queue();
    await database.pool.query(`update mails set created_at = now() - interval '11 minutes' where tries = 0`);
    const { count, since } = await findStuckMail(database.db);
    expect(count).toBe(2);
    expect(Date.now() - Date.parse(since ?? '')).toBeGreaterThan(11 * 60_000 - 5_000);
  });

  test('a mail whose link has expired does not count as stuck', async () => {
    await queue(silent, MAIL, inSeconds(-1));
    await database.pool.query(`update mails set tries = 3, failure = 'timeout'`);
    expect(await findStuckMail(database.db)).toEqual(none);
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
    const { mailer, lines } = start({ smtpUrl: undefined, folder });
    for (let i = 0; i < 20; i++) await queue(mailer);
    await expect.poll(rows).toEqual([]);
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

  test("composeMail returns only the link with the mail's own token, never a link that a user typed", () => {
    const typed = 'x\nhttps://thief.test/#token=abc';
    const request = { kind: 'plan', company: typed, by: typed, phone: '', plan: typed, text: typed } as const;
    const page = 'https://pass.test/dashboard/admin/requests';
    expect(composeMail('a@b.test', 'tariff_request', { ...request, page }).link).toBeNull();
    const invited = composeMail('a@b.test', 'agent_invitation', { company: typed, link: LINK });
    expect(invited.link).toBe(LINK);
  });

  test('sweepFolder deletes only mails with invalid links and mails older than 7 days', async () => {
    const folder = join(dataDir, 'sweep');
    const { rows: users } = await database.pool.query<{ id: number }>(
      "insert into users (email, name, surname, password_hash, roles) values ('sweep@company.test', '', '', 'x', '{ADMIN}') returning id",
    );
    const { token, hash } = newToken();
    await database.pool.query(
      "insert into mail_links (token_hash, user_id, expires_at) values ($1, $2, now() + interval '1 hour')",
      [hash, users[0]?.id],
    );
    const link = (of: string) => `https://pass.example.ru/security/login#token=${of}&for=password`;
    const write = (text: string, own: string | null, subject = 'Hello') =>
      writeToFolder(folder, {
        from: 'a@b.test',
        to: 'ivan@company.test',
        subject,
        text,
        html: '',
        link: own,
      });
    // Text that another user typed. Its links lead to a foreign host, but contain the valid token.
    const typed = `https://thief.test/#token=${token}\n\nLink: https://thief.test/#token=${token}\n`;
    const live = await write(`${typed}\nOpen:\n${link(token)}\n`, link(token), 'First\nBcc: thief@b.test');
    await write('Open:\n', link('B'.repeat(43)));
    const notice = await write(typed, null);
    const old = await write('Changed\n', null);
    await writeFile(
      old,
      (await readFile(old, 'utf8')).replace(/^Date: .*$/m, 'Date: Mon, 01 Jan 2024 00:00:00 GMT'),
    );
    const [only, ...more] = await sweepFolder(database.db, folder);
    expect(more).toEqual([]);
    expect(only).toMatchObject({
      file: live,
      to: 'ivan@company.test',
      subject: 'First Bcc: thief@b.test',
      link: link(token),
    });
    const elsewhere = await sweepFolder(database.db, folder, new URL('https://moved.example.ru'));
    const same = await sweepFolder(database.db, folder, new URL('https://pass.example.ru'));
    expect([elsewhere, same]).toEqual([[], [only]]);
    // Simulates a mail file of release 0.2, which has no X-Link header.
    const headed = await readFile(live, 'utf8');
    await writeFile(live, headed.replace(/^X-Link: .*\n/m, ''));
    expect(await sweepFolder(database.db, folder)).toEqual([]);
    expect(await sweepFolder(database.db, folder, new URL('https://pass.example.ru'))).toEqual([only]);
    await writeFile(live, headed);
    const left = (await readdir(folder)).map((name) => join(folder, name));
    expect(left.toSorted()).toEqual([live, notice].toSorted());
    await database.pool.query('delete from mail_links');
    expect(await sweepFolder(database.db, folder)).toEqual([]);
    expect((await readdir(folder)).map((name) => join(folder, name))).toEqual([notice]);
  });

  test('a mail stays in the outbox while the mailer cannot write to its folder', async () => {
    const folder = join(dataDir, 'a-file', 'mail');
    await writeFile(join(dataDir, 'a-file'), '');
    const { mailer, lines } = start({ smtpUrl: undefined, folder, pausesMs: [60_000] });
    await queue(mailer);
    await expect.poll(async () => (await rows())[0]?.failure).toBe('folder');
    expect(lines).toEqual([[expect.objectContaining({ tries: 1 }), 'mail was not sent yet']]);
  });
});
