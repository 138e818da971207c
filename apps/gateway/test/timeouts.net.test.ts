import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { openTunnel, raw, statusAndReason } from '@propusk/test-kit/gateway/client';
import { company, credentials, DIRECT, startWorld, type World } from '@propusk/test-kit/gateway/world';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** Clients and proxies that never finish a message. Each test waits for a timeout of 10 s, so all run concurrently. */

let world: World;
let sent = '';
const silent = createServer((socket) => socket.on('data', (data) => (sent += data)).on('error', () => {}));

beforeAll(async () => {
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const proxy = { ...DIRECT, id: 7, type: 'users', direct: false, host: '127.0.0.1', port } as const;
  world = await startWorld(() => [
    company(['crm.company.test'], { proxy: { ...proxy, username: 'gate', password: 'listo' } }),
  ]);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  silent.close();
});

describe.concurrent('within 12 s', () => {
  test.each([
    ['a head that stops', 'GET http://crm.company.test/ HTTP/1.1\r\nHost: x\r\nX-Slow'],
    ['a head that stops behind CONNECT', 'CONNECT crm.company.test:443 HTTP/1.1\r\nHost: x'],
  ])('the gateway answers 408 within 12 s to %s', async (_, bytes) => {
    const elapsed = stopwatch();
    expect(statusAndReason(await raw(world.port, bytes))).toBe('408 bad_request');
    expect(elapsed()).toBeLessThan(12_000);
  });

  test('a connection on which the client sends nothing is closed without a response', async () => {
    const elapsed = stopwatch();
    expect(await raw(world.port, '')).toBe('');
    expect(elapsed()).toBeLessThan(12_000);
  });

  test("the gateway answers 504 when an upstream proxy ignores CONNECT, after sending only the upstream's credentials", async () => {
    const elapsed = stopwatch();
    const tunnel = await openTunnel(world.port, credentials(1), 'crm.company.test:443');
    expect(statusAndReason(tunnel.head)).toBe('504 timeout');
    expect(elapsed()).toBeLessThan(12_000);
    const lines = [
      'CONNECT crm.company.test:443 HTTP/1.1',
      'Host: crm.company.test:443',
      'Proxy-Authorization: Basic Z2F0ZTpsaXN0bw==',
    ];
    expect(sent).toBe(`${lines.join('\r\n')}\r\n\r\n`);
  });
});
