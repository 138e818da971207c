import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { learnEgress } from '@propusk/contract/lock';
import { createPolicy } from '@propusk/contract/policies';
import { checkProxy, listProxies } from '@propusk/contract/proxies';
import { createSite } from '@propusk/contract/sites';
import { createLog } from '@propusk/gateway/log';
import { createGateway, type Gateway } from '@propusk/gateway/server';
import { GATEWAY_SECRET } from '@propusk/test-kit/api/api';
import { ECHO_HOST, type ProbeWorld, probe, startProbeWorld } from '@propusk/test-kit/api/probe-world';
import { freePort } from '@propusk/test-kit/daemon';
import { testConfig } from '@propusk/test-kit/gateway/world';
import { SITE } from '@propusk/test-kit/locks/site';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

// The real gateway with its own egress address, used with probe tokens.
const GATE_EGRESS = '127.0.0.6';
/** A host name that the gateway resolves to an IPv6 address only. */
const SITE_6 = 'six.example.test';
let world: ProbeWorld;
let gateway: Gateway;
let folder: string;
let direct: number;
let token: string;
beforeAll(async () => {
  const port = await freePort();
  world = await startProbeWorld(inject('serverUrl'), {
    settings: {
      gatewayUrl: new URL(`http://127.0.0.1:${port}`),
      hosts: new Map([ECHO_HOST, SITE, SITE_6].map((name) => [name, ['127.0.0.1']])),
    },
  });
  folder = await mkdtemp(join(tmpdir(), 'propusk-probe-gateway-'));
  gateway = await createGateway(
    testConfig({
      GATEWAY_PORT: String(port),
      GATEWAY_SECRET,
      GATEWAY_HOSTS: `${ECHO_HOST}=127.0.0.1,${SITE}=127.0.0.1,${SITE_6}=::1`,
      GATEWAY_ALLOW_NETWORKS: '127.0.0.0/8,::1/128',
      GATEWAY_EGRESS: GATE_EGRESS,
      // Nothing listens on port 9, so the gateway gets no policies. Requests with probe tokens need no policies.
      API_URL: 'http://127.0.0.1:9',
      DATA_DIR: folder,
    }),
    createLog('silent'),
  );
  await gateway.listen();
  ({ token } = await world.api.company());
  const { rows } = await world.api.must(token, listProxies);
  direct = rows.find((proxy) => proxy.direct)?.id ?? 0;
});
afterAll(async () => {
  await gateway.close(0);
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

test('a check of the gateway reports its egress address', async () => {
  expect(await world.api.must(token, checkProxy, { params: { id: direct } })).toMatchObject({
    reachable: true,
    credentialsAccepted: true,
    egress: [GATE_EGRESS],
    problem: null,
  });
});

test('a site locked to the gateway is protected and a site locked to another address is closed', async () => {
  const { api } = world;
  const site = await world.site({ allowOverride: 'AuthConfig' });
  const policy = await api.must(token, createPolicy, { body: { name: 'Склад', proxyId: direct } });
  const { id } = await api.must(token, createSite, {
    body: { address: site.address, politics: [policy.id] },
  });
  const { snippets, egress } = await api.must(token, learnEgress, { params: { id } });
  expect(egress).toMatchObject([{ direct: true, addresses: [GATE_EGRESS] }]);
  const text = snippets.find(({ kind }) => kind === 'htaccess')?.text ?? '';
  await site.lock(text);
  expect(await probe(api, token, id)).toMatchObject({ verdict: 'protected' });
  await site.lock(text.replaceAll(GATE_EGRESS, '127.0.0.77'));
  expect(await probe(api, token, id)).toMatchObject({ verdict: 'closed' });
});

test('the verdict is closed for a site without an address of the gateway’s address family', async () => {
  const { api } = world;
  const site = await world.site({ allowOverride: 'AuthConfig', htaccess: `Require ip ${GATE_EGRESS}` });
  const policy = await api.must(token, createPolicy, { body: { name: 'Склад', proxyId: direct } });
  const { id } = await api.must(token, createSite, {
    body: { address: site.address.replace(SITE, SITE_6), politics: [policy.id] },
  });
  const check = await probe(api, token, id);
  expect(check).toMatchObject({
    verdict: 'closed',
    meaning: expect.stringContaining('у шлюза нет исходящего адреса того же вида'),
    advice: expect.stringContaining('запись A или AAAA'),
  });
  const seen = check.steps.filter(({ title }) => title.startsWith('Через шлюз: http'));
  expect(new Set(seen.map(({ detail }) => detail)).size).toBe(1);
});

test('a probe through the gateway reveals nothing of a site that another company claims', async () => {
  const { api } = world;
  const site = await world.site({ allowOverride: 'AuthConfig', htaccess: `Require ip ${GATE_EGRESS}` });
  const add = async (owner: string) => {
    const policy = await api.must(owner, createPolicy, { body: { name: 'Склад', proxyId: direct } });
    return api.must(owner, createSite, { body: { address: site.address, politics: [policy.id] } });
  };
  const { id: held } = await add(token);
  const stranger = (await api.company()).token;
  const { id } = await add(stranger);
  const check = await probe(api, stranger, id);
  expect(check).toMatchObject({ verdict: 'unknown', meaning: expect.stringContaining('другой компанией') });
  const seen = check.steps.filter(({ title }) => title.startsWith('Через шлюз: http'));
  expect(new Set(seen.map(({ detail }) => detail))).toEqual(new Set(['закреплён за другой компанией']));
  expect(await probe(api, token, held)).toMatchObject({ verdict: 'protected' });
});

test('a proxy check reports a gateway that listens only on loopback', async () => {
  const port = await freePort();
  const elsewhere = await startProbeWorld(inject('serverUrl'), {
    settings: { gatewayUrl: new URL(`http://dead.example.test:${port}`) },
  });
  const { token: owner } = await elsewhere.api.company();
  const id = (await elsewhere.api.must(owner, listProxies)).rows.find((proxy) => proxy.direct)?.id ?? 0;
  const check = async () => (await elsewhere.api.must(owner, checkProxy, { params: { id } })).problem;
  expect(await check()).toContain('не принимает соединений');
  const listener = createServer().listen(port, '127.0.0.1');
  await once(listener, 'listening');
  expect(await check()).toContain('слушает только этот компьютер');
  listener.close();
  await elsewhere.close();
});
