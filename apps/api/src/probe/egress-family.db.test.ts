import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPolicy } from '@propusk/contract/policies';
import { checkProxy, listProxies } from '@propusk/contract/proxies';
import { createSite } from '@propusk/contract/sites';
import { createLog } from '@propusk/gateway/log';
import { createGateway } from '@propusk/gateway/server';
import { GATEWAY_SECRET, testEncryption } from '@propusk/test-kit/api/api';
import { ECHO_HOST, startProbeWorld } from '@propusk/test-kit/api/probe-world';
import { freePort } from '@propusk/test-kit/daemon';
import { get, openTunnel, statusAndReason } from '@propusk/test-kit/gateway/client';
import { credentials, testConfig } from '@propusk/test-kit/gateway/world';
import { expect, inject, test } from 'vitest';
import { readProbeProxy, saveEgress } from './egress-store.ts';

test('without GATEWAY_EGRESS, a gateway uses only the address families that reached the echo endpoint', async () => {
  const port = await freePort();
  const world = await startProbeWorld(inject('serverUrl'), {
    settings: { gatewayUrl: new URL(`http://127.0.0.1:${port}`) },
  });
  const { api } = world;
  const site = createServer((socket) => socket.on('error', () => {})).listen(0, '::');
  await once(site, 'listening');
  const folder = await mkdtemp(join(tmpdir(), 'propusk-egress-family-'));
  const gateway = await createGateway(
    testConfig({
      GATEWAY_PORT: String(port),
      GATEWAY_SECRET,
      GATEWAY_HOSTS: `${ECHO_HOST}=127.0.0.1,four.example.test=127.0.0.1,six.example.test=::1`,
      GATEWAY_ALLOW_NETWORKS: '127.0.0.0/8,::1/128',
      API_URL: `http://127.0.0.1:${world.echoUrl.port}`,
      ECHO_URL: world.echoUrl.origin,
      DATA_DIR: folder,
    }),
    createLog('silent'),
  );
  await gateway.listen();
  const { token } = await api.company();
  const direct = (await api.must(token, listProxies)).rows.find((one) => one.direct)?.id ?? 0;
  const policy = await api.must(token, createPolicy, { body: { name: 'Склад', proxyId: direct } });
  const agent = await api.agent(token, [policy.id]);
  const who = credentials(agent.id, { secret: GATEWAY_SECRET });
  const at = (name: string) => `${name}.example.test:${(site.address() as AddressInfo).port}`;
  for (const name of ['four', 'six'])
    await api.must(token, createSite, { body: { address: at(name), politics: [policy.id] } });
  const open = async (name: string) => {
    const { socket, head } = await openTunnel(port, who, at(name));
    socket.destroy();
    return statusAndReason(head);
  };
  const opens = async (four: string, six: string) => {
    await expect.poll(async () => [await open('four'), await open('six')]).toEqual([four, six]);
  };

  // No request was sent to the echo endpoint yet.
  await opens('200', '200');
  expect(await api.must(token, checkProxy, { params: { id: direct } })).toMatchObject({
    egress: ['127.0.0.1'],
  });
  await opens('200', '502 no_family');
  expect(statusAndReason(await get(port, who, `http://${at('six')}/`))).toBe('502 no_family');

  const proxy = (await readProbeProxy(api.database.db, testEncryption, direct)) ?? expect.fail('no proxy');
  const save = (addresses: string[]) =>
    api.database.db.transaction().execute((tx) =>
      saveEgress(tx, proxy, {
        reachable: true,
        credentialsAccepted: true,
        roundTripMs: 1,
        addresses,
        unanswered: [],
        problem: null,
      }),
    );
  const version = async () =>
    (await api.database.pool.query<{ sum: string }>('select sum(policy_version) from companies')).rows[0]
      ?.sum;
  await save(['127.0.0.1', '::1']);
  await opens('200', '200');
  const before = await version();
  await save(['127.0.0.2', '::1']);
  expect(await version()).toBe(before);
  await api.database.pool.query(`delete from proxy_egress where address not like '%:%'`);
  await opens('502 no_family', '200');

  await gateway.close(0);
  await world.close();
  site.close();
  await rm(folder, { recursive: true, force: true });
});
