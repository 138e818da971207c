import { me } from '@propusk/contract/me';
import { createPolicy, listPolicies, updatePolicy } from '@propusk/contract/policies';
import {
  createProxy,
  deleteProxy,
  getProxy,
  listAllProxies,
  listProxies,
  type ProxyType,
  updateAnyProxy,
  updateProxy,
} from '@propusk/contract/proxies';
import { createAdmin } from '@propusk/test-kit/api/admin';
import { startApi, type TestApi, testEncryption } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { readSnapshot } from '../feed/store.ts';
import { readProbeProxy } from '../probe/egress-store.ts';
import { bindPasswords } from './store.ts';

let api: TestApi;
let admin: string;
let owner: string;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  admin = await createAdmin(api);
  owner = (await api.company()).token;
});
afterAll(() => api.close());

const upstream = { host: 'proxy.example.ru', port: 8080, username: 'login', password: 'canary-secret' };

/** The proxies in the company's snapshot for gateways. */
async function egress(token: string) {
  const companyId = (await api.must(token, me)).company?.id ?? 0;
  const source = { db: api.database.db, encryption: testEncryption, log: api.app.log };
  return (await readSnapshot(source, companyId))?.proxies ?? [];
}

describe('edits of a proxy', () => {
  test('an edit of a proxy without a password keeps the stored password', async () => {
    const { id } = await api.must(owner, createProxy, { body: upstream });
    await api.must(owner, createPolicy, { body: { name: 'Склад', proxyId: id } });
    const edited = await api.must(owner, updateProxy, { params: { id }, body: { username: 'renamed' } });
    expect(edited).toMatchObject({ host: 'proxy.example.ru', port: '8080', username: 'renamed' });
    expect(await egress(owner)).toMatchObject([{ username: 'renamed', password: 'canary-secret' }]);
    await api.must(owner, updateProxy, {
      params: { id },
      body: { port: '9090', password: 'another-canary' },
    });
    expect(await egress(owner)).toMatchObject([{ port: 9090, password: 'another-canary' }]);
  });

  test('an edit with an invalid field gets 400 and changes nothing', async () => {
    const { id } = await api.must(owner, createProxy, { body: upstream });
    for (const body of [{ port: 80 }, { host: 'x' }, { password: 'abc' }, { password: 'abc\u0000def' }]) {
      expect((await api.call(owner, updateProxy, { params: { id }, body })).status).toBe(400);
    }
    expect(await api.must(owner, getProxy, { params: { id } })).toMatchObject({ version: 1, port: '8080' });
  });

  test('an edit of a proxy by an owner ignores the field `settings`', async () => {
    const { id } = await api.must(owner, createProxy, { body: upstream });
    const body = { username: 'renamed', settings: { type: 'payment', allSites: true } };
    const proxy = await api.must(owner, updateProxy, { params: { id }, body });
    expect(proxy.settings).toEqual({ type: 'users', allSites: false });
  });

  describe('a change of host or port without the password gets 409 password_needed and changes nothing', () => {
    const callers = [
      'own by the owner',
      'own by an admin',
      'paid by an admin',
      'of the platform by an admin',
    ];
    const moves = [{ host: 'thief.example.ru' }, { port: 8081 }, { host: 'thief.example.ru', port: 8080 }];
    test.each(callers.flatMap((caller) => moves.map((body) => [caller, body] as const)))(
      'the api refuses another address without the password for a proxy %s with %o',
      async (caller, body) => {
        const { id } = await api.must(caller.startsWith('of') ? admin : owner, createProxy, {
          body: upstream,
        });
        const params = { id };
        if (caller.startsWith('paid')) {
          await api.must(admin, updateAnyProxy, { params, body: { settings: { type: 'payment' } } });
        }
        const before = await api.must(admin, getProxy, { params });
        const calls = caller.endsWith('owner')
          ? [() => api.call(owner, updateProxy, { params, body })]
          : [updateProxy, updateAnyProxy].map((call) => () => api.call(admin, call, { params, body }));
        for (const call of calls) {
          expect(await call()).toMatchObject({
            status: 409,
            error: { code: 'password_needed', fields: { password: expect.any(String) } },
          });
        }
        expect(await api.must(admin, getProxy, { params })).toEqual(before);
      },
    );
  });

  test.each(['PROXY.example.ru', 'proxy.Example.RU'])(
    'another spelling of the host, %s, keeps the password',
    async (host) => {
      const { token } = await api.company();
      const { id } = await api.must(token, createProxy, { body: upstream });
      await api.must(token, createPolicy, { body: { name: 'Склад', proxyId: id } });
      await api.must(token, updateProxy, { params: { id }, body: { host, port: 8080 } });
      expect(await egress(token)).toMatchObject([{ host, password: 'canary-secret' }]);
    },
  );

  test('a proxy password cannot be decrypted after a change of the proxy host in the database', async () => {
    const { token } = await api.company();
    const { id } = await api.must(token, createProxy, { body: upstream });
    await api.must(token, createPolicy, { body: { name: 'Склад', proxyId: id } });
    const { db } = api.database;
    await db.updateTable('proxies').set({ host: 'thief.example.ru' }).where('id', '=', id).execute();
    expect(await egress(token)).toEqual([]);
    expect(await readProbeProxy(db, testEncryption, id)).toMatchObject({ route: null });
  });

  test('at startup, the api re-encrypts older proxy passwords with the proxy address as associated data', async () => {
    const { token } = await api.company();
    const { id } = await api.must(token, createProxy, { body: upstream });
    await api.must(token, createPolicy, { body: { name: 'Склад', proxyId: id } });
    const { db } = api.database;
    const stored = () => db.selectFrom('proxies').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const { owner_id } = await stored();
    const old = testEncryption.seal(`proxy/${owner_id}/${id}`, 'canary-secret');
    await db.updateTable('proxies').set({ password_sealed: old }).where('id', '=', id).execute();
    await bindPasswords(db, testEncryption);
    const bound = await stored();
    expect(await egress(token)).toMatchObject([{ id, password: 'canary-secret' }]);
    await bindPasswords(db, testEncryption);
    expect((await stored()).password_sealed).toEqual(bound.password_sealed);
  });
});

describe('platform proxies', () => {
  test('an owner can use a platform proxy in a policy but cannot change the proxy', async () => {
    const proxy = await api.must(admin, createProxy, { body: upstream });
    expect(proxy).toMatchObject({ company: null, settings: { type: 'default' }, username: 'login' });
    const { id } = proxy;
    const seen = await api.must(owner, getProxy, { params: { id } });
    expect(seen).toMatchObject({ host: 'proxy.example.ru', username: '' });
    const refused = { status: 403, error: { code: 'default_proxy' } };
    expect(await api.call(owner, updateProxy, { params: { id }, body: { host: 'mine.ru' } })).toMatchObject(
      refused,
    );
    expect(await api.call(owner, deleteProxy, { params: { id } })).toMatchObject(refused);
    await api.must(owner, createPolicy, { body: { name: 'Общий', proxyId: id } });
    expect(await egress(owner)).toContainEqual(expect.objectContaining({ id, password: 'canary-secret' }));
    expect(await api.call(admin, deleteProxy, { params: { id } })).toMatchObject({
      status: 409,
      error: { code: 'proxy_in_use', message: expect.stringContaining('«Общий»') },
    });
  });

  test('an admin cannot turn a company proxy into a platform proxy or the reverse', async () => {
    const own = await api.must(owner, createProxy, { body: upstream });
    const shared = await api.must(admin, createProxy, { body: upstream });
    for (const [id, type] of [
      [own.id, 'default'],
      [shared.id, 'users'],
      [shared.id, 'payment'],
    ] as const) {
      const body = { settings: { type, allSites: true } };
      expect(await api.call(admin, updateAnyProxy, { params: { id }, body })).toMatchObject({
        status: 400,
        error: { fields: { 'settings.type': expect.any(String) } },
      });
    }
    expect((await api.must(admin, getProxy, { params: { id: own.id } })).settings.allSites).toBe(false);
  });

  test('an admin can change only the allSites flag of the direct proxy', async () => {
    const refused = { status: 403, error: { code: 'direct_proxy' } };
    const params = { id: 1 };
    expect(await api.call(admin, updateAnyProxy, { params, body: { host: 'evil.ru' } })).toMatchObject(
      refused,
    );
    expect(await api.call(admin, updateAnyProxy, { params, body: { password: 'secret' } })).toMatchObject(
      refused,
    );
    expect(await api.call(admin, deleteProxy, { params })).toMatchObject(refused);
    const body = { host: 'gate.test', port: '3128', settings: { type: 'default', allSites: true } } as const;
    expect((await api.must(admin, updateAnyProxy, { params, body })).settings.allSites).toBe(true);
    await api.must(admin, updateAnyProxy, { params, body: { settings: { allSites: false } } });
  });
});

test('the allSites flag of a policy has no effect while the proxy does not allow all sites', async () => {
  const { id: proxyId } = await api.must(owner, createProxy, { body: upstream });
  const allow = (allSites: boolean) =>
    api.must(admin, updateAnyProxy, { params: { id: proxyId }, body: { settings: { allSites } } });
  await allow(true);
  const { id } = await api.must(owner, createPolicy, { body: { name: 'Везде', proxyId, allSites: true } });
  const seen = async () =>
    (await api.must(owner, listPolicies)).rows.find((policy) => policy.id === id)?.allSites;
  expect(await seen()).toBe(true);
  await allow(false);
  expect(await seen()).toBe(false);
  await api.must(owner, updatePolicy, { params: { id }, body: { name: 'Везде и всегда' } });
  await allow(true);
  expect(await seen()).toBe(true);
  await api.must(owner, updatePolicy, { params: { id }, body: { proxyId: 1 } });
  expect(await seen()).toBe(false);
});

test('the list of proxies contains proxies of other companies only for an admin', async () => {
  const stranger = (await api.company()).token;
  const foreign = await api.must(stranger, createProxy, { body: { ...upstream, host: 'stranger.ru' } });
  const own = await api.must(owner, listProxies);
  expect(own.rows.map(({ id }) => id)).not.toContain(foreign.id);
  expect(own.rows.map(({ settings }) => settings.type)).toContain('default');
  for (const endpoint of [listProxies, listAllProxies]) {
    const { rows, count } = await api.must(admin, endpoint, { query: { name: 'STRANGER', take: 5 } });
    expect([rows.map(({ id }) => id), count]).toEqual([[foreign.id], 1]);
    expect(rows[0]?.company).toEqual({ companyName: expect.any(String), companySite: 'company.test' });
  }
  expect((await api.call(owner, getProxy, { params: { id: foreign.id } })).status).toBe(404);
});

test('a list of proxies by type returns and counts only proxies of that type', async () => {
  const shared = await api.must(admin, createProxy, { body: { ...upstream, host: 'typed.platform.ru' } });
  const own = await api.must(owner, createProxy, { body: { ...upstream, host: 'typed.company.ru' } });
  const listed = async (query: { type?: ProxyType }) => {
    const { rows, count } = await api.must(admin, listAllProxies, { query: { name: 'typed', ...query } });
    return [rows.map(({ id }) => id), count];
  };
  expect(await listed({ type: 'default' })).toEqual([[shared.id], 1]);
  expect(await listed({ type: 'users' })).toEqual([[own.id], 1]);
  expect(await listed({ type: 'payment' })).toEqual([[], 0]);
  expect(await listed({})).toEqual([[shared.id, own.id], 2]);
  const { rows } = await api.must(admin, listAllProxies, { query: { type: 'default' } });
  expect(new Set(rows.map(({ settings }) => settings.type))).toEqual(new Set(['default']));
});
