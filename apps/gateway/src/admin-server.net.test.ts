import { once } from 'node:events';
import { connect } from 'node:net';
import { get, openTunnel, raw, statusAndReason } from '@propusk/test-kit/gateway/client';
import {
  authorization,
  company,
  credentials,
  startWorld,
  until,
  type World,
} from '@propusk/test-kit/gateway/world';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** The admin server, which serves /health and /metrics on a separate port. */

const me = credentials(1);
let world: World;
let host: string;

beforeAll(async () => {
  world = await startWorld((port) => [company([`crm.company.test:${port}`], { version: 7 })], {
    GATEWAY_METRICS_PORT: '0',
    SNAPSHOT_MAX_AGE: '1',
  });
  host = `crm.company.test:${world.origin.port}`;
});
afterAll(async () => {
  await world.feed.stop();
  await world.origin.stop();
});

const ask = (path: string) => fetch(`http://127.0.0.1:${world.gateway.metricsPort()}${path}`);

async function metric(name: string): Promise<number> {
  const text = await (await ask('/metrics')).text();
  const line = text.split('\n').find((each) => each.startsWith(`propusk_gateway_${name} `));
  return Number(line?.split(' ').at(-1));
}

test('metrics report the number, duration and bytes of a request, a refusal and a tunnel', async () => {
  await get(world.port, me, `http://${host}/`);
  await get(world.port, credentials(2), `http://${host}/`);
  await get(world.port, '', `http://${host}/`);
  const tunnel = await openTunnel(world.port, me, host, 'GET /drip HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(() => tunnel.got().length > 400);
  expect(await metric('passages_total{form="tunnel"}')).toBe(1);
  expect(await metric('refusals_total{reason="no_policy"}')).toBe(1);
  expect(await metric('refusals_total{reason="bad_credentials"}')).toBe(1);
  expect(await metric('passages')).toBe(1);
  expect(await metric('client_connections')).toBe(1);
  // The metric counts the bytes of open tunnels too, not only of closed ones.
  const down = await metric('bytes_total{direction="down"}');
  expect(down).toBeGreaterThan(400);
  await until(() => tunnel.got().length > 600);
  expect(await metric('bytes_total{direction="down"}')).toBeGreaterThan(down);
  expect(await metric('bytes_total{direction="up"}')).toBeGreaterThan(300);
  // Three dials: for the request, for the tunnel, and for the HTTP request inside the tunnel.
  expect(await metric('dial_seconds_count{outcome="connected"}')).toBe(3);
  expect(await metric('decide_seconds_count')).toBe(3);
  expect(await metric('snapshot_version')).toBe(7);
  expect(await metric('snapshot_companies')).toBe(1);
  expect(await metric('snapshot_age_seconds')).toBeLessThan(1);
  world.feed.publish(company([host], { version: 8, users: [2] }));
  await tunnel.closed;
  await until(() => world.gateway.activeRequests() === 0);
  expect(await metric('cuts_total{reason="no_policy"}')).toBe(1);
  expect(await metric('snapshot_version')).toBe(8);
});

test('metrics contain no names or secrets of users and sites', async () => {
  const text = await (await ask('/metrics')).text();
  for (const secret of ['company.test', 'u1', me.slice(3)]) expect(text).not.toContain(secret);
});

test('/health answers 200 while the snapshot is fresh, and 503 with the reason once it is stale', async () => {
  const well = await ask('/health');
  expect([well.status, await well.json()]).toEqual([
    200,
    { status: 'ok', companies: 1, snapshotAgeSeconds: 0 },
  ]);
  await world.feed.stop();
  await until(() => world.gateway.stale());
  const ill = await ask('/health');
  expect([ill.status, await ill.json()]).toMatchObject([503, { status: 'snapshot_stale' }]);
  expect(await metric('snapshot_stale')).toBe(1);
  await world.feed.start();
  await until(() => !world.gateway.stale());
  expect((await ask('/health')).status).toBe(200);
});

test('the proxy port serves neither health nor metrics, and the admin port is no proxy', async () => {
  expect(
    statusAndReason(await raw(world.port, 'GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')),
  ).toBe('400 bad_request');
  const port = world.gateway.metricsPort() ?? 0;
  expect(statusAndReason(await get(port, me, `http://${host}/`))).toBe('404');
  const connecting = `CONNECT ${host} HTTP/1.1\r\nHost: x\r\n${authorization(me)}\r\n`;
  expect(await raw(port, connecting)).not.toContain('200');
});

test('client connections that have sent no request do not delay a shutdown', async () => {
  const idle = connect(world.port, '127.0.0.1');
  await once(idle, 'connect');
  idle.on('error', () => {});
  await new Promise((resolve) => setTimeout(resolve, 50));
  const elapsed = stopwatch();
  await world.gateway.close(5_000);
  expect(elapsed()).toBeLessThan(1_000);
});
