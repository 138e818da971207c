import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import type { Daemon } from '@propusk/test-kit/daemon';
import { startApache } from '@propusk/test-kit/locks/apache';
import { startCaddy } from '@propusk/test-kit/locks/caddy';
import { type Asking, ask, CDN, CDN_NETWORK, EGRESS, OUTSIDE } from '@propusk/test-kit/locks/curl';
import { startNginx } from '@propusk/test-kit/locks/nginx';
import { ACME_FILE, lockOf, SITE } from '@propusk/test-kit/locks/site';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** A lock behind a CDN trusts the header with the visitor's address only in requests that come from the CDN. */

const V6 = '2001:db8::5';
const lock = (kind: 'htaccess-cdn' | 'apache-cdn' | 'nginx-cdn' | 'caddy-cdn') =>
  lockOf(kind, [EGRESS, '203.0.113.5', V6], [CDN_NETWORK, '2001:db8:7::/48']);

const servers: Record<string, () => Promise<Daemon>> = {
  'Apache .htaccess': () => startApache({ htaccess: lock('htaccess-cdn'), allowOverride: 'AuthConfig' }),
  'Apache vhost': () => startApache({ host: lock('apache-cdn') }),
  nginx: () => startNginx({ lock: lock('nginx-cdn') }),
  Caddy: () => startCaddy({ lock: lock('caddy-cdn'), block: 'file_server' }),
};

const visitor = (from: string, address: string): Asking => ({
  from,
  headers: [`CF-Connecting-IP: ${address}`],
});

describe.each(Object.entries(servers))('%s behind a CDN', (name, start) => {
  let server: Daemon;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server?.stop());
  const status = async (asking: Asking, path = '/') => (await ask(server.port, path, asking)).status;

  test.each([EGRESS, '203.0.113.5', V6])(
    'a request from the CDN with the egress address %s as its visitor is allowed',
    async (address) => {
      expect(await status(visitor(CDN, address))).toBe(200);
    },
  );

  test("a direct request from the egress address is allowed, whatever the CDN's header contains", async () => {
    expect(await status({ from: EGRESS })).toBe(200);
    expect(await status(visitor(EGRESS, '198.51.100.9'))).toBe(200);
  });

  test.each([
    '198.51.100.9',
    '203.0.113.50',
    '1203.0.113.5',
    '203a0.113.5',
    '203.0.113.5, 198.51.100.9',
    '198.51.100.9, 203.0.113.5',
    '203.0.113.5/0',
    "'203.0.113.5'",
    '0.0.0.0/0',
    '*',
    '',
  ])('a request from the CDN with the visitor address %j is denied', async (address) => {
    expect(await status(visitor(CDN, address))).toBe(403);
  });

  test("a request from the CDN is denied if the CDN's header with the visitor's address is missing", async () => {
    expect(await status({ from: CDN })).toBe(403);
    for (const header of ['X-Forwarded-For', 'X-Real-IP', 'True-Client-IP', 'CF_Connecting_IP']) {
      expect(await status({ from: CDN, headers: [`${header}: ${EGRESS}`] })).toBe(403);
    }
  });

  test.each([OUTSIDE, '127.0.2.7', '127.0.0.7'])(
    "the lock ignores the CDN's header when %s, which is not the CDN, sends it",
    async (from) => {
      for (const address of [EGRESS, '203.0.113.5', V6]) {
        for (const path of [
          '/',
          '/private.txt',
          '/%61dmin/',
          '/.well-known/acme-challenge/../../private.txt',
        ]) {
          expect(await status(visitor(from, address), path)).toBe(403);
        }
      }
    },
  );

  test('the lock checks each visitor separately when several visitors share one CDN connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const seen: number[] = [];
    const ports = new Set<number | undefined>();
    for (const address of [EGRESS, '198.51.100.9', EGRESS, '198.51.100.9']) {
      const headers = { host: SITE, 'CF-Connecting-IP': address };
      const options = { host: '127.0.0.1', port: server.port, localAddress: CDN, agent, headers };
      const [response] = (await once(get(options), 'response')) as [IncomingMessage];
      ports.add(response.socket.localPort);
      seen.push(response.statusCode ?? 0);
      await response.resume().toArray();
    }
    agent.destroy();
    expect(seen).toEqual([200, 403, 200, 403]);
    expect(ports.size).toBe(1);
  });

  test('every server except Caddy serves ACME challenge files through the CDN and directly', async () => {
    const open = name === 'Caddy' ? 403 : 200;
    expect(await status(visitor(CDN, '198.51.100.9'), ACME_FILE)).toBe(open);
    expect(await status({}, ACME_FILE)).toBe(open);
  });
});
