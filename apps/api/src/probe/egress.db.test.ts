import { getSiteLock, learnEgress } from '@propusk/contract/lock';
import { checkProxy } from '@propusk/contract/proxies';
import { parseNetworks } from '@propusk/dial/addresses';
import { testEncryption, testKeys } from '@propusk/test-kit/api/api';
import {
  companyBehind,
  ECHO_HOST,
  EGRESS,
  type ProbeWorld,
  startProbeWorld,
} from '@propusk/test-kit/api/probe-world';
import { SITE } from '@propusk/test-kit/locks/site';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { AppError } from '../core/errors.ts';
import { readProbeProxy, saveEgress } from './egress-store.ts';
import { unpaced } from './pace.ts';
import { startProbeRunner } from './runner.ts';
import { createTransport, type Transport } from './transport.ts';

// The echo endpoint has an IPv4 and an IPv6 address, and squid has egress by both families.
const allowNetworks = parseNetworks('127.0.0.0/22,::1/128') ?? { v4: [], v6: [] };
const hosts = new Map([
  [ECHO_HOST, ['127.0.0.1', '::1']],
  [SITE, ['127.0.0.1']],
  ['squid.example.test', ['127.0.0.1']],
]);
let world: ProbeWorld;
beforeAll(async () => {
  world = await startProbeWorld(inject('serverUrl'), { listen: '::', settings: { allowNetworks, hosts } });
});
afterAll(() => world.close());

test('a proxy with IPv4 and IPv6 egress is stored with both addresses', async () => {
  const { token, proxyId } = await companyBehind(world);
  const check = await world.api.must(token, checkProxy, { params: { id: proxyId } });
  expect(check).toMatchObject({ egress: [EGRESS, '::1'], problem: null });
});

test('known egress addresses are kept when an echo request fails', async () => {
  const { api } = world;
  const { token, proxyId, add } = await companyBehind(world);
  const id = await add('crm.example.ru');
  const known = async () => {
    const [egress] = (await api.must(token, getSiteLock, { params: { id } })).egress;
    return { addresses: egress?.addresses, stale: egress?.stale, problem: egress?.problem };
  };
  await api.must(token, learnEgress, { params: { id } });
  const proxy = await readProbeProxy(api.database.db, testEncryption, proxyId);
  if (proxy === null) throw new Error('no proxy');
  const learned = { reachable: true, credentialsAccepted: true, roundTripMs: 1 };
  const save = (one: Parameters<typeof saveEgress>[2]) =>
    api.database.db.transaction().execute((tx) => saveEgress(tx, proxy, one));
  await save({ ...learned, addresses: [EGRESS], unanswered: [6], problem: null });
  expect(await known()).toEqual({ addresses: [EGRESS, '::1'], stale: false, problem: null });
  await save({
    ...learned,
    addresses: [],
    unanswered: [],
    problem: { code: 'silent', params: { kind: 'proxy' } },
  });
  expect(await known()).toEqual({
    addresses: [EGRESS, '::1'],
    stale: false,
    problem: 'Прокси не отвечает. Проверьте его адрес и порт.',
  });
  // An egress address not seen for a week is deleted, unless the echo request over its address family got no answer.
  await save({ ...learned, addresses: [EGRESS], unanswered: [], problem: null });
  expect(await known()).toEqual({ addresses: [EGRESS, '::1'], stale: false, problem: null });
  await api.database.pool.query(
    `update proxy_egress set confirmed_at = now() - interval '8 days' where proxy_id = $1`,
    [proxyId],
  );
  await save({ ...learned, addresses: [EGRESS], unanswered: [6], problem: null });
  expect(await known()).toEqual({ addresses: [EGRESS, '::1'], stale: false, problem: null });
  await save({ ...learned, addresses: [EGRESS], unanswered: [], problem: null });
  expect(await known()).toEqual({ addresses: [EGRESS], stale: false, problem: null });
});

test('an egress address older than a day is refreshed automatically', async () => {
  const { api, echoUrl } = world;
  const { token, proxyId, add } = await companyBehind(world);
  const id = await add('crm.example.ru');
  await api.must(token, learnEgress, { params: { id } });
  await api.database.pool.query(
    `update proxy_learning set tried_at = now() - interval '25 hours', succeeded_at = now() - interval '25 hours'
     where proxy_id = $1`,
    [proxyId],
  );
  expect((await api.must(token, getSiteLock, { params: { id } })).egress).toMatchObject([{ stale: true }]);
  const gatewayUrl = new URL('http://127.0.0.1:9');
  const transport = createTransport({
    allowNetworks,
    hosts,
    dns: [],
    egress: {},
    gatewayUrl,
    keys: testKeys,
  });
  const stop = new AbortController().signal;
  const runner = startProbeRunner({
    db: api.database.db,
    encryption: testEncryption,
    log: api.app.log,
    outbound: { transport, echoUrl, stop, turns: (_, work) => work() },
    pace: unpaced,
  });
  await runner.tick();
  await runner.close();
  expect((await api.must(token, getSiteLock, { params: { id } })).egress).toMatchObject([{ stale: false }]);
});

test('overlapping egress refreshes send one echo request at a time', async () => {
  const { pool, db } = world.api.database;
  const { proxyId } = await companyBehind(world);
  const { rows } = await pool.query(
    `insert into proxies (company_id, type, host, port) select company_id, type, 'slow' || n || '.test', port
      from proxies, generate_series(1, 7) n where id = $1 returning id, owner_id`,
    [proxyId],
  );
  const companyId = rows[0].owner_id;
  await pool.query(
    `insert into proxy_learning (owner_id, proxy_id, tried_at) select $1, unnest($2::bigint[]), now() - interval '2 days'`,
    [companyId, rows.map(({ id }) => id)],
  );
  const queued: number[] = [];
  let [calls, running, most] = [0, 0, 0];
  const openProxy = async () => {
    most = Math.max(most, ++running);
    calls++;
    await new Promise((done) => setTimeout(done, 50));
    running--;
    throw new Error('slow');
  };
  const transport = { openProxy } as unknown as Transport;
  const runner = startProbeRunner({
    ...{ db, encryption: testEncryption, log: world.api.app.log, pace: unpaced },
    outbound: {
      ...{ transport, echoUrl: world.echoUrl, stop: new AbortController().signal },
      turns: (owner, work) => {
        queued.push(owner);
        return queued.length === 2 ? Promise.reject(new AppError('busy')) : work();
      },
    },
  });
  await Promise.all([runner.tick(), runner.tick(), runner.tick()]);
  await runner.tick();
  await runner.close();
  expect([calls, most, queued]).toEqual([6, 1, Array(7).fill(companyId)]);
});
