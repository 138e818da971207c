import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayAccess } from '@propusk/contract/access';
import { setRecordSettings } from '@propusk/contract/record-settings';
import { endVisits, listVisits, liveVisits, myVisits, type Visit } from '@propusk/contract/records';
import { get, openTunnel, statusAndReason } from '@propusk/test-kit/gateway/client';
import { startGatewayProcess } from '@propusk/test-kit/gateway/gateway-process';
import { type Company, startWholeProduct, type WholeProduct } from '@propusk/test-kit/gateway/whole-product';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

/** Visits through the real gateway, as the owner's access log shows them. */

let product: WholeProduct;
let home: Company;
beforeAll(async () => {
  product = await startWholeProduct(inject('serverUrl'), 256);
  home = await product.company('crm.company.test', product.origin);
});
afterAll(() => product?.stop());

const log = async (): Promise<Visit[]> => (await product.api.must(home.owner, listVisits)).rows;

/** Polls the log until a visit matches. @returns the visit, and after how many milliseconds the log had it */
async function seen(wanted: (visit: Visit) => boolean, within: number): Promise<Visit & { after: number }> {
  const elapsed = stopwatch();
  for (;;) {
    const found = (await log()).find(wanted);
    const after = elapsed();
    if (found !== undefined) return { ...found, after };
    if (after > within)
      throw new Error(`Not in the log within ${within} ms: ${JSON.stringify((await log()).slice(0, 3))}`);
    await sleep(20);
  }
}

test('a tunnel is on the owner’s screen within 2 s of its start and of its end, and on the agent’s own', async () => {
  const waits: number[] = [];
  for (let n = 0; n < 10; n++) {
    const tunnel = await openTunnel(product.gateway.port, home.agent.who, home.host);
    const open = await seen(({ state, user }) => state === 'open' && user?.id === home.agent.id, 2_000);
    expect(open).toMatchObject({
      kind: 'tunnel',
      host: 'crm.company.test',
      reason: '',
      policy: { id: home.policy },
    });
    tunnel.socket.destroy();
    const closed = await seen(({ id, state }) => id === open.id && state === 'closed', 2_000);
    waits.push(open.after, closed.after);
  }
  expect(Math.max(...waits)).toBeLessThan(2_000);
  const own = await product.api.must(home.agent.token, myVisits);
  expect(own.rows).toHaveLength(10);
  expect(
    (await product.api.must(home.guest.token, myVisits)).rows.filter(({ kind }) => kind === 'tunnel'),
  ).toEqual([]);
});

test('a refusal is in the log with its reason and the person, not with its path', async () => {
  const status = statusAndReason(
    await get(product.gateway.port, home.agent.who, 'http://other.example.test/secret-path'),
  );
  expect(status).toBe('403 site_unknown');
  const refusal = await seen(({ reason }) => reason === 'site_unknown', 2_000);
  expect(refusal).toMatchObject({
    kind: 'refusal',
    user: { id: home.agent.id },
    host: 'other.example.test',
    port: 80,
    site: null,
  });
  expect(JSON.stringify(refusal)).not.toContain('secret');
});

test('a visit and a refusal name the client that asked for the gateway token', async () => {
  const { api, gateway } = product;
  const client = 'nightly-import-1.4';
  const ask = (name: string) =>
    fetch(`${api.url}/api/me/access?client=${name}`, {
      headers: { authorization: `Bearer ${home.agent.token}` },
    });
  for (const bad of ['a/b', '', '=1', 'x'.repeat(41)]) expect((await ask(bad)).status).toBe(400);
  const { username, password } = (await (await ask(client)).json()) as GatewayAccess;
  const who = `${username}:${password}`;
  (await openTunnel(gateway.port, who, home.host)).socket.destroy();
  await get(gateway.port, who, 'http://dead.company.test:444/');
  await seen((visit) => visit.kind === 'tunnel' && visit.client === client, 2_000);
  await seen((visit) => visit.kind === 'refusal' && visit.client === client, 2_000);
  (await openTunnel(gateway.port, home.agent.who, home.host)).socket.destroy();
  await seen((visit) => visit.kind === 'tunnel' && visit.client === null && visit.state === 'closed', 2_000);
});

test('the owner ends a visit within 1 s', async () => {
  const tunnel = await openTunnel(product.gateway.port, home.agent.who, home.host);
  const { id } = await seen(({ state }) => state === 'open', 2_000);
  const elapsed = stopwatch();
  await product.api.must(home.owner, endVisits, { body: { record: id } });
  await tunnel.closed;
  expect(elapsed()).toBeLessThan(1_000);
  expect(await seen((visit) => visit.id === id && visit.state === 'closed', 2_000)).toMatchObject({
    reason: 'ended',
  });
  expect((await product.api.must(home.owner, liveVisits)).rows).toEqual([]);
});

test('a change of the stored addresses reaches the gateway within 2 s, and old records keep theirs', async () => {
  const shown: string[] = [];
  for (const addresses of ['full', 'network', 'none'] as const) {
    const body = { addresses, keepNames: true, timeZone: 'Europe/Moscow' };
    await product.api.must(home.owner, setRecordSettings, { body });
    await sleep(2_000);
    const target = `http://${addresses}.example.test/`;
    await get(product.gateway.port, home.agent.who, target);
    await seen(({ host }) => host === `${addresses}.example.test`, 2_000);
  }
  for (const { host, address } of await log())
    if (/^(full|network|none)\./.test(host)) shown.push(`${host} ${address}`);
  expect(shown).toEqual([
    'none.example.test ',
    'network.example.test 127.0.0.0',
    'full.example.test 127.0.0.1',
  ]);
});

test('visits while the api does not answer are in the log once it answers, each once; a killed gateway leaves its open ones interrupted', async () => {
  const before = (await log()).length;
  await product.api.kill();
  for (let n = 0; n < 5; n++) {
    const tunnel = await openTunnel(product.gateway.port, home.agent.who, home.host);
    tunnel.socket.destroy();
    await sleep(300);
  }
  await product.api.start();
  await openTunnel(product.gateway.port, home.agent.who, home.host);
  await expect.poll(async () => (await log()).length).toBe(before + 6);
  const open = await seen(({ state }) => state === 'open', 15_000);
  await product.gateway.kill();
  const again = await startGatewayProcess({
    API_URL: product.api.url,
    DATA_DIR: join(product.folder, 'gateway'),
    MEMORY: '256',
  });
  await seen(({ id, state }) => id === open.id && state === 'interrupted', 10_000);
  expect((await log()).length).toBe(before + 6);
  await again.kill();
});
