import { listAudit } from '@propusk/contract/audit';
import { login, useLink } from '@propusk/contract/auth';
import { openLink } from '@propusk/contract/invitations';
import { openLockLink, shareLock } from '@propusk/contract/lock';
import { me } from '@propusk/contract/me';
import {
  addAdmin,
  type CompanyRole,
  changeRole,
  inviteOwner,
  removeAdmin,
} from '@propusk/contract/role-changes';
import { resetSecondFactor } from '@propusk/contract/second-factor';
import { createSite } from '@propusk/contract/sites';
import { companyUsers, deleteUser, listUsers, updateUser } from '@propusk/contract/users';
import { createAdmin } from '@propusk/test-kit/api/admin';
import { answered, PASSWORD, startApi, type TestApi, testPasswords } from '@propusk/test-kit/api/api';
import { appCode } from '@propusk/test-kit/api/app-code';
import { type Inbox, openInbox } from '@propusk/test-kit/api/inbox';
import {
  addFactor,
  addSession,
  addUser,
  FACTOR_SECRET,
  insertCompany,
} from '@propusk/test-kit/matrix/inserts';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { ofProcess } from '../identity/passwords.ts';
import { ensureAdmin } from '../identity/store.ts';

let inbox: Inbox;
let api: TestApi;
beforeAll(async () => {
  inbox = await openInbox();
  api = await startApi(inject('serverUrl'), { settings: { smtpUrl: inbox.url } });
});
afterAll(async () => {
  await api.close();
  await inbox.close();
});

let addresses = 0;
const fresh = () => `10.5.${addresses >> 8}.${addresses++ & 255}`;
const proof = { currentPassword: PASSWORD };
const setRole = (token: string, id: number, role: CompanyRole, given: object = proof) =>
  api.call(token, changeRole, { params: { id }, body: { ...proof, role, ...given }, from: fresh() });
const signIn = async (email: string) =>
  (await api.must(null, login, { body: { email, password: PASSWORD }, from: fresh() })).token;

/** Reads the token epoch of a user. Gateways refuse gateway tokens of earlier epochs. */
async function epochOf(id: number): Promise<number> {
  const { rows } = await api.database.pool.query('select gateway_epoch as epoch from users where id = $1', [
    id,
  ]);
  return Number(rows[0]?.epoch);
}

describe('an owner', () => {
  test('an agent who becomes an owner must sign in again and can then manage the company', async () => {
    const owner = await api.company();
    const agent = await api.agent(owner.token);
    const made = await setRole(owner.token, agent.id, 'CREATOR');
    expect(made).toMatchObject({ status: 200, body: { id: agent.id, roles: [{ value: 'CREATOR' }] } });
    expect((await api.call(agent.token, me)).status).toBe(401);
    const { rows } = await api.must(await signIn(agent.email), companyUsers);
    expect(rows.map(({ email }) => email)).toEqual([owner.email, agent.email]);
    const audit = await api.must(owner.token, listAudit, { query: { name: agent.email } });
    const change = { roles: { added: ['CREATOR'], removed: ['USER'] } };
    expect(audit.rows).toContainEqual(
      expect.objectContaining({
        action: 'changed',
        actor: expect.objectContaining({ email: owner.email }),
        object: expect.objectContaining({ id: agent.id }),
        changes: change,
      }),
    );
  });

  test('an owner who becomes an agent loses sessions, gateway tokens and lock links', async () => {
    const owner = await api.company();
    const other = await api.agent(owner.token);
    await setRole(owner.token, other.id, 'CREATOR');
    const session = await signIn(other.email);
    const site = await api.must(session, createSite, { body: { address: 'crm.example.ru' } });
    const { url } = await api.must(session, shareLock, { params: { id: site.id } });
    const lock = { body: { token: url.split('#')[1] ?? '' } };
    expect((await api.call(null, openLockLink, lock)).status).toBe(200);
    expect((await api.call(owner.token, deleteUser, { params: { id: other.id } })).status).toBe(403);
    const epoch = await epochOf(other.id);

    expect((await setRole(owner.token, other.id, 'USER')).status).toBe(200);
    expect((await api.call(session, companyUsers)).status).toBe(401);
    expect((await api.call(null, openLockLink, lock)).status).toBe(400);
    expect(await epochOf(other.id)).toBeGreaterThan(epoch);
    expect((await api.call(await signIn(other.email), companyUsers)).status).toBe(403);
    expect((await api.call(owner.token, deleteUser, { params: { id: other.id } })).status).toBe(204);
  });

  test('a role change to the role that the user already has ends no session', async () => {
    const owner = await api.company();
    const agent = await api.agent(owner.token);
    await setRole(owner.token, agent.id, 'CREATOR');
    const session = await signIn(agent.email);
    expect((await setRole(owner.token, agent.id, 'CREATOR')).status).toBe(200);
    expect((await api.call(session, companyUsers)).status).toBe(200);
  });

  test('nobody can make the last owner an agent, neither the owner nor an admin', async () => {
    const owner = await api.company();
    const { id } = await api.must(owner.token, me);
    expect(await setRole(owner.token, id, 'USER')).toMatchObject({
      status: 403,
      error: { code: 'own_account' },
    });
    const admin = await createAdmin(api);
    expect(await setRole(admin, id, 'USER')).toMatchObject({ status: 409, error: { code: 'last_owner' } });
    expect((await api.call(owner.token, companyUsers)).status).toBe(200);
  });
});

describe('a role change needs the password and the second factor of the actor', () => {
  test('a role change with a wrong password is refused, and the tenth attempt ends the session', async () => {
    const owner = await api.company();
    const agent = await api.agent(owner.token);
    const from = fresh();
    const guess = (currentPassword: string) =>
      api.call(owner.token, changeRole, {
        params: { id: agent.id },
        body: { role: 'CREATOR', currentPassword },
        from,
      });
    for (let n = 0; n < 10; n++) {
      expect(await guess(`wrong horse ${n}`)).toMatchObject({
        status: 400,
        error: { fields: { currentPassword: 'Неверный пароль' } },
      });
    }
    expect((await guess(PASSWORD)).status).toBe(401);
    expect((await api.call(agent.token, companyUsers)).status).toBe(403);
  });

  test('each role change by an actor with a second factor needs a new code', async () => {
    const owner = await api.company();
    const self = await api.must(owner.token, me);
    const [first, second] = [await api.agent(owner.token), await api.agent(owner.token)];
    await addFactor(api.database.db, self.id, 'on');
    const code = appCode(FACTOR_SECRET);
    const wrong = code === '000000' ? '000001' : '000000';
    for (const given of [{}, { code: wrong }]) {
      const { status, error } = await setRole(owner.token, first.id, 'CREATOR', given);
      expect([status, Object.keys(error.fields ?? {})]).toEqual([400, ['code']]);
    }
    expect((await api.call(first.token, me)).status).toBe(200);
    expect((await setRole(owner.token, first.id, 'CREATOR', { code })).status).toBe(200);
    expect((await setRole(owner.token, second.id, 'CREATOR', { code })).status).toBe(400);
    expect((await api.call(second.token, me)).status).toBe(200);
  });

  test('after twenty wrong second-factor codes a role change is refused without a check of the code', async () => {
    const owner = await api.company();
    const self = await api.must(owner.token, me);
    const agent = await api.agent(owner.token);
    await addFactor(api.database.db, self.id, 'on');
    const code = appCode(FACTOR_SECRET);
    const wrong = { code: code === '000000' ? '000001' : '000000' };
    for (let n = 0; n < 20; n++) {
      expect((await setRole(owner.token, agent.id, 'CREATOR', wrong)).status).toBe(400);
    }
    expect((await setRole(owner.token, agent.id, 'CREATOR', { code })).status).toBe(429);
  });
});

describe('a user gets a notice when another user changes the account', () => {
  test('a change by an owner sends a notice to the old address of the changed account', async () => {
    const owner = await api.company();
    const agent = await api.agent(owner.token);
    const params = { id: agent.id };
    const told = async (to: string) => {
      const { subject, text } = await inbox.take(to);
      expect(text).toContain(`Кто изменил: Иван Петров, ${owner.email}. Когда: `);
      expect(text).toContain(`сразу напишите: ${owner.email}.`);
      expect(text).not.toMatch(/https?:|token/);
      return [subject, text] as const;
    };
    const names = await api.database.pool.query('update users set name = $1, surname = $2 where email = $3', [
      'Иван',
      'Петров',
      owner.email,
    ]);
    expect(names.rowCount).toBe(1);
    await api.must(owner.token, updateUser, { params, body: { password: 'another horse' } });
    expect((await told(agent.email))[0]).toContain('Ваш пароль');
    await addFactor(api.database.db, agent.id, 'on');
    await api.must(owner.token, resetSecondFactor, { params, body: {} });
    expect((await told(agent.email))[0]).toContain('второй фактор');
    const moved = `moved.${agent.email}`;
    await api.must(owner.token, updateUser, { params, body: { email: moved } });
    expect((await told(agent.email))[1]).toContain(`теперь используется другая почта: ${moved}`);
    await setRole(owner.token, agent.id, 'CREATOR');
    expect((await told(moved))[0]).toContain('Вашу роль');
    // A change of the user's name sends no notice, because a name gives no access to the account.
    await api.must(owner.token, updateUser, { params, body: { name: 'Пётр' } });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(inbox.mails.filter(({ to }) => to === moved)).toHaveLength(1);
  });

  test('a mailbox gets at most five notices of account changes an hour', async () => {
    const owner = await api.company();
    const agent = await api.agent(owner.token);
    const { id: self } = await api.must(owner.token, me);
    const change = (id: number, body: object) => api.call(owner.token, updateUser, { params: { id }, body });
    // Refused changes do not count for the limit. The owner may change neither their own password nor another company's agent.
    const other = await api.company();
    const theirs = await api.agent(other.token);
    for (let n = 0; n < 6; n++) {
      expect((await change(self, { password: 'another horse' })).status).toBe(403);
      expect((await change(theirs.id, { password: 'another horse' })).status).toBe(404);
    }
    for (let n = 0; n < 8; n++) {
      expect((await change(agent.id, { password: `another horse ${n}` })).status).toBe(200);
    }
    await api.must(other.token, updateUser, {
      params: { id: theirs.id },
      body: { password: 'another horse' },
    });
    await inbox.take(theirs.email);
    await expect.poll(() => inbox.mails.filter(({ to }) => to === agent.email).length).toBe(5);

    const { company } = await api.must(other.token, me);
    await api.database.pool.query('update companies set confirmed = false where id = $1', [company?.id]);
    const quiet = await api.agent(other.token);
    await api.must(other.token, updateUser, {
      params: { id: quiet.id },
      body: { password: 'another horse' },
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(inbox.mails.filter(({ to }) => to === quiet.email)).toEqual([]);
    expect(inbox.mails.filter(({ to }) => to === agent.email)).toHaveLength(5);
  });

  test('after 300 notices in an hour, the api refuses further changes that send a notice', async () => {
    const owner = await api.company();
    const { id: self } = await api.must(owner.token, me);
    const agent = await api.agent(owner.token);
    await api.database.pool.query('insert into rate_limits (key, points, expire) values ($1, 300, $2)', [
      `noticeActor:${self}`,
      Date.now() + 3_600_000,
    ]);
    const change = (body: object) => api.call(owner.token, updateUser, { params: { id: agent.id }, body });
    expect((await change({ password: 'another horse' })).status).toBe(429);
    expect((await signIn(agent.email)).length).toBeGreaterThan(0);
    expect((await change({ name: 'Пётр' })).status).toBe(200);
    expect((await api.call(owner.token, deleteUser, { params: { id: agent.id } })).status).toBe(204);
  });

  test('when an admin changes an owner’s email, the notice to the old address names the other owners', async () => {
    const admin = await createAdmin(api, 'mover@platform.test');
    const owner = await api.company();
    const { id } = await api.must(owner.token, me);
    const second = await api.agent(owner.token);
    await setRole(owner.token, second.id, 'CREATOR');
    const change = { params: { id }, body: { email: `moved.${owner.email}` } };
    expect((await api.call(admin, updateUser, change)).status).toBe(400);
    await api.must(admin, updateUser, { ...change, body: { ...change.body, ...proof } });
    const { text } = await inbox.take(owner.email);
    expect(text).toContain('mover@platform.test. Когда: ');
    expect(text).toContain(`сразу напишите: ${second.email}.`);
  });
});

describe('an admin', () => {
  beforeEach(() => api.database.pool.query(`delete from users where 'ADMIN' = any (roles)`));

  test('an admin can invite another admin, who can then remove the first admin', async () => {
    const leaving = await createAdmin(api, 'leaving@platform.test');
    const extension = await signIn('leaving@platform.test');
    const { id } = await api.must(leaving, me);
    const invitation = {
      body: { email: 'next@platform.test', name: 'Олег', ...proof },
      headers: { 'idempotency-key': 'add-next' },
      from: fresh(),
    };
    const made = await api.must(leaving, addAdmin, invitation);
    expect(made).toMatchObject({ roles: [{ value: 'ADMIN' }], company: null, name: 'Олег' });
    expect(await api.must(leaving, addAdmin, invitation)).toEqual(made);

    const mail = await inbox.take('next@platform.test');
    expect(mail.subject).toBe('Вас пригласили администратором платформы «Пропуск»');
    const link = new URL(/https?:\/\/\S+#\S+/.exec(mail.text)?.[0] ?? '');
    const token = new URLSearchParams(link.hash.slice(1)).get('token') ?? '';
    await api.must(null, useLink, { body: { token, password: PASSWORD }, from: fresh() });
    const next = await signIn('next@platform.test');

    const off = { params: { id }, body: proof, from: fresh() };
    expect((await api.call(next, deleteUser, { params: { id } })).status).toBe(403);
    await api.must(next, removeAdmin, off);
    for (const session of [leaving, extension]) expect((await api.call(session, me)).status).toBe(401);
    const again = { body: { email: 'leaving@platform.test', password: PASSWORD }, from: fresh() };
    expect((await api.call(null, login, again)).status).toBe(401);
    const { rows } = await api.must(next, listAudit, { query: { name: 'leaving@platform.test' } });
    expect(rows[0]).toMatchObject({ action: 'deleted', actor: { email: 'next@platform.test' } });
    // ADMIN_EMAIL still names the removed admin. A restart must not restore this account.
    await ensureAdmin(api.database.db, 'leaving@platform.test', () =>
      testPasswords.hash(PASSWORD, ofProcess),
    );
    expect((await api.call(null, login, { ...again, from: fresh() })).status).toBe(401);
  });

  test('removing an admin revokes the invitations that the admin sent', async () => {
    const admin = await createAdmin(api);
    const owner = await api.company();
    const { company } = await api.must(owner.token, me);
    const maker = await createAdmin(api, 'maker@platform.test');
    const { id } = await api.must(maker, me);
    const linkTo = async (email: string) => {
      const { text } = await inbox.take(email);
      expect(text).toContain('Ссылка действует 7 дней');
      return /#token=([\w-]{43})/.exec(text)?.[1] ?? '';
    };
    const invite = async (by: string, name: string) => {
      const emails = [`owner-${name}@invited.test`, `admin-${name}@invited.test`] as const;
      const params = { id: company?.id ?? 0 };
      await api.must(by, inviteOwner, { params, body: { email: emails[0], ...proof }, from: fresh() });
      await api.must(by, addAdmin, { body: { email: emails[1], ...proof }, from: fresh() });
      return Promise.all(emails.map(linkTo));
    };
    const open = async (token: string) =>
      (await api.call(null, openLink, { body: { token }, from: fresh() })).status;
    const kept = await invite(admin, 'kept');
    const ended = await invite(maker, 'ended');
    const left = `update mail_links set expires_at = expires_at - interval '6 days 23 hours' where made_by is not null`;
    expect((await api.database.pool.query(left)).rowCount).toBe(4);
    expect(await Promise.all([...kept, ...ended].map(open))).toEqual([200, 200, 200, 200]);
    await api.must(admin, removeAdmin, { params: { id }, body: proof, from: fresh() });
    expect(await Promise.all([...kept, ...ended].map(open))).toEqual([200, 200, 400, 400]);
    const body = { token: ended[1] ?? '', password: PASSWORD };
    expect((await api.call(null, useLink, { body, from: fresh() })).error.code).toBe('link_dead');
  });

  test('an invitation fails if the session of the admin ends during the call', async () => {
    const admin = await createAdmin(api);
    const { id } = await api.must(admin, me);
    const client = await api.database.pool.connect();
    await client.query('begin');
    await client.query('delete from sessions where user_id = $1', [id]);
    const email = 'late@platform.test';
    const waiting = api.call(admin, addAdmin, { body: { email, ...proof }, from: fresh() });
    const isWaiting = async () =>
      (
        await api.database.pool.query(
          `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        )
      ).rowCount;
    await expect.poll(isWaiting, { timeout: 10_000 }).toBe(1);
    await client.query('commit');
    client.release();
    expect((await waiting).status).toBe(401);
    expect((await api.database.pool.query('select from users where email = $1', [email])).rowCount).toBe(0);
  });

  test('an admin cannot invite an email address that has an account, nor remove their own role', async () => {
    const admin = await createAdmin(api);
    const { id } = await api.must(admin, me);
    const owner = await api.company();
    const taken = { body: { email: owner.email, ...proof }, from: fresh() };
    expect(await api.call(admin, addAdmin, taken)).toMatchObject({
      status: 409,
      error: { code: 'email_taken' },
    });
    const self = await api.must(owner.token, me);
    for (const [target, status] of [
      [id, 403],
      [self.id, 404],
    ] as const) {
      const call = { params: { id: target }, body: proof, from: fresh() };
      expect((await api.call(admin, removeAdmin, call)).status).toBe(status);
    }
    expect((await api.call(admin, listUsers)).status).toBe(200);
  });

  test('removing an admin needs the password of the actor', async () => {
    const admin = await createAdmin(api);
    const other = await createAdmin(api, 'other@platform.test');
    const { id } = await api.must(other, me);
    const call = { params: { id }, body: { currentPassword: 'wrong horse' }, from: fresh() };
    expect((await api.call(admin, removeAdmin, call)).status).toBe(400);
    expect((await api.call(other, me)).status).toBe(200);
  });
});

describe('concurrent role changes leave at least one owner or admin', () => {
  const CROWD = 8;

  /** Creates users with the given role, and a session for each user. */
  async function crowd(role: 'CREATOR' | 'ADMIN', companyId: number | null) {
    const hash = await testPasswords.hash(PASSWORD, ofProcess);
    const users: { id: number; token: string }[] = [];
    for (let n = 0; n < CROWD; n++) {
      const email = `${role}${n}.${companyId ?? 0}@crowd.test`;
      const id = await addUser(api.database.db, { companyId, email, roles: [role], hash });
      users.push({ id, token: await addSession(api.database.db, id) });
    }
    return users;
  }
  /** Pairs of actor and target. Each user is paired with each of the other users. */
  const pairs = <T>(users: readonly T[]): [T, T][] =>
    Array.from({ length: 200 }, (_, n) => {
      const actor = n % CROWD;
      const target = (actor + 1 + (Math.floor(n / CROWD) % (CROWD - 1))) % CROWD;
      return [users[actor] as T, users[target] as T];
    });
  const known = new Set([200, 204, 401, 403, 404, 409]);

  test('when the owners of a company all demote each other concurrently, one owner remains', async () => {
    const { id } = await insertCompany(api.database.db, 'crossing');
    const owners = await crowd('CREATOR', id);
    const replies = await Promise.all(
      pairs(owners).map(([actor, target]) => answered(() => setRole(actor.token, target.id, 'USER'))),
    );
    expect(replies.filter(({ status }) => !known.has(status))).toEqual([]);
    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(CROWD - 1);
    const left = await api.database.pool.query(
      `select id from users where company_id = $1 and 'CREATOR' = any (roles)`,
      [id],
    );
    expect(left.rowCount).toBe(1);
  });

  test('when all admins remove each other concurrently, one admin remains', async () => {
    await api.database.pool.query(`delete from users where 'ADMIN' = any (roles)`);
    const admins = await crowd('ADMIN', null);
    const replies = await Promise.all(
      pairs(admins).map(([actor, target]) =>
        answered(() =>
          api.call(actor.token, removeAdmin, { params: { id: target.id }, body: proof, from: fresh() }),
        ),
      ),
    );
    expect(replies.filter(({ status }) => !known.has(status))).toEqual([]);
    const left = await api.database.pool.query(`select id from users where 'ADMIN' = any (roles)`);
    expect(left.rowCount).toBe(1);
  });
});
