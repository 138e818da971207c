import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type NameServer, startNameServer } from '@propusk/test-kit/gateway/dns';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLookup, type LookupOptions } from './resolver.ts';

/** A real DNS server on loopback, and a clock that the tests set. */

let server: NameServer;
let zone: Record<string, readonly string[]> = {};
let clock = 0;
let folder = '';
const none = join(tmpdir(), 'propusk-no-such-file');

beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'propusk-names-'))));
afterAll(() => rm(folder, { recursive: true }));
beforeEach(() => {
  zone = {};
  clock = 0;
});
afterEach(() => server.stop());

/** Names under `silent.test` get no response, and those under `slow.test` get one after 1.5 s. */
async function open(ttl = 0, options: LookupOptions = {}) {
  const answer = (name: string) => {
    if (name.endsWith('silent.test')) return null;
    const found = zone[name] ?? [];
    return name.endsWith('slow.test') ? sleep(1_500, found) : found;
  };
  server = await startNameServer(answer, ttl);
  const files = { hostsFile: none, resolvConf: none };
  return createLookup({ servers: [server.address], now: () => clock, ...files, ...options });
}

const codeOf = async (asked: () => unknown) => {
  try {
    await asked();
    return 'resolved';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('the cache', () => {
  test.each([
    [0, 5_000],
    [4, 5_000],
    [20, 20_000],
    [60, 60_000],
    [86_400, 60_000],
  ])('the resolver caches an answer with a time to live of %i s for %i ms', async (ttl, ms) => {
    const lookup = await open(ttl);
    zone = { 'a.test': ['192.0.2.1'] };
    expect(await lookup('a.test', 1)).toEqual(['192.0.2.1']);
    zone = { 'a.test': ['192.0.2.2'] };
    clock = ms - 1;
    expect(await lookup('A.test', 2)).toEqual(['192.0.2.1']);
    expect(server.asked()).toBe(1);
    clock = ms;
    expect(await lookup('a.test', 1)).toEqual(['192.0.2.2']);
    expect(server.asked()).toBe(2);
  });

  test('the resolver caches a failed look-up for one second', async () => {
    const lookup = await open(60);
    expect(await codeOf(() => lookup('later.test', 1))).toBe('resolve_failed');
    zone = { 'later.test': ['192.0.2.1'] };
    clock = 999;
    expect(await codeOf(() => lookup('later.test', 1))).toBe('resolve_failed');
    expect(server.asked()).toBe(1);
    clock = 1_000;
    expect(await lookup('later.test', 1)).toEqual(['192.0.2.1']);
  });

  test('IPv4 addresses precede IPv6 addresses, and of each family at most 16 count', async () => {
    const lookup = await open(60);
    const many = Array.from({ length: 20 }, (_, i) => `192.0.2.${i}`);
    zone = { 'both.test': ['2001:db8::1', '192.0.2.1'], 'six.test': ['2001:db8::1'], 'many.test': many };
    expect(await lookup('both.test', 1)).toEqual(['192.0.2.1', '2001:db8::1']);
    expect(await lookup('six.test', 1)).toEqual(['2001:db8::1']);
    expect(await lookup('many.test', 1)).toHaveLength(16);
  });

  test('the 4,097th name in the cache drops the oldest one', async () => {
    const lookup = await open(60);
    const ask = async (i: number) => codeOf(() => lookup(`n${i}.test`, i % 64));
    // In small bursts: the server's socket drops packets beyond its buffer.
    for (let i = 0; i <= 4_096; i += 17) await Promise.all(Array.from({ length: 17 }, (_, n) => ask(i + n)));
    expect(server.asked()).toBe(4_097);
    await ask(4_096);
    expect(server.asked()).toBe(4_097);
    await ask(0);
    expect(server.asked()).toBe(4_098);
  });
});

describe('pending names', () => {
  test('a slow answer is awaited, also after fast answers of the same server', async () => {
    const lookup = await open(60);
    for (let i = 0; i < 8; i++) await codeOf(() => lookup(`n${i}.test`, 1));
    zone = { 'a.slow.test': ['192.0.2.1'] };
    expect(await lookup('a.slow.test', 1)).toEqual(['192.0.2.1']);
  });

  test('each query is sent from another source port, also when resolvers are reused', async () => {
    const lookup = await open(60);
    for (let i = 0; i < 8; i++) await codeOf(() => lookup(`n${i}.test`, 1));
    expect(new Set(server.ports).size).toBe(8);
  });

  test('concurrent look-ups of one name share one query, and only the first takes a slot', async () => {
    const lookup = await open(60);
    zone = { 'a.test': ['192.0.2.1'] };
    const all = Array.from({ length: 100 }, async (_, i) => lookup('a.test', i % 2));
    expect(new Set((await Promise.all(all)).flat())).toEqual(new Set(['192.0.2.1']));
    expect(server.asked()).toBe(1);
  });

  test('the 17th pending name of a tenant fails at once, another tenant resolves, and a timeout frees the slots', async () => {
    const lookup = await open(60, { resolveMs: 300 });
    zone = { 'a.test': ['192.0.2.1'], 'b.test': ['192.0.2.2'] };
    const elapsed = stopwatch();
    const pending = Array.from({ length: 16 }, (_, i) => codeOf(() => lookup(`${i}.silent.test`, 1)));
    expect(() => lookup('a.test', 1)).toThrow('names_busy');
    expect(await lookup('b.test', 2)).toEqual(['192.0.2.2']);
    // A cached name and a shared query take no slot.
    expect(await lookup('b.test', 1)).toEqual(['192.0.2.2']);
    const shared = codeOf(() => lookup('0.silent.test', 1));
    expect(await Promise.all([...pending, shared])).toEqual(Array.from({ length: 17 }, () => 'timeout'));
    // c-ares itself would wait for seconds.
    expect(elapsed()).toBeLessThan(1_500);
    // A refusal is not cached.
    expect(await lookup('a.test', 1)).toEqual(['192.0.2.1']);
    for (let i = 0; i < 3; i++) {
      clock += 1_000;
      await Promise.all(Array.from({ length: 16 }, (_, n) => codeOf(() => lookup(`${n}.silent.test`, 1))));
    }
    expect(await lookup('a.test', 1)).toEqual(['192.0.2.1']);
  });

  test('with 50 greedy tenants a newcomer resolves, and a look-up that it shares survives the eviction of its starter', async () => {
    const lookup = await open(60, { resolveMs: 2_000 });
    // Tenant 0 asks first, so its names are evicted first. The newcomer shares the oldest.
    const first = codeOf(() => lookup('0-0.silent.test', 0));
    const shared = codeOf(() => lookup('0-0.silent.test', 'newcomer'));
    const attack: Promise<string>[] = [];
    for (let i = 1; i < 50 * 16; i++) {
      const tenant = Math.floor(i / 16);
      attack.push(codeOf(() => lookup(`${tenant}-${i % 16}.silent.test`, tenant)));
      // In small bursts: the server's socket drops packets beyond its buffer.
      if (i % 16 === 0) await sleep(2);
    }
    zone = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`n${i}.test`, ['192.0.2.1']]));
    for (let i = 0; i < 100; i += 5) {
      const burst = Array.from({ length: 5 }, async (_, n) => lookup(`n${i + n}.test`, 'newcomer'));
      expect((await Promise.all(burst)).flat()).toHaveLength(5);
    }
    const outcomes = await Promise.all(attack);
    expect(new Set(outcomes)).toEqual(new Set(['names_busy', 'timeout']));
    expect(outcomes.filter((outcome) => outcome === 'timeout').length).toBeGreaterThan(450);
    expect([await first, await shared]).toEqual(['names_busy', 'timeout']);
    clock += 1_000;
    // Every slot is free again.
    for (let i = 0; i < 16; i++) expect(await codeOf(() => lookup(`n${i}.test`, 0))).toBe('resolved');
  });
});

describe('files', () => {
  test('names in the hosts file precede DNS, take no slot of a tenant, and change with the file', async () => {
    const hostsFile = join(folder, 'hosts');
    await writeFile(
      hostsFile,
      '# a comment\n::1 Local.Test\n192.0.2.7\tlocal.test other.test # more\nbroken x\n',
    );
    const lookup = await open(60, { hostsFile });
    zone = { 'local.test': ['192.0.2.99'], x: ['192.0.2.1'] };
    expect(lookup('LOCAL.test', 1)).toEqual(['::1', '192.0.2.7']);
    expect(lookup('other.test', 1)).toEqual(['192.0.2.7']);
    expect(lookup('localhost', 1)).toEqual(['127.0.0.1', '::1']);
    await writeFile(hostsFile, '192.0.2.8 local.test\n');
    await utimes(hostsFile, 1, 1);
    clock = 999;
    expect(lookup('local.test', 1)).toEqual(['::1', '192.0.2.7']);
    clock = 1_000;
    expect(lookup('local.test', 1)).toEqual(['192.0.2.8']);
    await rm(hostsFile);
    clock = 2_000;
    expect(await lookup('local.test', 1)).toEqual(['192.0.2.99']);
  });

  test('search domains apply to names without a dot only, in their order, before the bare name', async () => {
    const resolvConf = join(folder, 'resolv.conf');
    await writeFile(resolvConf, 'domain ignored.test\nsearch one.test two.test\nnameserver 192.0.2.53\n');
    const lookup = await open(60, { resolvConf });
    zone = {
      'proxy.two.test': ['192.0.2.2'],
      proxy: ['192.0.2.9'],
      bare: ['192.0.2.3'],
      'a.b.one.test': ['192.0.2.4'],
    };
    expect(await lookup('proxy', 1)).toEqual(['192.0.2.2']);
    expect(await lookup('bare', 1)).toEqual(['192.0.2.3']);
    expect(await codeOf(() => lookup('a.b', 1))).toBe('resolve_failed');
  });
});
