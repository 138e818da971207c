import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CompanySnapshot } from '@propusk/contract/feed';
import { freePort } from '@propusk/test-kit/daemon';
import { curl, get, openTunnel, statusAndReason } from '@propusk/test-kit/gateway/client';
import {
  startSquid,
  startTinyproxy,
  UPSTREAM_PASSWORD,
  UPSTREAM_USER,
  type UpstreamProxy,
} from '@propusk/test-kit/gateway/upstreams';
import {
  authorization,
  company,
  credentials,
  startWorld,
  until,
  type World,
} from '@propusk/test-kit/gateway/world';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** A company's upstream proxy: real proxies, and stubs for rare behaviour. */

const me = credentials(1);
let version = 1;

function upstream(port: number, given: { host?: string; username?: string; password?: string } = {}) {
  return {
    id: 7,
    type: 'users',
    direct: false,
    host: '127.0.0.1',
    port,
    username: UPSTREAM_USER,
    password: UPSTREAM_PASSWORD,
    ...given,
  } as const;
}

let world: World;
let squid: UpstreamProxy;
let tinyproxy: UpstreamProxy;
let site: string;

beforeAll(async () => {
  squid = await startSquid(['crm.company.test']);
  tinyproxy = await startTinyproxy(squid);
  world = await startWorld((port) => [company([`crm.company.test:${port}`])]);
  site = `http://crm.company.test:${world.origin.port}`;
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await tinyproxy?.stop();
  await squid?.stop();
});

/** Configures the company's proxy, and waits until the gateway enforces it. */
async function leaveBy(proxy: CompanySnapshot['proxies'][number]): Promise<void> {
  version += 1;
  world.feed.publish(company([`crm.company.test:${world.origin.port}`], { version, proxy }));
  await until(() => world.gateway.index.companies.get(1)?.version === version);
}

describe.each([
  ['squid', () => squid],
  ['tinyproxy', () => tinyproxy],
])('with the upstream proxy %s and a password', (name, proxy) => {
  beforeAll(() => leaveBy(upstream(proxy().port)));

  test('plain HTTP reaches the site, with the proxy in Via and without our credentials', async () => {
    const got = await curl(world.port, me, `${site}/${name}`);
    expect(got).toMatchObject({ status: 200, body: `hello from ${site.slice(7)}` });
    const request = world.origin.requests.at(-1);
    expect(request?.url).toBe(`/${name}`);
    expect(String(request?.headers.via)).toMatch(new RegExp(`propusk-.*, .*${name}`, 'is'));
    expect(JSON.stringify(world.origin.requests)).not.toMatch(/proxy-authorization/i);
    expect(await proxy().log()).toContain(`${site}/${name}`);
  });

  test('CONNECT reaches the site', async () => {
    const got = await curl(world.port, me, '--proxytunnel', `${site}/in-a-tunnel`);
    expect(got).toMatchObject({ status: 200, connectStatus: 200, body: `hello from ${site.slice(7)}` });
    // squid logs a tunnel when it ends.
    await expect.poll(() => proxy().log()).toMatch(new RegExp(`CONNECT ${site.slice(7)}`));
  });

  test('on shared egress the proxy receives HTTP inside a tunnel as separate requests', async () => {
    await leaveBy({ ...upstream(proxy().port), type: 'default' });
    const options = ['-H', 'Host: evil.test', '--proxytunnel', `${site}/shared`];
    const got = await curl(world.port, me, ...options);
    expect(got).toMatchObject({ status: 200, connectStatus: 200, body: `hello from ${site.slice(7)}` });
    expect(world.origin.requests.at(-1)?.headers.host).toBe(site.slice(7));
    await leaveBy(upstream(proxy().port));
  });

  test('a request body arrives complete', async () => {
    const body = 'ю'.repeat(50_000);
    expect((await curl(world.port, me, '-d', body, `${site}/post`)).status).toBe(200);
    expect(world.origin.requests.at(-1)?.body).toBe(body);
  });

  test("a wrong upstream password gives 502 to plain HTTP and CONNECT, and the proxy's challenge does not reach the client", async () => {
    await leaveBy(upstream(proxy().port, { password: 'wrong' }));
    const before = world.origin.connections();
    const plain = await curl(world.port, me, site);
    const tunnelled = await curl(world.port, me, '--proxytunnel', site);
    expect([plain.status, tunnelled.connectStatus]).toEqual([502, 502]);
    for (const { head } of [plain, tunnelled]) {
      expect(head).toMatch(/^X-Propusk-Reason: upstream_failed/m);
      expect(head).not.toMatch(/proxy-authenticate/i);
    }
    expect(plain.body).toContain('Прокси компании не принял логин и пароль');
    expect(world.origin.connections()).toBe(before);
    await leaveBy(upstream(proxy().port));
  });
});

describe('a failing upstream proxy', () => {
  /** Starts a proxy that sends a fixed reply to each connection, and records what it received. */
  async function stub(answer: string | null): Promise<{ port: number; server: Server; got: () => string }> {
    let got = '';
    const server = createServer((socket) => {
      socket
        .on('error', () => {})
        .on('data', (data) => {
          got += data;
          if (answer === '') socket.destroy();
          else if (answer !== null) socket.end(answer);
        });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port, server, got: () => got };
  }

  async function verdicts(): Promise<string[]> {
    const tunnelled = openTunnel(world.port, me, site.slice(7));
    return [statusAndReason(await get(world.port, me, site)), statusAndReason((await tunnelled).head)];
  }

  test('answers 502 when the upstream proxy refuses connections', async () => {
    await leaveBy(upstream(await freePort()));
    expect(await verdicts()).toEqual(['502 upstream_failed', '502 upstream_failed']);
  });

  test.each([
    ['sending garbage', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['an answer of another protocol', 'HTTP/2 200\r\n\r\n'],
    ['a change of protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'],
    ['a head without end', `HTTP/1.1 200 OK\r\n${`X-Y: ${'z'.repeat(8_000)}\r\n`.repeat(9)}`],
    ['early answers without end', 'HTTP/1.1 103\r\n\r\n'.repeat(4_000)],
    ['bare line feeds', 'HTTP/1.0 200 OK\n\n'],
  ])('answers 502 when the upstream proxy fails by %s', async (_, answer) => {
    const { port, server } = await stub(answer);
    await leaveBy(upstream(port));
    expect(await verdicts()).toEqual(['502 bad_response', '502 bad_response']);
    server.close();
  });

  test.each([
    ['closing without a reply', ''],
    ['an end in the middle of the head', 'HTTP/1.1 200 OK\r\n'],
    ['407', 'HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm="up"\r\nContent-Length: 0\r\n\r\n'],
  ])('answers 502 when the upstream proxy fails by %s', async (_, answer) => {
    const { port, server } = await stub(answer);
    await leaveBy(upstream(port));
    expect(await verdicts()).toEqual(['502 upstream_failed', '502 upstream_failed']);
    server.close();
  });

  test('answers 502 when the upstream proxy refuses CONNECT', async () => {
    const { port, server } = await stub('HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n');
    await leaveBy(upstream(port));
    expect((await verdicts())[1]).toBe('502 upstream_failed');
    server.close();
  });

  test('the gateway leaves a silent upstream proxy when its client leaves', async () => {
    const { port, server, got } = await stub(null);
    await leaveBy(upstream(port));
    const client = connect(world.port, '127.0.0.1');
    client.write(`CONNECT ${site.slice(7)} HTTP/1.1\r\nHost: x\r\n${authorization(me)}\r\n`);
    await until(() => got().includes('CONNECT'));
    expect(world.gateway.activeRequests()).toBe(1);
    client.resetAndDestroy();
    await until(() => world.gateway.activeRequests() === 0, 1_000);
    server.close();
  });

  test('bytes and FIN that a client sends before the upstream proxy replies reach the site', async () => {
    let got = '';
    let ended = false;
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket
        .on('error', () => {})
        .once('data', async () => {
          socket.on('data', (data) => (got += data));
          socket.on('end', () => {
            ended = true;
            socket.end('thanks');
          });
          await sleep(150);
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
        });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    await leaveBy(upstream((server.address() as AddressInfo).port));
    const client = connect({ port: world.port, host: '127.0.0.1', allowHalfOpen: true });
    let answer = '';
    client.on('data', (data) => (answer += data));
    client.write(`CONNECT ${site.slice(7)} HTTP/1.1\r\nHost: x\r\n${authorization(me)}\r\n`);
    await sleep(50);
    client.end('all of it');
    await until(() => ended, 2_000);
    expect(got).toBe('all of it');
    await until(() => answer.endsWith('thanks'), 1_000);
    await until(() => world.gateway.activeRequests() === 0, 1_000);
    client.destroy();
    server.close();
  });

  test.each([
    ['in pieces', ['HTT', 'P/1.1 200 Connection ', 'established\r\nX: y\r', '\n\r', '\n220 mail']],
    [
      'behind an early response',
      ['HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\nHTTP/1.0 200 OK\r\n', '\r\n220 mail'],
    ],
  ])("the upstream proxy's reply is accepted %s", async (_, pieces) => {
    const server = createServer((socket) => {
      socket
        .on('error', () => {})
        .once('data', async () => {
          for (const piece of pieces) {
            socket.write(piece);
            await sleep(30);
          }
          socket.end();
        });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    await leaveBy(upstream((server.address() as AddressInfo).port));
    const tunnel = await openTunnel(world.port, me, site.slice(7));
    await tunnel.closed;
    expect([tunnel.status, tunnel.got()]).toEqual([200, '220 mail']);
    server.close();
  });

  test("the site's first bytes, sent together with the proxy's reply, reach the client", async () => {
    const { port, server } = await stub('HTTP/1.1 200 OK\r\n\r\n220 mail.example.ru');
    await leaveBy(upstream(port));
    const tunnel = await openTunnel(world.port, me, site.slice(7));
    await tunnel.closed.catch(() => {});
    expect([tunnel.status, tunnel.got()]).toEqual([200, '220 mail.example.ru']);
    server.close();
  });
});
