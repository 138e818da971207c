import { type AddressInfo, connect } from 'node:net';
import { startApi } from '@propusk/test-kit/api/api';
import { afterEach, expect, inject, test } from 'vitest';
import { createMetrics, serveMetrics } from './metrics.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function start(
  settings: NonNullable<Parameters<typeof startApi>[1]>['settings'],
  metrics = createMetrics(),
) {
  const api = await startApi(inject('serverUrl'), { settings, metrics });
  ends.push(() => api.close());
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  return { api, port: (api.app.server.address() as AddressInfo).port };
}

/** @returns the status of the first response, or the error that ended the connection */
async function status(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  ends.push(() => socket.destroy());
  socket.write(bytes);
  return new Promise((resolve) => {
    socket.once('data', (data) => resolve(String(data).slice(9, 12))).once('error', () => resolve('reset'));
  });
}

const GET = 'GET /api/health HTTP/1.1\r\nhost: x\r\n\r\n';

test('one IP address can hold at most half of the connections that SOCKETS allows', async () => {
  const { port } = await start({ sockets: 20 });
  for (let i = 0; i < 10; i++) expect(await status(port, GET)).toBe('200');
  expect(await status(port, GET)).toBe('reset');
});

test('under memory pressure every call except health gets 503 with Retry-After', async () => {
  const { api } = await start({ memory: 1 });
  const reply = await api.app.inject({ url: '/api/me', headers: { authorization: 'Bearer x' } });
  expect([reply.statusCode, reply.headers['retry-after'], reply.json().code]).toEqual([
    503,
    '5',
    'overloaded',
  ]);
  expect((await api.app.inject({ url: '/api/health' })).statusCode).toBe(200);
});

test('the metrics contain resident memory, refused connections and the bytes of waiting requests', async () => {
  const metrics = createMetrics();
  const { port } = await start({ sockets: 2 }, metrics);
  expect(await status(port, GET)).toBe('200');
  expect(await status(port, GET)).toBe('reset');
  const at = await serveMetrics(metrics, 0);
  const text = await (await fetch(`http://127.0.0.1:${at}/metrics`)).text();
  expect(text).toMatch(/^propusk_api_waiting_bytes\{direction="in"\} 0$/m);
  expect(text).toMatch(/^propusk_api_connections_refused_total 1$/m);
  expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
});
