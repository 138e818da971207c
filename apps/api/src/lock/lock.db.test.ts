import { getSiteLock, learnEgress, openLockLink, shareLock } from '@propusk/contract/lock';
import { createPolicy } from '@propusk/contract/policies';
import { checkProxy, getProxy, updateProxy } from '@propusk/contract/proxies';
import { createSite, deleteSite } from '@propusk/contract/sites';
import {
  companyBehind,
  EGRESS,
  type ProbeWorld,
  startLiar,
  startProbeWorld,
} from '@propusk/test-kit/api/probe-world';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { claimStaleEgress } from '../probe/egress-store.ts';

let world: ProbeWorld;
beforeAll(async () => {
  world = await startProbeWorld(inject('serverUrl'));
});
afterAll(() => world.close());

/** A forged echo response that a proxy sends after its own 200 to CONNECT. */
const answer = (body: string, status = '200 OK') =>
  `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const connected = 'HTTP/1.1 200 Connection established\r\n\r\n';

describe('the echo', () => {
  test('the echo endpoint returns the client address in an uncacheable response', async () => {
    const { body, headers } = await call('127.0.0.1');
    expect(body).toEqual({ address: '127.0.0.1' });
    expect(headers['cache-control']).toBe('no-store');
  });

  test('the echo endpoint returns an IPv4-mapped IPv6 address as IPv4', async () => {
    expect((await call('::ffff:192.0.2.7')).body).toEqual({ address: '192.0.2.7' });
    expect((await call('2001:db8::1')).body).toEqual({ address: '2001:db8::1' });
  });

  async function call(remoteAddress: string) {
    const reply = await world.api.app.inject({ url: '/api/echo', remoteAddress });
    return { body: reply.json(), headers: reply.headers };
  }
});

describe('the lock of a site', () => {
  test('the lock of a site has no snippets until an egress address is known', async () => {
    const { api } = world;
    const { token, proxyId, policyId, add } = await companyBehind(world);
    const id = await add('crm.example.ru');
    const before = await api.must(token, getSiteLock, { params: { id } });
    expect(before).toMatchObject({
      site: { id, name: 'crm.example.ru' },
      egress: [
        { proxy: { id: proxyId, name: 'squid.example.test' }, addresses: [], learnedAt: null, stale: false },
      ],
      snippets: [],
      breaks: [],
    });
    const after = await api.must(token, learnEgress, { params: { id } });
    expect(after.egress).toMatchObject([
      { direct: false, politics: [{ id: policyId, name: 'Склад' }], addresses: [EGRESS], problem: null },
    ]);
    // A snippet contains the proxy's egress address, not its host 127.0.0.1. Some snippets escape dots with backslashes.
    for (const { text } of after.snippets) expect(text.replaceAll('\\', '')).toContain(EGRESS);
    expect(after.snippets.map(({ kind }) => kind)).toContain('nginx');
    expect(await api.must(token, getSiteLock, { params: { id } })).toEqual(after);
  });

  test('the lock of a site on a default port allows the egress addresses of policies for all sites', async () => {
    const { api } = world;
    const { token, proxyId } = await companyBehind(world);
    await api.must(token, createPolicy, { body: { name: 'Все сайты', proxyId } });
    await api.database.pool.query('update proxies set all_sites = true where id = $1', [proxyId]);
    await api.database.pool.query(
      `update policies set all_sites = true where name = 'Все сайты' and proxy_id = $1`,
      [proxyId],
    );
    const ways = async (address: string) => {
      const { id } = await api.must(token, createSite, { body: { address } });
      return (await api.must(token, getSiteLock, { params: { id } })).egress.map(({ proxy }) => proxy.id);
    };
    expect(await ways('any.example.ru')).toEqual([proxyId]);
    expect(await ways('any.example.ru:8443')).toEqual([]);
  });

  test('the lock of a site is stale after the egress of its proxy changes', async () => {
    const { api } = world;
    const { token, proxyId, add } = await companyBehind(world);
    const [id, second] = [await add('crm.example.ru'), await add('wiki.example.ru')];
    await api.must(token, learnEgress, { params: { id } });
    // Simulates a stored egress address that was last confirmed more than a week ago.
    await api.database.pool.query(
      `update proxy_egress set address = '192.0.2.9', confirmed_at = now() - interval '8 days' where proxy_id = $1`,
      [proxyId],
    );
    const moved = await api.must(token, learnEgress, { params: { id } });
    expect(moved.egress).toMatchObject([{ addresses: [EGRESS], stale: true }]);
    expect(moved.breaks).toEqual([
      { id, name: 'crm.example.ru' },
      { id: second, name: 'wiki.example.ru' },
    ]);
    for (const { text } of moved.snippets) expect(text).not.toContain('192.0.2.9');
    // A probe after the egress change found the second site protected, so the lock of the second site is current.
    await api.database.pool.query(
      `insert into site_checks (company_id, site_id, state, shown_verdict, shown_at)
       select company_id, id, 'done', 'protected', now() from sites where id = $1`,
      [second],
    );
    const shown = await api.must(token, getSiteLock, { params: { id } });
    expect(shown.breaks).toEqual([{ id, name: 'crm.example.ru' }]);
    expect((await api.must(token, getSiteLock, { params: { id: second } })).egress[0]?.stale).toBe(false);
  });

  test('the lock of a site is stale when its egress was not confirmed for a day or its proxy has a new host', async () => {
    const { api } = world;
    const { token, proxyId, add } = await companyBehind(world);
    const id = await add('crm.example.ru');
    const stale = async () => (await api.must(token, getSiteLock, { params: { id } })).egress[0]?.stale;
    await api.must(token, learnEgress, { params: { id } });
    expect(await stale()).toBe(false);
    const age = `update proxy_learning set succeeded_at = now() - interval '25 hours', tried_at = now() - interval '25 hours'
      where proxy_id = $1`;
    await api.database.pool.query(age, [proxyId]);
    expect(await stale()).toBe(true);
    // Two concurrent calls simulate two api processes. Only one of the calls returns the proxy.
    const taken = await Promise.all([
      claimStaleEgress(api.database.db, 50),
      claimStaleEgress(api.database.db, 50),
    ]);
    expect(taken.flat().filter((one) => one === proxyId)).toEqual([proxyId]);
    await api.must(token, learnEgress, { params: { id } });
    expect(await stale()).toBe(false);
    await api.must(token, updateProxy, {
      params: { id: proxyId },
      body: { host: 'dead.example.test', password: 'secret' },
    });
    expect(await stale()).toBe(true);
  });
});

describe('lock links', () => {
  test('a lock link shows the site’s address and current snippets to a visitor without an account', async () => {
    const { api } = world;
    const { token, add } = await companyBehind(world);
    const id = await add('crm.example.ru');
    const link = await api.must(token, shareLock, { params: { id } });
    const [page, secret = ''] = link.url.split('#');
    expect(page).toBe('http://console.test/lock');
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect((Date.parse(link.expiresAt) - Date.now()) / 86_400_000).toBeCloseTo(7, 2);
    const open = () => api.call(null, openLockLink, { body: { token: secret }, from: '10.9.0.1' });
    expect((await open()).body).toEqual({
      address: 'crm.example.ru',
      snippets: [],
      expiresAt: link.expiresAt,
    });
    const { snippets } = await api.must(token, learnEgress, { params: { id } });
    expect((await open()).body).toEqual({ address: 'crm.example.ru', snippets, expiresAt: link.expiresAt });
    const stored = JSON.stringify((await api.database.pool.query('select * from lock_links')).rows);
    expect(stored).not.toContain(secret);
    await api.must(token, deleteSite, { params: { id } });
    expect((await open()).error.code).toBe('lock_link_dead');
  });

  test('only the newest twenty lock links of a site work, until they expire', async () => {
    const { api } = world;
    const { token, add } = await companyBehind(world);
    const params = { id: await add('crm.example.ru') };
    const secrets: string[] = [];
    for (let i = 0; i < 21; i++)
      secrets.push((await api.must(token, shareLock, { params })).url.split('#')[1] ?? '');
    const opens = async (secret = '') =>
      (await api.call(null, openLockLink, { body: { token: secret }, from: '10.9.0.2' })).status;
    expect(await opens(secrets[0])).toBe(400);
    expect(await opens(secrets[1])).toBe(200);
    expect(await opens(secrets[20])).toBe(200);
    await api.database.pool.query(`update lock_links set expires_at = now() where site_id = $1`, [params.id]);
    expect(await opens(secrets[20])).toBe(400);
  });

  test('a lock link stops working when the user who created the link is deleted', async () => {
    const { api } = world;
    const { token, add } = await companyBehind(world);
    const params = { id: await add('crm.example.ru') };
    const leaver = await api.agent(token);
    await api.database.pool.query(`update users set roles = '{CREATOR}' where id = $1`, [leaver.id]);
    const secretOf = async (by: string) =>
      (await api.must(by, shareLock, { params })).url.split('#')[1] ?? '';
    const [theirs, kept] = [await secretOf(leaver.token), await secretOf(token)];
    const opens = async (secret: string) =>
      (await api.call(null, openLockLink, { body: { token: secret }, from: '10.9.0.5' })).status;
    expect(await opens(theirs)).toBe(200);
    await api.database.pool.query('delete from users where id = $1', [leaver.id]);
    expect(await opens(theirs)).toBe(400);
    expect(await opens(kept)).toBe(200);
  });

  test('opening a valid lock link does not count against the limit of guesses per IP address', async () => {
    const { api } = world;
    const { token, add } = await companyBehind(world);
    const link = await api.must(token, shareLock, { params: { id: await add('crm.example.ru') } });
    const secret = link.url.split('#')[1] ?? '';
    const open = (one: string) => api.call(null, openLockLink, { body: { token: one }, from: '10.9.0.4' });
    for (let i = 0; i < 40; i++) expect((await open(secret)).status).toBe(200);
    for (let i = 0; i < 30; i++) expect((await open('A'.repeat(43))).error.code).toBe('lock_link_dead');
    expect((await open('A'.repeat(43))).error.code).toBe('too_many_requests');
    expect((await open(secret)).status).toBe(200);
  });

  test('guesses of a lock link are limited to 30 per IP address', async () => {
    const tries = Array.from({ length: 31 }, () =>
      world.api.call(null, openLockLink, { body: { token: 'A'.repeat(43) }, from: '10.9.0.3' }),
    );
    const codes = (await Promise.all(tries)).map(({ error }) => error.code);
    expect(codes.filter((code) => code === 'lock_link_dead')).toHaveLength(30);
    expect(codes.filter((code) => code === 'too_many_requests')).toHaveLength(1);
  });
});

describe('the result of a proxy check', () => {
  test('a proxy check reports a working squid and its egress address', async () => {
    const { token, proxyId } = await companyBehind(world);
    const check = await world.api.must(token, checkProxy, { params: { id: proxyId } });
    expect(check).toMatchObject({
      reachable: true,
      credentialsAccepted: true,
      egress: [EGRESS],
      problem: null,
    });
    expect(check.roundTripMs).toBeGreaterThan(0);
  });

  test('a proxy check reports a wrong password and never reveals the stored password', async () => {
    const { token, proxyId } = await companyBehind(world, { password: 'canary-password' });
    const reply = await world.api.call(token, checkProxy, { params: { id: proxyId } });
    expect(reply.body).toMatchObject({
      reachable: true,
      credentialsAccepted: false,
      egress: [],
      roundTripMs: null,
    });
    expect(reply.body.problem).toMatch(/логин или пароль/);
    expect(JSON.stringify(reply)).not.toContain('canary-password');
    expect(JSON.stringify(await world.api.must(token, getProxy, { params: { id: proxyId } }))).not.toContain(
      'canary',
    );
  });

  test.each([
    ['dead.example.test', { reachable: false, credentialsAccepted: null }, /не принимает соединений/],
    ['nowhere.example.test', { reachable: false }, /DNS/],
    ['inner.example.test', { reachable: false }, /внутренний адрес/],
    ['169.254.169.254', { reachable: false }, /внутренний адрес/],
  ])('a proxy check explains the problem with %s', async (host, expected, problem) => {
    const { token, proxyId } = await companyBehind(world, { host, port: 9999 });
    const check = await world.api.must(token, checkProxy, { params: { id: proxyId } });
    expect(check).toMatchObject(expected);
    expect(check.problem).toMatch(problem);
  });

  test.each([
    ['garbage', connected + answer('<html>captive portal</html>'), /нет эха/],
    ['another status', connected + answer('{"address":"8.8.8.8"}', '404 Not Found'), /нет эха/],
    ['no address', connected + answer('{"address":"0.0.0.0/0"}'), /нет эха/],
    ['more than an address', connected + answer('{"address":"8.8.8.8","more":1}'), /нет эха/],
    ['lines into settings', connected + answer('{"address":"8.8.8.8\\nallow all"}'), /нет эха/],
    ['an inner address', connected + answer('{"address":"10.0.0.5"}'), /служебный адрес 10\.0\.0\.5/],
    ['megabytes', connected + answer(`{"address":"${'8'.repeat(2_000_000)}"}`), /оборвал|не открыл/],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', /оборвал/],
    ['nothing but an end', '', /оборвал/],
    ['a refusal', 'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n', /отказал: ответ 403/],
  ])('a proxy check rejects a forged echo response: %s', async (_, bytes, problem) => {
    const liar = await startLiar((socket) => socket.end(bytes));
    const { token, proxyId } = await companyBehind(world, { host: 'liar.example.test', port: liar.port });
    const check = await world.api.must(token, checkProxy, { params: { id: proxyId } });
    await liar.stop();
    expect(check).toMatchObject({ reachable: true, egress: [] });
    expect(check.problem).toMatch(problem);
    const { rows } = await world.api.database.pool.query('select 1 from proxy_egress where proxy_id = $1', [
      proxyId,
    ]);
    expect(rows).toEqual([]);
  });

  test('a proxy check of a silent proxy fails after ten seconds', async () => {
    const liar = await startLiar((socket) => socket.write(connected));
    const { token, proxyId, add } = await companyBehind(world);
    const id = await add('crm.example.ru');
    await world.api.must(token, learnEgress, { params: { id } });
    await world.api.must(token, updateProxy, {
      params: { id: proxyId },
      body: { host: 'liar.example.test', port: liar.port, password: 'secret' },
    });
    const elapsed = stopwatch();
    const check = await world.api.must(token, checkProxy, { params: { id: proxyId } });
    await liar.stop();
    expect(elapsed()).toBeLessThan(13_000);
    expect(check).toMatchObject({
      reachable: true,
      egress: [],
      problem: expect.stringContaining('не ответил'),
    });
    const { egress } = await world.api.must(token, getSiteLock, { params: { id } });
    expect(egress).toMatchObject([{ addresses: [EGRESS], stale: true, problem: check.problem }]);
  });
});
