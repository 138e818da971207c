import { verifyGatewayToken } from '@propusk/access/gateway-secret';
import { myAccess } from '@propusk/contract/access';
import { createPairing, login, logout, pair, useLink } from '@propusk/contract/auth';
import { me } from '@propusk/contract/me';
import { endOtherSessions, endSession, listSessions } from '@propusk/contract/sessions';
import { PASSWORD, startApi, type TestApi, testKeys } from '@propusk/test-kit/api/api';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

let api: TestApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
});
afterAll(() => api.close());

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
let addresses = 0;
const fresh = () => `10.9.${addresses >> 8}.${addresses++ & 255}`;
const signIn = async (email: string, { client, from = fresh(), agent = firefox }: SignIn = {}) => {
  const body = { email, password: PASSWORD, ...(client && { client }) };
  return (await api.must(null, login, { body, from, headers: { 'user-agent': agent } })).token;
};
interface SignIn {
  client?: 'extension';
  from?: string;
  agent?: string;
}
const idOf = async (token: string) => {
  const { rows } = await api.must(token, listSessions);
  return rows.find(({ current }) => current)?.id ?? 0;
};
const alive = async (token: string) => (await api.call(token, me)).status === 200;
const epochOf = async (email: string) => {
  const { rows } = await api.database.pool.query('select gateway_epoch from users where email = $1', [email]);
  return rows[0].gateway_epoch;
};
const age = (id: number, column: string, interval: string) =>
  api.database.pool.query(`update sessions set ${column} = now() - interval '${interval}' where id = $1`, [
    id,
  ]);
const end = (token: string, id: number) => api.call(token, endSession, { params: { id } });

describe('the list of sessions', () => {
  test('the list of sessions shows the client, IP address and browser of each sign-in', async () => {
    const owner = await api.company();
    const agent = await api.agent(owner.token);
    const mine = await signIn(agent.email, { from: '203.0.113.7' });
    await signIn(agent.email, { client: 'extension', from: '::ffff:198.51.100.4' });
    const { code } = await api.must(mine, createPairing);
    await api.must(null, pair, {
      body: { code },
      from: '2001:db8::1',
      headers: { 'user-agent': 'curl/8.14' },
    });
    const { rows, count } = await api.must(mine, listSessions);
    expect(count).toBe(4);
    expect(rows.map(({ client, current, address, agent }) => [client, current, address, agent])).toEqual([
      ['console', true, '203.0.113.7', 'Firefox, Linux'],
      ['extension', false, '2001:db8::1', 'curl'],
      ['extension', false, '198.51.100.4', 'Firefox, Linux'],
      // The session that `api.agent` opened for the new agent.
      ['console', false, expect.stringMatching(/^10\.1\./), 'lightMyRequest'],
    ]);
    for (const { createdAt, lastSeenAt } of rows) {
      expect(lastSeenAt).toBe(createdAt);
      expect(Math.abs(Date.now() - Date.parse(createdAt))).toBeLessThan(20_000);
    }
  });

  test('the list of sessions contains only live sessions of the caller', async () => {
    const owner = await api.company();
    const agent = await api.agent(owner.token);
    const old = await idOf(await signIn(agent.email));
    await age(old, 'expires_at', '1 second');
    expect((await api.must(agent.token, listSessions)).rows.map(({ id }) => id)).toEqual([
      await idOf(agent.token),
    ]);
    expect((await api.must(owner.token, listSessions)).count).toBe(1);
    expect((await end(agent.token, old)).status).toBe(404);
  });

  test('the list of sessions contains the 100 most recently used sessions and the total count', async () => {
    const { token, email } = await api.company();
    await api.database.pool.query(
      `insert into sessions (token_hash, user_id, expires_at)
       select sha256(n::text::bytea || email::text::bytea), id, now() + interval '1 day' from users, generate_series(1, 150) n
       where email = $1`,
      [email],
    );
    const { rows, count } = await api.must(token, listSessions);
    expect([rows.length, count, rows[0]?.current]).toEqual([100, 151, true]);
    await api.must(token, endOtherSessions);
    expect((await api.must(token, listSessions)).count).toBe(1);
  });

  test('a session stores only the first product name of an unknown User-Agent', async () => {
    const { email } = await api.company();
    const agent = `x${'y'.repeat(5000)} (tell-tale)`;
    const token = await signIn(email, { agent });
    const { rows } = await api.must(token, listSessions);
    expect(rows[0]?.agent).toBe(agent.slice(0, 200));
    const stored = await api.database.pool.query('select s::text from sessions s');
    expect(JSON.stringify(stored.rows)).not.toContain('tell-tale');
  });
});

describe('the last use of a session', () => {
  test('a call updates the last use of its session at most every five minutes', async () => {
    const { token } = await api.company();
    const id = await idOf(token);
    const seen = async () => {
      const { rows } = await api.database.pool.query('select last_seen_at from sessions where id = $1', [id]);
      return rows[0].last_seen_at as string;
    };
    await age(id, 'last_seen_at', '4 minutes');
    const before = await seen();
    await api.must(token, me);
    expect(await seen()).toBe(before);
    await age(id, 'last_seen_at', '6 minutes');
    await api.must(token, me);
    expect(Date.now() - Date.parse(await seen())).toBeLessThan(20_000);
  });

  test('a call succeeds at once when the update of its session’s last use is blocked or fails', async () => {
    const { token } = await api.company();
    const id = await idOf(token);
    await age(id, 'last_seen_at', '6 minutes');
    const locker = await api.database.pool.connect();
    await locker.query('begin');
    await locker.query('select from sessions where id = $1 for update', [id]);
    const elapsed = stopwatch();
    expect(await alive(token)).toBe(true);
    expect(elapsed()).toBeLessThan(2_500);
    await locker.query('rollback');
    locker.release();
    await api.database.pool.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise 'disk full' using errcode = '53100'; end $$;
      create trigger full_disk before update on sessions execute function refuse()`);
    expect(await alive(token)).toBe(true);
    await api.database.pool.query('drop trigger full_disk on sessions');
  });
});

describe('ending a session', () => {
  test('ending another session revokes the gateway tokens and mail links of the user at once', async () => {
    const owner = await api.company();
    const agent = await api.agent(owner.token);
    for (const client of [undefined, 'extension'] as const) {
      const other = await signIn(agent.email, client && { client });
      const before = await epochOf(agent.email);
      const body = { email: `moved${before}@company.test`, change: true, currentPassword: PASSWORD };
      await api.must(other, useLink, { body });
      expect((await end(agent.token, await idOf(other))).status).toBe(204);
      expect(await alive(other)).toBe(false);
      expect((await api.call(other, myAccess)).status).toBe(401);
      expect(await epochOf(agent.email)).toBe(before + 1);
      const { rows } = await api.database.pool.query('select from mail_links where user_id = $1', [agent.id]);
      expect(rows).toHaveLength(0);
    }
    expect(await alive(agent.token)).toBe(true);
  });

  test.each([undefined, 'extension'] as const)(
    'ending the current session of the client %s revokes gateway tokens only if the session fetched one',
    async (client) => {
      const owner = await api.company();
      const agent = await api.agent(owner.token);
      const before = await epochOf(agent.email);
      const [idle, fetched] = [
        await signIn(agent.email, client && { client }),
        await signIn(agent.email, client && { client }),
      ];
      await api.must(fetched, myAccess);
      expect((await end(idle, await idOf(idle))).status).toBe(204);
      expect([await alive(idle), await epochOf(agent.email)]).toEqual([false, before]);
      expect((await end(fetched, await idOf(fetched))).status).toBe(204);
      expect([await alive(fetched), await epochOf(agent.email)]).toEqual([false, before + 1]);
    },
  );

  test('a gateway token fetched during the logout of its session is revoked', async () => {
    const owner = await api.company();
    for (let round = 0; round < 20; round++) {
      const agent = await api.agent(owner.token);
      const [access] = await Promise.all([api.call(agent.token, myAccess), api.must(agent.token, logout)]);
      if (access.status !== 200) continue;
      const token = verifyGatewayToken(testKeys, access.body.password);
      expect(token?.epoch).toBeLessThan(await epochOf(agent.email));
    }
  });

  test('fetching a gateway token gets 401 if the session ends during the call', async () => {
    const owner = await api.company();
    const agent = await api.agent(owner.token);
    const locker = await api.database.pool.connect();
    await locker.query('begin');
    await locker.query('delete from sessions where user_id = $1', [agent.id]);
    const asking = api.call(agent.token, myAccess);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await locker.query('commit');
    locker.release();
    expect((await asking).status).toBe(401);
  });

  test('ending a session of another user gets 404', async () => {
    const owner = await api.company();
    const agent = await api.agent(owner.token);
    const stranger = await api.company();
    const replies = [];
    for (const [token, target] of [
      [owner.token, agent.token],
      [agent.token, owner.token],
      [stranger.token, agent.token],
    ] as const) {
      replies.push(await end(token, await idOf(target)));
    }
    replies.push(await end(agent.token, 999_999_999));
    const spent = await idOf(await signIn(agent.email));
    await end(agent.token, spent);
    replies.push(await end(agent.token, spent));
    const [first] = replies;
    expect(first?.status).toBe(404);
    for (const { status, error } of replies) expect([status, error]).toEqual([404, first?.error]);
    for (const { token } of [owner, agent, stranger]) expect(await alive(token)).toBe(true);
  });

  test('ending all other sessions keeps the current one, and a repeated call changes nothing', async () => {
    const owner = await api.company();
    const agent = await api.agent(owner.token);
    const others = await Promise.all(
      Array.from({ length: 20 }, (_, i) => signIn(agent.email, i % 2 ? {} : { client: 'extension' })),
    );
    const before = await epochOf(agent.email);
    expect((await api.call(agent.token, endOtherSessions)).status).toBe(204);
    expect(await Promise.all(others.map(alive))).toEqual(others.map(() => false));
    expect([await alive(agent.token), await alive(owner.token)]).toEqual([true, true]);
    expect(await epochOf(agent.email)).toBe(before + 1);
    expect((await api.call(agent.token, endOtherSessions)).status).toBe(204);
    expect(await epochOf(agent.email)).toBe(before + 1);
  });

  test('one session survives when two sessions end each other concurrently', async () => {
    for (let round = 0; round < 10; round++) {
      const { token, email } = await api.company();
      const other = await signIn(email);
      const replies = await Promise.all([
        api.call(token, endOtherSessions),
        api.call(other, endOtherSessions),
      ]);
      expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 401]);
      expect([await alive(token), await alive(other)].filter(Boolean)).toHaveLength(1);
    }
  });
});
