import { myAccess } from '@propusk/contract/access';
import { changeOwnPassword, createPairing, login, logout, pair } from '@propusk/contract/auth';
import { me } from '@propusk/contract/me';
import { deleteUser, getUser } from '@propusk/contract/users';
import { answered, PASSWORD, startApi, type TestApi } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

let api: TestApi;
let second: TestApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  second = await startApi(inject('serverUrl'), { shared: api.database });
});
afterAll(async () => {
  await second.close();
  await api.close();
});

let addresses = 0;
const fresh = () => `10.7.${addresses >> 8}.${addresses++ & 255}`;
const codeOf = async (token: string) => (await api.must(token, createPairing)).code;
const redeem = (code: string, on = api, from = fresh()) => on.call(null, pair, { body: { code }, from });
const DEAD = {
  code: 'link_dead',
  message:
    'Код подключения уже не действует: его срок одна минута, и срабатывает он один раз. Нажмите «Войти в расширение» ещё раз',
};

describe('pairing codes of the extension', () => {
  test('a pairing code opens one session of the extension', async () => {
    const owner = await api.company();
    const { code, expiresAt } = await api.must(owner.token, createPairing);
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(50_000);
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(60_000);
    const { body } = await redeem(code);
    expect((await api.must(body.token, me)).email).toBe(owner.email);
    const again = await redeem(code);
    expect([again.status, again.error]).toEqual([400, DEAD]);
    // A sign-out of the console does not end the session of the extension.
    await api.must(owner.token, logout);
    expect((await api.call(body.token, me)).status).toBe(200);
  });

  test('exactly one of 100 concurrent uses of a pairing code over two processes succeeds', async () => {
    const code = await codeOf((await api.company()).token);
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, i) => answered(() => redeem(code, i % 2 === 0 ? api : second))),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    const losers = replies.filter(({ status }) => status !== 200);
    expect(losers.map(({ error }) => error)).toEqual(losers.map(() => DEAD));
  });

  test('a pairing code expires after a minute', async () => {
    const code = await codeOf((await api.company()).token);
    await api.database.pool.query(`update pairing_codes set expires_at = now() - interval '1 second'`);
    expect((await redeem(code)).error).toEqual(DEAD);
  });

  test('a pairing code becomes invalid when the session that created the code ends', async () => {
    const owner = await api.company();
    const other = (await api.must(null, login, { body: { email: owner.email, password: PASSWORD } })).token;
    const [first, kept, third] = [await codeOf(owner.token), await codeOf(other), await codeOf(owner.token)];
    await api.must(owner.token, logout);
    expect((await redeem(first)).error).toEqual(DEAD);
    const stranger = (await api.must(null, login, { body: { email: owner.email, password: PASSWORD } }))
      .token;
    const strangers = await codeOf(stranger);
    const change = { currentPassword: PASSWORD, password: 'another horse' };
    await api.must(other, changeOwnPassword, { body: change });
    for (const code of [third, strangers]) expect((await redeem(code)).error).toEqual(DEAD);
    expect((await redeem(kept)).status).toBe(200);
  });

  test('only wrong pairing codes count against the rate limit of an IP address', async () => {
    const { token } = await api.company();
    const from = fresh();
    for (let i = 0; i < 30; i++) expect((await redeem('A'.repeat(43), api, from)).status).toBe(400);
    const over = await redeem('A'.repeat(43), second, from);
    expect([over.status, over.error.code]).toEqual([429, 'too_many_requests']);
    expect((await redeem(await codeOf(token), api, from)).status).toBe(200);
  });

  test('the database stores only the hash of a pairing code', async () => {
    const { token } = await api.company();
    const { code } = await api.must(token, createPairing, { headers: { 'idempotency-key': 'once' } });
    const { rows } = await api.database.pool.query('select p::text from pairing_codes p');
    const kept = await api.database.pool.query('select k::text from idempotency_keys k');
    expect(JSON.stringify([rows, kept.rows])).not.toContain(code);
  });
});

describe('sessions of the browser extension', () => {
  const extension = async (email: string, password = PASSWORD) =>
    (await api.must(null, login, { body: { email, password, client: 'extension' }, from: fresh() })).token;
  const seen = async (email: string) => {
    const { rows } = await api.database.pool.query(
      `select extension_seen_at as at, u.version, c.policy_version as policy from users u join companies c on c.id = u.company_id
       where email = $1`,
      [email],
    );
    return rows[0];
  };

  test('the use of the extension is recorded at most once a day', async () => {
    const owner = await api.company();
    const agent = await api.agent(owner.token);
    await api.must(agent.token, myAccess);
    const before = await seen(agent.email);
    expect(before.at).toBeNull();
    const entity = await api.call(owner.token, getUser, { params: { id: agent.id } });
    const token = await extension(agent.email);
    const { version } = await api.must(token, myAccess);
    const after = await seen(agent.email);
    expect(Date.now() - Date.parse(after.at)).toBeLessThan(10_000);
    expect({ ...after, at: null }).toEqual(before);
    expect(version).toBe(before.policy);
    const again = await api.call(owner.token, getUser, { params: { id: agent.id } });
    expect(again.headers.etag).toBe(entity.headers.etag);
    // A second call within a day does not record the use of the extension again.
    await api.must(token, myAccess);
    expect(await seen(agent.email)).toEqual(after);
    await api.database.pool.query(
      `update users set extension_seen_at = extension_seen_at - interval '25 hours' where email = $1`,
      [agent.email],
    );
    await api.must(token, myAccess);
    expect((await seen(agent.email)).at >= after.at).toBe(true);
  });

  test('a logout revokes gateway tokens only if the session has fetched a gateway token', async () => {
    const owner = await api.company();
    const agent = await api.agent(owner.token);
    const token = await extension(agent.email);
    const epoch = async () => {
      const { rows } = await api.database.pool.query('select gateway_epoch from users where id = $1', [
        agent.id,
      ]);
      return rows[0].gateway_epoch;
    };
    const before = await epoch();
    await api.must(agent.token, logout);
    expect(await epoch()).toBe(before);
    await api.must(token, myAccess);
    await api.must(token, logout);
    expect(await epoch()).toBe(before + 1);
  });

  test('a new password ends a session of the extension, and so does the deletion of the user', async () => {
    const owner = await api.company();
    const agent = await api.agent(owner.token);
    const token = await extension(agent.email);
    const change = { currentPassword: PASSWORD, password: 'another horse' };
    await api.must(agent.token, changeOwnPassword, { body: change });
    expect((await api.call(token, myAccess)).status).toBe(401);
    const next = await extension(agent.email, 'another horse');
    expect((await api.call(next, myAccess)).status).toBe(200);
    await api.must(owner.token, deleteUser, { params: { id: agent.id } });
    expect((await api.call(next, myAccess)).status).toBe(401);
  });
});
