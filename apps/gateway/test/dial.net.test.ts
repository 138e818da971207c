import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { parseNetworks } from '@propusk/dial/addresses';
import { createDialer, type DialerOptions, dialByPromise } from '@propusk/dial/dial';
import { createLookup } from '@propusk/dial/resolver';
import { get, openTunnel, raw, statusAndReason, stop } from '@propusk/test-kit/gateway/client';
import { startNameServer } from '@propusk/test-kit/gateway/dns';
import {
  authorization,
  company,
  credentials,
  DIRECT,
  startWorld,
  until,
  type World,
} from '@propusk/test-kit/gateway/world';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { openThreatCase, quickOrSoak } from '@propusk/test-kit/threat-case';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** Addresses that the gateway never connects to, whatever DNS or a tenant's proxy setting says. */

const me = credentials(1);
const nothing = { v4: [], v6: [] };
const never = new AbortController().signal;

const vectors = [
  [
    '127.0.0.1',
    '127.1.2.3',
    '0.0.0.0',
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
  ],
  [
    '169.254.169.254',
    '169.254.0.1',
    '100.64.0.1',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '192.0.2.1',
  ],
  ['198.18.0.1', '198.51.100.1', '203.0.113.1', '192.88.99.1', '224.0.0.1', '239.255.255.255', '240.0.0.1'],
  ['255.255.255.255', '::', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:8.8.8.8'],
  ['::127.0.0.1', '::ffff:0:127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::', '2002:a00:1::1'],
  [
    '2001::1',
    '2001:0:7f00:1::',
    '2001:db8::1',
    '3fff::1',
    '3ffe::1',
    'fe80::1',
    'fe80::1%lo',
    'fec0::1',
    'fc00::1',
  ],
  ['fd00:ec2::254', 'ff02::1', '100::1', '5f00::1', '4000::1'],
].flat();

/**
 * Names that resolve to one forbidden address among allowed ones, and names with forbidden addresses only.
 */
const names = [
  ...vectors.map((address, i) => `v${i}.company.test=${address}`),
  'mixed.company.test=93.184.216.34,127.0.0.1',
  'mixed6.company.test=127.0.0.1,2606:4700::1111',
];

/**
 * Address spellings that are not host names: some program on the path might read them as this machine or an
 * internal one.
 */
const spelled = [
  ...['127.0.0.1', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.1', '0x7f.0.0.1', '0177.0.0.1'],
  ...[
    '017700000001',
    '127.0.0.1.',
    '127.00.0.1',
    '①②⑦.0.0.1',
    '127。0。0。1',
    '１２７.0.0.1',
    '0',
    '0.0.0.0',
  ],
  ...['10.0.0.1', '192.168.1.1', '169.254.169.254', '0xa9fea9fe', '2852039166', '0251.0376.0251.0376'],
  ...['[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]'],
  ...['[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[fe80::1]', '[fe80::1%25lo]', '[fd00:ec2::254]', '::1'],
  ...['::ffff:127.0.0.1', 'localhost', 'LOCALHOST', 'localhost.', '%31%32%37.0.0.1', '127.0.0.1%00.ru'],
];

const tally = openThreatCase(
  'gateway SSRF, rebinding',
  'private addresses and odd spellings as site, CONNECT target and stored proxy: 0 connections',
);
afterAll(() => tally.close());

describe('a gateway that may connect to no private address', () => {
  let world: World;
  let canary: Server;
  let touched = 0;

  beforeAll(async () => {
    // A listener on IPv4 and IPv6 that detects connections: most of the forbidden names lead to its address.
    canary = createServer((socket) => {
      touched += 1;
      socket.destroy();
    }).listen(0, '::');
    await once(canary, 'listening');
    const { port } = canary.address() as AddressInfo;
    const sites = names.map((name) => `${name.replace(/=.*/, '')}:${port}`);
    world = await startWorld(() => [company(sites)], {
      GATEWAY_HOSTS: names.join(','),
      GATEWAY_ALLOW_NETWORKS: '',
    });
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    canary.close();
  });

  test.each(names)('never connects to %s', async (name) =>
    tally.watch(async () => {
      const { port } = canary.address() as AddressInfo;
      const authority = `${name.replace(/=.*/, '')}:${port}`;
      const plain = await get(world.port, me, `http://${authority}/`);
      const tunnelled = await openTunnel(world.port, me, authority);
      expect([statusAndReason(plain), statusAndReason(tunnelled.head)]).toEqual([
        '403 address_refused',
        '403 address_refused',
      ]);
      expect(touched).toBe(0);
    }, 2),
  );

  test.each(spelled)('refuses %s as a target', async (host) =>
    tally.watch(async () => {
      const { port } = canary.address() as AddressInfo;
      const head = `Host: x\r\n${authorization(me)}Connection: close\r\n\r\n`;
      for (const line of [`GET http://${host}:${port}/`, `CONNECT ${host}:${port}`]) {
        const got = statusAndReason(await raw(world.port, `${line} HTTP/1.1\r\n${head}`));
        expect(['400 bad_host', '400 bad_request']).toContain(got);
      }
      expect(touched).toBe(0);
    }, 2),
  );

  const led = names.map((name) => name.replace(/=.*/, ''));
  test.each([...spelled, 'V0.Company.Test', ...led])(
    'never connects to an upstream proxy at %s',
    async (host) =>
      tally.watch(async () => {
        const { port } = canary.address() as AddressInfo;
        const version = (world.gateway.index.companies.get(1)?.version ?? 0) + 1;
        const proxy = { ...DIRECT, id: 7, type: 'users', direct: false, host, port } as const;
        world.feed.publish(company(['v1.company.test'], { version, proxy }));
        await until(() => world.gateway.index.companies.get(1)?.version === version);
        const plain = await get(world.port, me, 'http://v1.company.test/');
        const tunnelled = await openTunnel(world.port, me, 'v1.company.test:443');
        // The gateway refuses the host as an address, or finds no address for it in DNS.
        for (const got of [statusAndReason(plain), statusAndReason(tunnelled.head)])
          expect(['403 address_refused', '502 upstream_failed']).toContain(got);
        expect(touched).toBe(0);
      }, 2),
  );
});

test('the gateway refuses names of this machine, and names without an address, even with access to all sites', async () => {
  const everything = company([]);
  for (const policy of everything.policies) policy.allSites = true;
  const server = await startNameServer((name) => (name.includes('localhost') ? ['127.0.0.1'] : []));
  await using world = await startWorld(() => [everything], {
    GATEWAY_DNS: server.address,
    GATEWAY_ALLOW_NETWORKS: '',
  });
  const ask = async (name: string) => [
    statusAndReason(await get(world.port, me, `http://${name}/`)),
    statusAndReason((await openTunnel(world.port, me, `${name}:443`)).head),
  ];
  for (const name of ['foo.localhost', 'localhost.localdomain', 'LOCALHOST.localdomain.']) {
    expect(await ask(name)).toEqual(['403 address_refused', '403 address_refused']);
  }
  expect(await ask('10.in-addr.arpa')).toEqual(['502 resolve_failed', '502 resolve_failed']);
  expect(world.origin.connections()).toBe(0);
  await server.stop();
});

describe('a gateway with GATEWAY_DNS', () => {
  test('names whose DNS answers alternate with a private address cause no connection to it, and one query each', async () => {
    let touched = 0;
    const canary = createServer((socket) => {
      touched += 1;
      socket.destroy();
    });
    const server = await startNameServer(() => [server.asked() % 2 === 1 ? '127.0.0.1' : '127.0.0.2']);
    await using world = await startWorld((port) => [company([`*.company.test:${port}`])], {
      GATEWAY_DNS: server.address,
      GATEWAY_ALLOW_NETWORKS: '127.0.0.1/32',
    });
    await once(canary.listen(world.origin.port, '127.0.0.2'), 'listening');
    const verdicts = new Map<string, number>();
    const flipped = quickOrSoak(1_000, 5_000);
    for (let i = 0; i < flipped; i++) {
      // Each name is requested twice. The second request uses the cached answer of DNS, and its addresses are checked again.
      const authority = `flip-${i >> 1}.company.test:${world.origin.port}`;
      const got =
        i % 8 < 4
          ? await get(world.port, me, `http://${authority}/`)
          : await openTunnel(world.port, me, authority).then(({ socket, head }) => {
              socket.destroy();
              return head;
            });
      verdicts.set(statusAndReason(got), (verdicts.get(statusAndReason(got)) ?? 0) + 1);
    }
    expect(Object.fromEntries(verdicts)).toEqual({ 200: flipped / 2, '403 address_refused': flipped / 2 });
    expect([touched, server.asked()]).toEqual([0, flipped / 2]);
    tally.held(flipped);
    canary.close();
    await server.stop();
  });
});

describe('a gateway with loopback exempt', () => {
  let world: World;
  const listed =
    'two.company.test=127.0.0.9,127.0.0.1,self.company.test=127.0.0.1,mapped.company.test=::ffff:127.0.0.1';

  beforeAll(async () => {
    world = await startWorld(() => [], { GATEWAY_HOSTS: listed });
    const ports = [world.origin.port, world.port];
    const sites = ['two', 'self', 'mapped'].flatMap((name) =>
      ports.map((port) => `${name}.company.test:${port}`),
    );
    world.feed.publish(company(sites));
    await until(() => world.gateway.index.companies.has(1) && !world.gateway.stale());
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test('the dialer tries the next address when one refuses', async () => {
    expect(statusAndReason(await get(world.port, me, `http://two.company.test:${world.origin.port}/`))).toBe(
      '200',
    );
  });

  test('a gateway connects to another port of its own address, but never to itself', async () => {
    expect(statusAndReason(await get(world.port, me, `http://self.company.test:${world.origin.port}/`))).toBe(
      '200',
    );
    const own = `self.company.test:${world.port}`;
    expect(statusAndReason(await get(world.port, me, `http://${own}/`))).toBe('403 address_refused');
    expect(statusAndReason((await openTunnel(world.port, me, own)).head)).toBe('403 address_refused');
  });

  test('an IPv4 exemption does not cover an IPv4-mapped IPv6 address', async () => {
    const answer = await get(world.port, me, `http://mapped.company.test:${world.origin.port}/`);
    expect(statusAndReason(answer)).toBe('403 address_refused');
  });

  test('a site that has only an address of another family than GATEWAY_EGRESS is 502 no_family', async () => {
    await using bound = await startWorld((port) => [company([`six.company.test:${port}`])], {
      GATEWAY_HOSTS: 'six.company.test=::1',
      GATEWAY_ALLOW_NETWORKS: '::1/128',
      GATEWAY_EGRESS: '127.0.0.7',
    });
    const six = `six.company.test:${bound.origin.port}`;
    expect(statusAndReason(await get(bound.port, me, `http://${six}/`))).toBe('502 no_family');
    expect(statusAndReason((await openTunnel(bound.port, me, six)).head)).toBe('502 no_family');
  });

  test('a gateway refuses itself as an upstream proxy', async () => {
    const proxy = {
      ...DIRECT,
      id: 7,
      type: 'users',
      direct: false,
      host: '127.0.0.1',
      port: world.port,
    } as const;
    world.feed.publish(company(['two.company.test'], { version: 2, proxy }));
    await until(() => world.gateway.index.companies.get(1)?.version === 2);
    expect(statusAndReason(await get(world.port, me, 'http://two.company.test/'))).toBe(
      '403 address_refused',
    );
  });
});

describe('the dialer', () => {
  test("the dialer binds the egress address for sites only, and uses the system's choice otherwise", async () => {
    const seen: (string | undefined)[] = [];
    const site = createServer((socket) => {
      seen.push(socket.remoteAddress);
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    const { port } = site.address() as AddressInfo;
    const egress = { v4: '127.0.0.7', v6: '::1' };
    const options = { hosts: new Map(), allowNetworks: networks('127.0.0.1/32') };
    (await dialerOf({ ...options, egress })('127.0.0.1', port, 1, never)).destroy();
    (await dialerOf(options)('127.0.0.1', port, 1, never)).destroy();
    // A tenant's "upstream" may be another tenant's site, whose lock admits the egress address.
    (await dialerOf({ ...options, egress })('127.0.0.1', port, 1, never, 'upstream')).destroy();
    await until(() => seen.length === 3);
    // The site may accept the connections in any order.
    expect(seen.filter((address) => address === '127.0.0.7')).toHaveLength(1);
    expect(seen.filter((address) => address === '127.0.0.1')).toHaveLength(2);
    site.close();
  });

  test('the dialer checks cached addresses at each use, even when the DNS answer of a name changes 1,000 times', async () => {
    let [good, bad, clock] = [0, 0, 0];
    const allowed = createServer((socket) => socket.destroy(void (good += 1))).listen(0, '127.0.0.1');
    await once(allowed, 'listening');
    const { port } = allowed.address() as AddressInfo;
    const refused = createServer((socket) => socket.destroy(void (bad += 1))).listen(port, '127.0.0.2');
    await once(refused, 'listening');
    const server = await startNameServer(() => [server.asked() % 2 === 1 ? '127.0.0.1' : '127.0.0.2']);
    const dial = dialerOf({
      hosts: new Map(),
      allowNetworks: networks('127.0.0.1/32'),
      lookup: createLookup({ servers: [server.address], now: () => clock }),
    });
    const outcomes = new Map<string, number>();
    for (let i = 0; i < 2_000; i++) {
      // Two dials for each answer: one queries, one uses the cache.
      clock += i % 2 === 0 ? 5_000 : 0;
      const outcome = await dial('flip.test', port, 1, never).then(
        (socket) => {
          socket.destroy();
          return 'connected';
        },
        (error: Error) => error.message,
      );
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    expect([...outcomes]).toEqual([
      ['connected', 1_000],
      ['address_refused', 1_000],
    ]);
    await until(() => good === 1_000);
    expect([server.asked(), bad]).toEqual([1_000, 0]);
    await server.stop();
    allowed.close();
    refused.close();
  });

  test('every address from DNS is checked, and an unknown name is reported as such', async () => {
    const zone: Record<string, string[]> = {
      'mixed.test': ['127.0.0.1', '10.0.0.1'],
      'good.test': ['127.0.0.1'],
    };
    const server = await startNameServer((name) => zone[name] ?? []);
    const site = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(site, 'listening');
    const { port } = site.address() as AddressInfo;
    const dial = dialerOf({
      hosts: new Map(),
      allowNetworks: networks('127.0.0.1/32'),
      dns: [server.address],
    });
    (await dial('good.test', port, 1, never)).destroy();
    await expect(dial('mixed.test', port, 1, never)).rejects.toMatchObject({ code: 'address_refused' });
    await expect(dial('unknown.test', port, 1, never)).rejects.toMatchObject({ code: 'resolve_failed' });
    await server.stop();
    await expect(dial('other.test', port, 1, never)).rejects.toThrow(/resolve_failed|timeout/);
    site.close();
  });

  test('a caller that shares a look-up connects although the caller that started it is aborted', async () => {
    // The first packets get no response, so that both wait for the same query.
    const server = await startNameServer(() => (server.asked() > 1 ? ['127.0.0.1'] : null));
    const site = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(site, 'listening');
    const { port } = site.address() as AddressInfo;
    const dial = dialerOf({
      hosts: new Map(),
      allowNetworks: networks('127.0.0.1/32'),
      dns: [server.address],
    });
    const starter = new AbortController();
    const started = dial('shared.test', port, 1, starter.signal);
    const joined = dial('shared.test', port, 2, never);
    starter.abort(new Error('left'));
    await expect(started).rejects.toThrow('left');
    (await joined).destroy();
    expect(server.asked()).toBe(2);
    await server.stop();
    site.close();
  });

  test('the dialer gives up an address that does not answer, and distinguishes a timeout from a refused connection', async () => {
    // A listener with a full queue whose process never accepts: the kernel keeps further clients waiting.
    const script = `const s = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      require('node:fs').writeSync(1, String(s.address().port));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
    const deaf = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const port = Number(String((await once(deaf.stdout, 'data'))[0]));
    const waiting = Array.from({ length: 6 }, () => connect(port, '127.0.0.1').on('error', () => {}));
    try {
      await new Promise((resolve) => setTimeout(resolve, 200));
      const hosts = new Map([['deaf.test', ['127.0.0.1']]]);
      const dial = dialerOf({
        hosts,
        allowNetworks: networks('127.0.0.0/8'),
        connectMs: 300,
      });
      const elapsed = stopwatch();
      await expect(dial('deaf.test', port, 1, never)).rejects.toMatchObject({ code: 'timeout' });
      expect(elapsed()).toBeLessThan(1_000);
      await expect(dial('deaf.test', 9, 1, never)).rejects.toMatchObject({ code: 'connect_failed' });
      const leaving = new AbortController();
      setTimeout(() => leaving.abort(new Error('left')), 30);
      await expect(dial('deaf.test', port, 1, leaving.signal)).rejects.toThrow('left');
      await expect(dial('deaf.test', port, 1, leaving.signal)).rejects.toThrow('left');
    } finally {
      for (const socket of waiting) socket.destroy();
      await stop(deaf);
    }
  });

  test.each([
    ['a name without addresses', async () => [], 'resolve_failed'],
    ['a resolver that answers nonsense', async () => ['not-an-address'], 'address_refused'],
  ])('the dialer reports %s', async (_, lookup, reason) => {
    const dial = dialerOf({
      hosts: new Map(),
      allowNetworks: nothing,
      lookup,
    });
    await expect(dial('some.test', 80, 1, never)).rejects.toMatchObject({ code: reason });
  });
});

const dialerOf = (options: DialerOptions) => dialByPromise(createDialer(options));

function networks(text: string) {
  return parseNetworks(text) ?? expect.fail('not networks');
}
