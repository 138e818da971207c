import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { changeOwnPassword, login, useLink } from '@propusk/contract/auth';
import { createCompany, myCompany } from '@propusk/contract/companies';
import { me } from '@propusk/contract/me';
import { inviteOwner } from '@propusk/contract/role-changes';
import { createAdmin } from '@propusk/test-kit/api/admin';
import { answered, PASSWORD, startApi, type TestApi } from '@propusk/test-kit/api/api';
import { type Inbox, openInbox, type ReadMail, readMail } from '@propusk/test-kit/api/inbox';
import { quickOrSoak, threatCase } from '@propusk/test-kit/threat-case';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';

const publicUrl = new URL('https://pass.example.ru');
const log: string[] = [];
const tokens: string[] = [];
let inbox: Inbox;
let api: TestApi;
let second: TestApi;
beforeAll(async () => {
  inbox = await openInbox();
  const settings = { publicUrl, smtpUrl: inbox.url };
  api = await startApi(inject('serverUrl'), { settings, logTo: (line) => log.push(line) });
  second = await startApi(inject('serverUrl'), { settings, shared: api.database });
});
afterAll(async () => {
  await second.close();
  await api.close();
  await inbox.close();
});

let addresses = 0;
const fresh = () => `10.3.${addresses >> 8}.${addresses++ & 255}`;

type Body = {
  email?: string;
  change?: boolean;
  token?: string;
  password?: string;
  currentPassword?: string;
};
const use = (body: Body, token: string | null = null, on = api) =>
  on.call(token, useLink, { body, from: fresh() });
const signIn = (email: string, password: string) =>
  api.call(null, login, { body: { email, password }, from: fresh() });

const move = (email: string, session: string | null, currentPassword = PASSWORD) =>
  use({ email, change: true, currentPassword }, session);

/** Finds the link in a mail. @returns the parameters in the fragment of the link */
function follow(mail: ReadMail): { token: string; for: string } {
  const link = /https?:\/\/\S+#\S+/.exec(mail.text)?.[0] ?? '';
  expect(mail.html).toContain(`href="${link.replace('&', '&#38;')}"`);
  const url = new URL(link);
  expect(`${url.origin}${url.pathname}${url.search}`).toBe('https://pass.example.ru/security/login');
  const { token = '', for: kind = '' } = Object.fromEntries(new URLSearchParams(url.hash.slice(1)));
  expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  tokens.push(token);
  return { token, for: kind };
}

async function passwordLink(email: string): Promise<string> {
  expect((await use({ email })).status).toBe(204);
  const link = follow(await inbox.take(email));
  expect(link.for).toBe('password');
  return link.token;
}

async function emailLink(session: string, email: string): Promise<string> {
  expect((await move(email, session)).status).toBe(204);
  const link = follow(await inbox.take(email));
  expect(link.for).toBe('email');
  return link.token;
}

/** Requests a password link. @returns the SQL statements of the transaction that runs after the reply */
async function statementsOf(email: string): Promise<string[]> {
  const sent: { client: unknown; text: string }[] = [];
  const query = pg.Client.prototype.query as (...given: unknown[]) => unknown;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given) {
    const [first] = given as unknown as [string | { text: string }];
    sent.push({ client: this, text: (typeof first === 'string' ? first : first.text).trim() });
    return query.apply(this, given) as never;
  });
  const transaction = () => {
    const client = sent.find(({ text }) => text.startsWith('insert into mail_links'))?.client;
    const texts = sent.filter((one) => one.client === client).map(({ text }) => text);
    const link = texts.findIndex((text) => text.startsWith('insert into mail_links'));
    return texts.slice(texts.lastIndexOf('begin', link), texts.indexOf('commit', link) + 1);
  };
  await use({ email });
  await expect.poll(() => transaction().at(-1)).toBe('commit');
  spy.mockRestore();
  return transaction();
}

async function account(email: string) {
  const { rows } = await api.database.pool.query(
    'select id, email, version, gateway_epoch as epoch, (select count(*) from sessions where user_id = users.id) as sessions, (select count(*) from mail_links where user_id = users.id) as links from users where email = $1',
    [email],
  );
  return rows[0];
}

const DEAD = {
  code: 'link_dead',
  message: 'Ссылка уже не действует: её срок вышел, или она уже сработала. Запросите новую',
};

describe('an admin invites an owner', () => {
  test('an invited owner sets a password by the mailed link', async () => {
    const admin = await createAdmin(api);
    const company = await api.must(admin, createCompany, { body: { companySite: 'invited.test' } });
    const invitation = {
      params: { id: company.id },
      body: { email: 'Owner@invited.test', name: 'Анна', currentPassword: PASSWORD },
      headers: { 'idempotency-key': 'one-invitation' },
    };
    const owner = await api.must(admin, inviteOwner, invitation);
    expect(owner).toMatchObject({ roles: [{ value: 'CREATOR' }], company: { id: company.id }, name: 'Анна' });
    expect(await api.must(admin, inviteOwner, invitation)).toEqual(owner);
    // The same idempotency key with the path of another company is refused.
    const other = await api.must(admin, createCompany, { body: { companySite: 'other.invited.test' } });
    const reused = await api.call(admin, inviteOwner, { ...invitation, params: { id: other.id } });
    expect([reused.status, reused.error.code]).toEqual([422, 'idempotency_mismatch']);
    const mail = await inbox.take('Owner@invited.test');
    expect(mail.text).toContain('владельцем компании «invited.test»');
    expect((await signIn('owner@invited.test', PASSWORD)).status).toBe(401);
    const { token } = follow(mail);
    expect((await use({ token, password: 'a new horse' })).status).toBe(204);
    const { body } = await signIn('owner@invited.test', 'a new horse');
    expect(await api.must(body.token, myCompany)).toMatchObject({ id: company.id });
    // The next mail to the owner contains the requested link, so there was no second invitation mail.
    await use({ email: 'owner@invited.test' });
    expect((await inbox.take('Owner@invited.test')).subject).toContain('Новый пароль');
  });

  test('an invitation of an owner is refused if the email has an account or the company does not exist', async () => {
    const admin = await createAdmin(api);
    const { email } = await api.company();
    const { id } = await api.must(admin, createCompany, { body: { companySite: 'lonely.test' } });
    const taken = await api.call(admin, inviteOwner, {
      params: { id },
      body: { email, currentPassword: PASSWORD },
    });
    expect([taken.status, taken.error.code]).toEqual([409, 'email_taken']);
    const gone = {
      params: { id: 999_999 },
      body: { email: 'nobody@invited.test', currentPassword: PASSWORD },
    };
    expect((await api.call(admin, inviteOwner, gone)).status).toBe(404);
    expect(await account('nobody@invited.test')).toBeUndefined();
  });
});

describe('password links', () => {
  test('a password link works once and ends all sessions of the account', async () => {
    const { token: session, email } = await api.company();
    await signIn(email, PASSWORD);
    const [first, second, third] = [
      await passwordLink(email),
      await passwordLink(email),
      await emailLink(session, `moved-${email}`),
    ];
    const before = await account(email);
    expect([before.sessions, before.links]).toEqual([2, 3]);
    const set = await use({ token: first, password: 'another horse' });
    expect([set.status, set.body]).toEqual([204, undefined]);
    expect((await api.call(session, me)).status).toBe(401);
    expect(await account(email)).toMatchObject({
      version: before.version + 1,
      epoch: before.epoch + 1,
      sessions: 0,
      links: 0,
    });
    expect((await signIn(email, PASSWORD)).status).toBe(401);
    expect((await signIn(email, 'another horse')).status).toBe(200);
    for (const body of [
      { token: first, password: 'a third horse' },
      { token: second, password: 'a third horse' },
      { token: third },
    ]) {
      const { status, error } = await use(body);
      expect([status, error]).toEqual([400, DEAD]);
    }
  });

  test(
    'exactly one of 100 concurrent uses of a password link over two processes succeeds',
    () =>
      threatCase(
        'password link',
        'concurrent uses of one link over two processes: one succeeds, and its password is set',
        async (tally) => {
          for (let round = 0; round < quickOrSoak(1, 3); round++) {
            const { email } = await api.company();
            const token = await passwordLink(email);
            const replies = await Promise.all(
              Array.from({ length: 100 }, (_, i) =>
                answered(() =>
                  use({ token, password: `horse number ${i}` }, null, i % 2 === 0 ? api : second),
                ),
              ),
            );
            const winners = replies.flatMap(({ status }, i) => (status === 204 ? [i] : []));
            expect(winners).toHaveLength(1);
            const losers = replies.filter(({ status }) => status !== 204);
            expect(losers.map(({ error }) => error)).toEqual(losers.map(() => DEAD));
            expect((await signIn(email, `horse number ${winners[0]}`)).status).toBe(200);
            tally.held(100);
          }
        },
      ),
    quickOrSoak(30_000, 120_000),
  );

  test.each(['password', 'email'])('a link of the kind %s expires after 10 minutes', async (kind) => {
    const { token: session, email } = await api.company();
    const token = kind === 'password' ? await passwordLink(email) : await emailLink(session, `late-${email}`);
    const life = 'select extract(epoch from max(expires_at - created_at)) / 60 as minutes from mail_links';
    const { rows } = await api.database.pool.query(life);
    expect(Number(rows[0].minutes)).toBeCloseTo(10, 1);
    await api.database.pool.query("update mail_links set expires_at = now() - interval '1 second'");
    const reply = await use({ token, ...(kind === 'password' && { password: 'another horse' }) });
    expect([reply.status, reply.error]).toEqual([400, DEAD]);
  });

  test('an unknown token gets the same error as an expired link', async () => {
    for (const token of ['x', 'A'.repeat(43), "' or 1=1 --"]) {
      expect((await use({ token })).error).toEqual(DEAD);
      expect((await use({ token, password: 'another horse' })).error).toEqual(DEAD);
    }
  });

  test('a link refused for the wrong purpose or an invalid password stays usable', async () => {
    const { token: session, email } = await api.company();
    const moved = `wrong-${email}`;
    const [forPassword, forEmail] = [await passwordLink(email), await emailLink(session, moved)];
    expect((await use({ token: forPassword })).error).toEqual(DEAD);
    expect((await use({ token: forEmail, password: 'another horse' })).error).toEqual(DEAD);
    expect((await use({ token: forPassword, password: 'short' })).error.fields).toEqual({
      password: 'Не короче 8 символов',
    });
    expect((await use({ token: forEmail })).status).toBe(204);
    expect((await signIn(moved, PASSWORD)).status).toBe(200);
  });

  test('a link starts with PUBLIC_URL and ignores the headers of the request', async () => {
    const { email } = await api.company();
    const hostile = { host: 'evil.test', 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'gopher' };
    const headers = { ...hostile, origin: 'https://evil.test', referer: 'https://evil.test/' };
    expect((await api.call(null, useLink, { body: { email }, from: fresh(), headers })).status).toBe(204);
    const mail = await inbox.take(email);
    follow(mail);
    expect(mail.raw + mail.text + mail.html).not.toContain('evil');
  });

  test('a link request for an unknown email sends no mail and gets the same reply as for a known email', async () => {
    const { email } = await api.company();
    const [known, unknown] = [await use({ email }), await use({ email: 'nobody@elsewhere.test' })];
    const seen = ({ status, body, headers }: typeof known) => {
      const { date: _, ...rest } = headers;
      return [status, body, rest];
    };
    expect(seen(unknown)).toEqual(seen(known));
    await inbox.take(email);
    expect(inbox.mails.filter(({ to }) => to === 'nobody@elsewhere.test')).toEqual([]);
  });

  test('a request for a link is answered before the lookup of the account', async () => {
    const { email } = await api.company();
    const client = await api.database.pool.connect();
    await client.query('begin');
    await client.query('lock table users, mail_links in access exclusive mode');
    const replies = await Promise.all([use({ email }), use({ email: 'nobody@elsewhere.test' })]);
    expect(replies.map(({ status }) => status)).toEqual([204, 204]);
    await client.query('commit');
    client.release();
    await inbox.take(email);
  });

  test('a request for a link sends the database the same statements with and without an account', async () => {
    const { email } = await api.company();
    const unknown = await statementsOf('nobody@elsewhere.test');
    expect(unknown).toEqual(await statementsOf(email));
    expect(unknown.map((text) => text.split(' ', 3).join(' '))).toEqual([
      'begin',
      'select "id", "email"',
      'insert into mail_links',
      'insert into mails',
      'commit',
    ]);
    await inbox.take(email);
    expect(inbox.mails.filter(({ to }) => to === 'nobody@elsewhere.test')).toEqual([]);
  });

  test('a request for a link takes the same time with and without an account', async () => {
    const { email } = await api.company();
    const took: Record<string, number[]> = { [email]: [], 'nobody@elsewhere.test': [] };
    for (let i = 0; i < 60; i++) {
      await api.database.pool.query('delete from rate_limits');
      const both = Object.entries(took);
      // Alternates the order of the two email addresses, because the mail that follows a reply delays the next request.
      for (const [address, times] of i % 2 === 0 ? both : both.toReversed()) {
        const began = performance.now();
        await use({ email: address });
        times.push(performance.now() - began);
        await new Promise((resolve) => setTimeout(resolve, 15));
      }
    }
    const [known = 0, unknown = 0] = Object.values(took).map(
      (times) => times.toSorted((a, b) => a - b)[30] ?? 0,
    );
    // The tolerance allows for other load on the machine. If the reply waited for the mail, requests for the
    // known email would take several times as long.
    expect(known / unknown).toBeGreaterThan(0.5);
    expect(known / unknown).toBeLessThan(2);
  });
});

describe('email links', () => {
  test('an email link changes the sign-in email and ends all sessions', async () => {
    const { token: session, email } = await api.company();
    const moved = `New-${email}`;
    const other = await passwordLink(email);
    const before = await account(email);
    const token = await emailLink(session, moved);
    const notice = await inbox.take(email);
    expect(notice.subject).toBe('Почту для входа в «Пропуск» хотят сменить');
    expect(notice.text).toContain(moved);
    expect(notice.text).toContain('https://pass.example.ru/auth/reset');
    expect(notice.raw + notice.text + notice.html).not.toContain('token');
    // The email of the account does not change until the user opens the mailed link.
    expect((await api.must(session, me)).email).toBe(email);

    expect((await use({ token })).status).toBe(204);
    expect((await api.call(session, me)).status).toBe(401);
    expect(await account(moved)).toMatchObject({
      id: before.id,
      email: moved,
      version: before.version + 1,
      epoch: before.epoch + 1,
      sessions: 0,
      links: 0,
    });
    const moving = await inbox.take(email);
    expect(moving.subject).toBe('Почта для входа в «Пропуск» изменена');
    expect(moving.text).toContain(moved);
    expect((await use({ token })).error).toEqual(DEAD);
    expect((await use({ token: other, password: 'another horse' })).error).toEqual(DEAD);
    expect((await signIn(email, PASSWORD)).status).toBe(401);
    expect((await signIn(moved, PASSWORD)).status).toBe(200);
  });

  test('a change of email needs the current password, so a stolen session cannot take over the account', async () => {
    const { token: session, email } = await api.company();
    const moved = `thief-${email}`;
    const bare = await use({ email: moved, change: true }, session);
    expect([bare.status, bare.error.fields]).toEqual([400, { currentPassword: 'Заполните это поле' }]);
    const guess = () =>
      api.call(session, useLink, {
        body: { email: moved, change: true, currentPassword: 'wrong horse' },
        from: '203.0.113.99',
      });
    const replies = await Promise.all(Array.from({ length: 30 }, guess));
    const wrong = replies.filter(({ status }) => status === 400);
    // At most ten wrong passwords are checked in one session; the next attempts get 429.
    expect(wrong.length).toBeGreaterThan(0);
    expect(wrong.length).toBeLessThanOrEqual(10);
    for (const { error } of wrong) expect(error.fields).toEqual({ currentPassword: 'Неверный пароль' });
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(30 - wrong.length);
    expect((await account(email)).links).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(inbox.mails.filter(({ to }) => to === moved || to === email)).toEqual([]);
  });

  test('a change of email requires a valid session, but a request for a password link does not', async () => {
    for (const invalid of [null, 'A'.repeat(43)]) {
      const { status, error } = await move('somebody@elsewhere.test', invalid);
      expect([status, error.code]).toEqual([401, 'unauthorized']);
    }
    const { email } = await api.company();
    expect((await use({ email }, 'A'.repeat(43))).status).toBe(204);
    follow(await inbox.take(email));
  });

  test('a change to an email that has an account is refused at the request and at the confirmation', async () => {
    const [one, other] = [await api.company(), await api.company()];
    const taken = {
      code: 'email_taken',
      message: 'Пользователь с такой почтой уже есть',
      fields: { email: 'Эта почта уже занята' },
    };
    const asked = await move(other.email.toUpperCase(), one.token);
    expect([asked.status, asked.error]).toEqual([409, taken]);

    const wanted = `wanted-${one.email}`;
    const [first, late] = [await emailLink(one.token, wanted), await emailLink(other.token, wanted)];
    expect((await use({ token: first })).status).toBe(204);
    const confirmed = await use({ token: late });
    expect([confirmed.status, confirmed.error]).toEqual([409, taken]);
    expect((await api.call(other.token, me)).status).toBe(200);
  });

  test('a change of only the letter case of an email is accepted', async () => {
    const { token: session, email } = await api.company();
    const shouted = email.replace('owner', 'OWNER');
    expect((await use({ token: await emailLink(session, shouted) })).status).toBe(204);
    expect((await account(email)).email).toBe(shouted);
  });
});

test.each([
  [{}, { email: 'Заполните это поле' }],
  [{ email: 'a@b.test', token: 'x' }, { email: 'Нужна почта или ссылка' }],
  [{ email: 'a@b.test', password: PASSWORD }, { password: 'Пароль задаёт ссылка из письма' }],
  [{ token: 'x', change: true }, { change: 'Новая почта уже указана в ссылке' }],
  [{ email: 'a@b.test', change: true }, { currentPassword: 'Заполните это поле' }],
  [
    { email: 'a@b.test', currentPassword: PASSWORD },
    { currentPassword: 'Текущий пароль нужен только для смены почты' },
  ],
])('the call for links refuses the body %j, which matches none of its four uses', async (body, fields) => {
  const { status, error } = await use(body);
  expect([status, error.code, error.fields]).toEqual([400, 'bad_input', fields]);
});

describe('a password change during a request makes the request fail', () => {
  /**
   * Changes the password and deletes the sessions of an account in a transaction. Commits 500 ms after `work`
   * begins, so that `work` waits for the row locks of this transaction.
   */
  async function whilePasswordChanges<T>(email: string, work: () => Promise<T>): Promise<T> {
    const client = await api.database.pool.connect();
    await client.query('begin');
    await client.query("update users set password_hash = 'changed' where email = $1", [email]);
    await client.query('delete from sessions using users u where u.id = user_id and u.email = $1', [email]);
    const working = work();
    await new Promise((resolve) => setTimeout(resolve, 500));
    await client.query('commit');
    client.release();
    return working;
  }

  test('a sign-in with the old password fails when the password changes meanwhile', async () => {
    const { email } = await api.company();
    const { status } = await whilePasswordChanges(email, () => signIn(email, PASSWORD));
    expect([status, (await account(email)).sessions]).toEqual([401, 0]);
  });

  test('a request to change the email fails if the session ends during the request', async () => {
    const { token, email } = await api.company();
    const ask = () => move(`late-${email}`, token);
    const { status } = await whilePasswordChanges(email, ask);
    expect([status, (await account(email)).links]).toEqual([401, 0]);
  });
});

test('without SMTP_URL the api writes mails as files to the data folder', async () => {
  const lines: string[] = [];
  const dataDir = await mkdtemp(join(tmpdir(), 'propusk-data-'));
  const settings = { publicUrl, mailFolder: join(dataDir, 'mail') };
  const alone = await startApi(inject('serverUrl'), { settings, logTo: (line) => lines.push(line) });
  const { email } = await alone.company();
  await alone.call(null, useLink, { body: { email } });
  const files = async () =>
    (await readdir(settings.mailFolder).catch(() => [])).filter((name) => !name.endsWith('.part'));
  await expect.poll(async () => (await files()).length).toBe(1);
  const file = join(settings.mailFolder, (await files())[0] ?? '');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const mail = readMail(await readFile(file, 'utf8'));
  expect(mail.to).toBe(email);
  const token = /#token=([\w-]+)&/.exec(mail.text)?.[1] ?? '';
  expect(token).not.toBe('');
  expect(lines.filter((line) => line.includes(file))).toHaveLength(1);
  expect(lines.join('')).not.toContain(token);
  const redeemed = await alone.call(null, useLink, { body: { token, password: 'another horse' } });
  expect(redeemed.status).toBe(204);
  await alone.close();
  await rm(dataDir, { recursive: true });
});

test('closing the server waits until a requested link has been mailed', async () => {
  const alone = await startApi(inject('serverUrl'), { settings: { publicUrl, smtpUrl: inbox.url } });
  const { email } = await alone.company();
  await alone.call(null, useLink, { body: { email } });
  await alone.close();
  expect(inbox.mails.filter(({ to }) => to === email)).toHaveLength(1);
});

test('neither the database nor the log contains a link token in plain text', async () => {
  const { rows } = await api.database.pool.query(
    "select table_name from information_schema.tables where table_schema = 'public'",
  );
  // The test does not use the links, because the api deletes a used link from the database.
  const { token: session, email } = await api.company();
  await passwordLink(email);
  await emailLink(session, `last-${email}`);
  let stored = '';
  for (const { table_name } of rows) {
    const all = await api.database.pool.query(`select t::text as row from ${table_name} t`);
    stored += all.rows.map(({ row }) => row).join('\n');
  }
  expect(stored).toContain(email);
  expect(tokens.length).toBeGreaterThan(15);
  for (const token of tokens) {
    expect(stored).not.toContain(token);
    expect(stored).not.toContain(Buffer.from(token).toString('hex'));
    expect(stored).not.toContain(Buffer.from(token, 'base64url').toString('hex'));
    expect(log.join('')).not.toContain(token);
  }
  expect(log.join('')).toContain('/api/auth/register');
});

test('a user locked out by wrong passwords of strangers can still set a new password', async () => {
  const { email, token: session } = await api.company();
  for (let network = 0; network < 10; network++) {
    await Promise.all(
      Array.from({ length: 10 }, () =>
        api.call(null, login, { body: { email, password: 'wrong horse' }, from: `10.50.0.${network}` }),
      ),
    );
  }
  expect((await signIn(email, PASSWORD)).status).toBe(429);
  const own = { currentPassword: PASSWORD, password: 'newer horse' };
  expect((await api.call(session, changeOwnPassword, { body: own, from: fresh() })).status).toBe(204);
  await use({ email });
  const { token } = follow(await inbox.take(email));
  expect((await use({ token, password: 'another horse' })).status).toBe(204);
  expect((await signIn(email, 'another horse')).status).toBe(200);
});
