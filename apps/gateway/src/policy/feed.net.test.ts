import { createSecretKey } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { gatewayKeys } from '@propusk/access/gateway-secret';
import { seal } from '@propusk/access/sealed';
import { get, openTunnel, raw, statusAndReason } from '@propusk/test-kit/gateway/client';
import { startFeedServer } from '@propusk/test-kit/gateway/feed-server';
import {
  company,
  credentials,
  OTHER_SECRET,
  SECRET,
  startWorld,
  testConfig,
  until,
  type World,
} from '@propusk/test-kit/gateway/world';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '../log.ts';
import { createGateway, type Gateway } from '../server.ts';
import { startFeed } from './feed.ts';
import { SnapshotStore } from './snapshot-store.ts';

/** How the gateway follows the feed and stores the snapshot on disk, and how long it trusts each. */

const me = credentials(1);
let world: World;
let host: string;

beforeEach(async () => {
  world = await startWorld((port) => [company([`crm.company.test:${port}`]), company([], { id: 2 })], {
    SNAPSHOT_MAX_AGE: '2',
  });
  host = `crm.company.test:${world.origin.port}`;
});
afterEach(() => world[Symbol.asyncDispose]());

const version = (id = 1) => world.gateway.index.companies.get(id)?.version;
const ask = async (port = world.port) => statusAndReason(await get(port, me, `http://${host}/`));

describe('the feed', () => {
  test('the gateway applies a snapshot of a higher version, and ignores one of an equal or lower version', async () => {
    world.feed.publish(company([host], { version: 5 }));
    await until(() => version() === 5);
    world.feed.publish(company([], { version: 4 }));
    world.feed.publish(company([], { version: 5 }));
    world.feed.publish(company([], { version: 2, id: 2 }));
    await until(() => version(2) === 2);
    expect([version(), await ask()]).toEqual([5, '200']);
    world.feed.publish(company([], { version: 6 }));
    await until(() => version() === 6);
    expect(await ask()).toBe('403 site_unknown');
  });

  test('after an api restart the gateway reconnects, catches up, and drops companies that are gone', async () => {
    await world.feed.stop();
    world.feed.companies.set(1, company([], { version: 3 }));
    world.feed.companies.delete(2);
    expect(await ask()).toBe('200');
    expect(version(2)).toBe(1);
    await world.feed.start();
    await until(() => version() === 3 && version(2) === undefined);
    expect(await ask()).toBe('403 site_unknown');
  });

  test('a restored database with lower versions replaces the rights that the gateway held', async () => {
    world.feed.publish(company([host], { version: 45 }));
    await until(() => version() === 45);
    expect(await ask()).toBe('200');
    await world.feed.stop();
    world.feed.companies.set(1, company([], { version: 40 }));
    await world.feed.start();
    await until(() => version() === 40);
    expect(await ask()).toBe('403 site_unknown');
    world.feed.publish(company([host], { version: 39 }));
    world.feed.publish(company([], { version: 41 }));
    await until(() => version() === 41);
    expect(await ask()).toBe('403 site_unknown');
  });

  test.each([
    ['that is not JSON', 'company', '{'],
    ['without required fields', 'company', JSON.stringify({ companyId: 1, version: 9 })],
    ['of the wrong shape', 'gone', '{}'],
  ])('a feed event %s restarts the connection and changes no access', async (_, name, data) => {
    const before = world.feed.connections();
    world.feed.send(name, data);
    await until(() => world.feed.connections() > before);
    expect([version(), await ask()]).toEqual([1, '200']);
  });

  test('the gateway ignores a feed event of an unknown type', async () => {
    const before = world.feed.connections();
    world.feed.send('later-invention', '{}');
    world.feed.publish(company([host], { version: 2 }));
    await until(() => version() === 2);
    expect(world.feed.connections()).toBe(before);
  });

  test('after 2 s without a feed message all access ends, open tunnels included, until the next message', async () => {
    const tunnel = await openTunnel(world.port, me, host, 'GET /drip HTTP/1.1\r\nHost: x\r\n\r\n');
    await world.feed.stop();
    await until(() => tunnel.socket.destroyed);
    expect(await ask()).toBe('503 snapshot_stale');
    expect(statusAndReason((await openTunnel(world.port, me, host)).head)).toBe('503 snapshot_stale');
    expect(statusAndReason(await raw(world.port, `CONNECT ${host} HTTP/1.1\r\n\r\n`))).toBe(
      '407 no_credentials',
    );
    await world.feed.start();
    await until(() => world.feed.connections() === 2);
    await until(() => !world.gateway.stale());
    expect(await ask()).toBe('200');
  });

  test('the gateway denies every company until the feed sends `ready`', async () => {
    const unready = await startFeedServer(SECRET, { ready: false });
    unready.publish(company([host]));
    const gateway = await started({ API_URL: unready.url, DATA_DIR: join(world.dataDir, 'unready') });
    await until(() => gateway.index.companies.has(1));
    expect(await ask(gateway.port)).toBe('503 snapshot_stale');
    await gateway.close(0);
    await unready.stop();
  });

  test('a gateway whose key the feed refuses denies every request', async () => {
    const other = await startFeedServer(OTHER_SECRET);
    other.publish(company([host]));
    const gateway = await started({ API_URL: other.url, DATA_DIR: join(world.dataDir, 'refused') });
    await until(() => other.refused() > 0);
    expect(await ask(gateway.port)).toBe('503 snapshot_stale');
    await gateway.close(0);
    await other.stop();
  });

  test('the feed key is not sent to a redirect target', async () => {
    let asked = 0;
    const elsewhere = createServer((_, res) => {
      asked += 1;
      res.writeHead(302, { location: world.feed.url }).end();
    }).listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    const before = [world.feed.connections(), world.feed.refused()];
    const { port } = elsewhere.address() as AddressInfo;
    const gateway = await started({
      API_URL: `http://127.0.0.1:${port}`,
      DATA_DIR: join(world.dataDir, 'moved'),
    });
    await until(() => asked > 1);
    expect([world.feed.connections(), world.feed.refused()]).toEqual(before);
    await gateway.close(0);
    elsewhere.close();
  });

  test('a silent feed connection is closed and reopened', async () => {
    const silent = await startFeedServer(SECRET, { heartbeatMs: 0 });
    const stop = startFeed({
      apiUrl: silent.url,
      key: gatewayKeys(SECRET).feed,
      snapshots: {
        index: world.gateway.index,
        ageMs: () => 0,
        stale: () => false,
        put: () => false,
        drop: () => false,
        present: () => ({ companies: [], contact: 0 }),
        save() {},
        own: async () => {},
        contact() {},
        now: Date.now,
        setClock() {},
        async close() {},
      },
      end() {},
      recheck() {},
      log: createLog('silent'),
      silenceMs: 150,
    });
    await until(() => silent.connections() >= 3);
    expect(silent.connections()).toBeGreaterThanOrEqual(3);
    await stop();
    await silent.stop();
  });
});

/** Starts a second gateway beside the one of the fixture. */
async function started(env: Readonly<Record<string, string>>): Promise<Gateway & { port: number }> {
  const gateway = await createGateway(testConfig(env), createLog('silent'));
  return { ...gateway, port: await gateway.listen() };
}

describe('the snapshot on disk', () => {
  const NOBODY = 'http://127.0.0.1:9';
  const path = () => join(world.dataDir, 'gateway-snapshot.db');

  /** Stops the gateway and the api of the fixture, and starts a gateway on the same data folder. */
  async function restarted(env: Readonly<Record<string, string>> = {}): Promise<Gateway & { port: number }> {
    await world.gateway.close(0);
    return started({ API_URL: NOBODY, DATA_DIR: world.dataDir, SNAPSHOT_MAX_AGE: '60', ...env });
  }

  async function store(contact: number, secret = SECRET): Promise<void> {
    await rm(path());
    const file = new SnapshotStore(path(), gatewayKeys(secret).snapshot);
    file.write(new Map([[1, { version: 1, text: JSON.stringify(company([host])) }]]), contact);
    file.close();
  }

  test('a gateway serves from its snapshot after a restart without the api', async () => {
    const gateway = await restarted();
    expect(await ask(gateway.port)).toBe('200');
    await gateway.close(0);
  });

  test('the snapshot file is readable by its owner only, and encrypted', async () => {
    await world.gateway.close(0);
    const files = (await readdir(world.dataDir)).filter((name) => name !== 'gateway-records');
    expect(files.toSorted()).toEqual(['gateway-snapshot.db', 'gateway-snapshot.db-journal']);
    for (const name of files) {
      const file = join(world.dataDir, name);
      expect((await stat(file)).mode & 0o777, name).toBe(0o600);
      expect((await readFile(file)).includes('company.test'), name).toBe(false);
    }
  });

  /** Waits until the file exists and differs from before. */
  async function rewritten(folder: string, before?: Buffer): Promise<Buffer> {
    for (let tries = 0; tries < 300; tries++) {
      const now = await readFile(join(folder, 'gateway-snapshot.db')).catch(() => null);
      if (now !== null && before?.equals(now) !== true) return now;
      await sleep(10);
    }
    return expect.fail('not written');
  }

  test('the snapshot file is written after a change', async () => {
    const folder = join(world.dataDir, 'patient');
    const gateway = await started({ API_URL: world.feed.url, DATA_DIR: folder, SNAPSHOT_MAX_AGE: '900' });
    const first = await rewritten(folder);
    world.feed.publish(company([host], { version: 2 }));
    expect(await rewritten(folder, first)).not.toEqual(first);
    await gateway.close(0);
  });

  test('the snapshot file is rewritten periodically without a change, to record its age', async () => {
    const first = await rewritten(world.dataDir);
    const second = await rewritten(world.dataDir, first);
    expect(await rewritten(world.dataDir, second)).not.toEqual(second);
  });

  test.each([
    ['young', 30_000, '200'],
    ['too old', 61_000, '503 snapshot_stale'],
    ['of the future', -5_000, '503 snapshot_stale'],
  ])('a restarted gateway uses a snapshot file only if its age is valid: %s', async (_, age, expected) => {
    await world.gateway.close(0);
    await store(Date.now() - age);
    const gateway = await restarted();
    expect(await ask(gateway.port)).toBe(expected);
    await gateway.close(0);
  });

  test('a snapshot loaded from disk expires while the gateway runs', async () => {
    await world.gateway.close(0);
    await store(Date.now() - 59_000);
    const gateway = await restarted();
    expect(await ask(gateway.port)).toBe('200');
    await until(() => gateway.stale());
    expect(await ask(gateway.port)).toBe('503 snapshot_stale');
    await gateway.close(0);
  });

  test.each([
    [
      'one bit changed',
      async () => {
        const bytes = await readFile(path());
        bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
        await writeFile(path(), bytes);
      },
    ],
    [
      'another format in the head',
      async () => {
        const bytes = await readFile(path());
        bytes[7] = (bytes[7] ?? 0) ^ 1;
        await writeFile(path(), bytes);
      },
    ],
    ['cut short', async () => writeFile(path(), (await readFile(path())).subarray(0, 20))],
    ['another secret', () => store(Date.now(), OTHER_SECRET)],
    [
      'another content',
      async () => {
        const file = new DatabaseSync(path());
        const key = createSecretKey(gatewayKeys(SECRET).snapshot);
        file.prepare('UPDATE manifest SET sealed = ?').run(seal(key, '{"contact":1}', 'manifest'));
        file.close();
      },
    ],
  ])('a gateway renames a damaged snapshot file and denies everything: %s', async (_, damage) => {
    await world.gateway.close(0);
    await store(Date.now());
    await damage();
    const damaged = await readFile(path());
    const gateway = await restarted();
    expect(await ask(gateway.port)).toBe('503 snapshot_stale');
    const aside = (await readdir(world.dataDir)).find((name) => name.startsWith('gateway-snapshot')) ?? '';
    expect(aside).toMatch(/^gateway-snapshot\.db\.damaged-\d+$/);
    expect(await readFile(join(world.dataDir, aside))).toEqual(damaged);
    await gateway.close(0);
  });

  test('a gateway without a snapshot file denies everything', async () => {
    await world.gateway.close(0);
    await rm(path());
    const gateway = await restarted();
    expect(await ask(gateway.port)).toBe('503 snapshot_stale');
    await gateway.close(0);
  });

  test('a gateway that cannot write its snapshot file keeps serving', async () => {
    const folder = join(world.dataDir, 'occupied');
    const gateway = await createGateway(
      testConfig({ API_URL: world.feed.url, DATA_DIR: folder }),
      createLog('silent'),
    );
    // A file occupies the folder's path.
    await writeFile(folder, '');
    const port = await gateway.listen();
    await until(() => gateway.index.companies.has(1) && !gateway.stale());
    expect(await ask(port)).toBe('200');
    await gateway.close(0);
    expect(await readFile(folder, 'utf8')).toBe('');
  });
});
