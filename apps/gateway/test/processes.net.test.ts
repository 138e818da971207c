import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@propusk/test-kit/daemon';
import { get, openTunnel, raw, statusAndReason, stop, type Tunnel } from '@propusk/test-kit/gateway/client';
import { type FeedServer, startFeedServer } from '@propusk/test-kit/gateway/feed-server';
import { type Origin, startOrigin } from '@propusk/test-kit/gateway/origin';
import {
  authorization,
  company,
  credentials,
  hosts,
  readMetric,
  SECRET,
  until,
  untilMetric,
} from '@propusk/test-kit/gateway/world';
import { nodeEnvironment } from '@propusk/test-kit/node-environment';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { afterEach, beforeEach, expect, test } from 'vitest';

/** Three workers act as one gateway: a revocation ends tunnels in all of them, and metrics are one sum. */

const main = new URL('../src/main.ts', import.meta.url).pathname;
const WORKERS = 3;
const me = credentials(1);
const other = credentials(2);
let folder: string;
let feed: FeedServer;
let origin: Origin;
let host: string;
let child: ChildProcess;
let port: number;
let metricsPort: number;
let said: string;
let version: number;
const tunnels: Tunnel[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'propusk-processes-'));
  origin = await startOrigin();
  feed = await startFeedServer(SECRET);
  host = `crm.company.test:${origin.port}`;
  version = 1;
  feed.publish(company([host], { users: [1, 2] }));
  metricsPort = await freePort();
  said = '';
  const env = {
    ...nodeEnvironment(),
    GATEWAY_PORT: '0',
    GATEWAY_PROCESSES: String(WORKERS),
    GATEWAY_SECRET: SECRET,
    GATEWAY_HOSTS: hosts,
    GATEWAY_ALLOW_NETWORKS: '127.0.0.0/8',
    GATEWAY_PROXY_PROTOCOL: '127.0.0.2',
    GATEWAY_METRICS_PORT: String(metricsPort),
    API_URL: feed.url,
    DATA_DIR: folder,
  };
  child = fork(main, { env, execArgv: [], silent: true });
  child.stdout?.on('data', (data) => (said += data));
  const [message] = (await once(child, 'message')) as [{ port: number }];
  port = message.port;
  await enforced(1, 10_000);
});
afterEach(async () => {
  for (const { socket } of tunnels.splice(0)) socket.destroy();
  await stop(child);
  await feed.stop();
  await origin.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Waits until every worker enforces a version. */
const enforced = (of: number, ms = 5_000) => untilMetric(metricsPort, 'snapshot_version', of, ms);

/** The pids of all workers that ever served, from the log. */
function workers(): number[] {
  const lines = said.split('\n').filter((line) => line.includes('Worker serves'));
  return lines.map((line) => JSON.parse(line).pid);
}

/** Grants the site to these users only. */
function allow(...users: number[]): number {
  version += 1;
  feed.publish(company([host], { version, users }));
  return version;
}

const metric = (name: string) => readMetric(metricsPort, name);

async function open(count: number, who = me): Promise<Tunnel[]> {
  const opened = await Promise.all(
    Array.from({ length: count }, () => openTunnel(port, who, host, 'GET /drip HTTP/1.1\r\nHost: x\r\n\r\n')),
  );
  tunnels.push(...opened);
  return opened;
}

const alive = (list: readonly Tunnel[]) => list.filter(({ socket }) => !socket.destroyed).length;
const ask = async (who = me) => statusAndReason(await get(port, who, `http://${host}/`));

test('a revocation ends tunnels in every worker within a second, and others continue', async () => {
  // Any worker may accept a connection. Suspending all but one makes that one accept, so each gets five tunnels.
  const mine: Tunnel[] = [];
  for (const pid of workers()) {
    const rest = workers().filter((each) => each !== pid);
    for (const each of rest) process.kill(each, 'SIGSTOP');
    mine.push(...(await open(5)));
    for (const each of rest) process.kill(each, 'SIGCONT');
  }
  const [kept] = await open(1, other);
  expect(mine.map(({ status }) => status)).toEqual(mine.map(() => 200));
  const elapsed = stopwatch();
  const changed = allow(2);
  await Promise.all(mine.map(({ closed }) => closed));
  expect(elapsed()).toBeLessThan(1_000);
  await enforced(changed);
  for (let i = 0; i < 20; i++) expect(await ask()).toBe('403 no_policy');
  expect(await ask(other)).toBe('200');
  expect(kept?.socket.destroyed).toBe(false);
});

test('100 revocations end the last tunnel within a second at p99', async () => {
  const times: number[] = [];
  for (let i = 0; i < 100; i++) {
    const mine = await open(6);
    expect(mine.map(({ status }) => status)).toEqual(mine.map(() => 200));
    const elapsed = stopwatch();
    allow(2);
    await Promise.all(mine.map(({ closed }) => closed));
    times.push(elapsed());
    const back = allow(1, 2);
    await enforced(back, 10_000);
  }
  times.sort((a, b) => a - b);
  process.stdout.write(
    `revocation in ${WORKERS} workers: p50 ${times[49]?.toFixed(1)} ms, p99 ${times[98]?.toFixed(1)} ms\n`,
  );
  expect(times[98]).toBeLessThanOrEqual(1_000);
});

test('a revocation ends tunnels when it arrives, not at the recheck that runs every second', async () => {
  const times: number[] = [];
  for (let i = 0; i < 11; i++) {
    const mine = await open(6);
    const changed = allow(2);
    await enforced(changed);
    const elapsed = stopwatch();
    await Promise.all(mine.map(({ closed }) => closed));
    times.push(elapsed());
    const back = allow(1, 2);
    await enforced(back);
  }
  expect(times.toSorted((a, b) => a - b)[5]).toBeLessThan(250);
});

test('the metric of the enforced version rises only once the last worker enforces it', async () => {
  const [first = 0] = workers();
  process.kill(first, 'SIGSTOP');
  const changed = allow(2);
  await sleep(700);
  expect(await metric('snapshot_version')).toBeLessThan(changed);
  process.kill(first, 'SIGCONT');
  await enforced(changed);
});

test('an unresponsive worker is killed, and its successor enforces the change', async () => {
  const [first = 0] = workers();
  process.kill(first, 'SIGSTOP');
  const changed = allow(2);
  await enforced(changed, 25_000);
  expect(() => process.kill(first, 0)).toThrow('ESRCH');
  await until(() => workers().length === WORKERS + 1);
});

test('a killed worker loses only its own tunnels, and its successor knows revocations made meanwhile', async () => {
  const mine = await open(30);
  const theirs = await open(10, other);
  const [first = 0] = workers();
  process.kill(first, 'SIGKILL');
  allow(2);
  await until(() => alive(mine) === 0);
  await until(() => workers().length === WORKERS + 1);
  for (let i = 0; i < 40; i++) expect(await ask()).toBe('403 no_policy');
  for (let i = 0; i < 40; i++) expect(await ask(other)).toBe('200');
  // About a third of these tunnels ran in the killed worker; the others must survive.
  expect(alive(theirs)).toBeGreaterThan(0);
});

test('workers killed one by one grant no revoked right, and the next worker serves permitted users', async () => {
  allow(2);
  await enforced(version);
  const answers = new Map<string, number>();
  const ending = new AbortController();
  const traffic = [me, other].map(async (who) => {
    while (!ending.signal.aborted) {
      const got = `${who === me ? 'stranger' : 'member'}: ${await ask(who)}`;
      answers.set(got, (answers.get(got) ?? 0) + 1);
    }
  });
  for (let i = 0; i < WORKERS; i++) {
    process.kill(workers()[i] ?? 0, 'SIGKILL');
    await until(() => workers().length === WORKERS + 1 + i);
  }
  const served = answers.get('member: 200') ?? 0;
  await until(() => (answers.get('member: 200') ?? 0) > served + 20);
  ending.abort();
  await Promise.all(traffic);
  // `none` counts connections that a killed worker closed: at most one per kill for the member, and one for the stranger.
  const cut = (answers.get('member: none') ?? 0) + (answers.get('stranger: none') ?? 0);
  expect(cut).toBeLessThanOrEqual(2 * WORKERS);
  const known = ['member: 200', 'member: none', 'stranger: 403 no_policy', 'stranger: none'];
  expect(known).toEqual(expect.arrayContaining([...answers.keys()]));
});

test('a user may have 512 tunnels and requests at once over all workers, and never more', async () => {
  const mine: Tunnel[] = [];
  for (let i = 0; i < 15; i++) mine.push(...(await open(40)));
  const granted = mine.filter(({ status }) => status === 200);
  const refused = mine.filter(({ status }) => status !== 200);
  expect(granted.length).toBeLessThanOrEqual(512);
  // Workers without connections of this user may hold up to an eighth of the 512 slots, 64.
  expect(granted.length).toBeGreaterThanOrEqual(448);
  expect(new Set(refused.map(({ head }) => statusAndReason(head)))).toEqual(new Set(['503 too_many']));
  expect(await metric('passages ')).toBe(granted.length);
  // Another user's limit is separate.
  expect(await ask(other)).toBe('200');
  for (const { socket } of granted) socket.destroy();
  while ((await metric('passages ')) > 0) await sleep(20);
  const again: Tunnel[] = [];
  for (let i = 0; i < 11; i++) again.push(...(await open(40)));
  expect(again.filter(({ status }) => status === 200).length).toBe(440);
});

test('slots of a dead worker become free again', async () => {
  const mine: Tunnel[] = [];
  for (let i = 0; i < 13; i++) mine.push(...(await open(40)));
  // Kill one worker at a time: when none is left, the system frees the port that it had chosen.
  for (let i = 0; i < WORKERS; i++) {
    process.kill(workers()[i] ?? 0, 'SIGKILL');
    await until(() => workers().length === WORKERS + 1 + i);
  }
  await until(() => alive(mine) === 0);
  const again: Tunnel[] = [];
  for (let i = 0; i < 11; i++) again.push(...(await open(40)));
  expect(again.filter(({ status }) => status === 200).length).toBe(440);
});

test('metrics are the sum of all workers, including counts of a dead one', async () => {
  for (let i = 0; i < 60; i++) expect(await ask()).toBe('200');
  expect(await metric('passages_total{form="request"}')).toBe(60);
  expect(await metric('processes ')).toBe(WORKERS);
  process.kill(workers()[0] ?? 0, 'SIGKILL');
  await until(() => workers().length === WORKERS + 1);
  expect(await metric('passages_total{form="request"}')).toBe(60);
  expect(await ask()).toBe('200');
  expect(await metric('passages_total{form="request"}')).toBe(61);
  const health = await fetch(`http://127.0.0.1:${metricsPort}/health`);
  expect([health.status, await health.json()]).toEqual([200, expect.objectContaining({ status: 'ok' })]);
});

test('every worker reads the PROXY protocol header of a balancer, and resets a connection without one', async () => {
  const header = Buffer.from('0d0a0d0a000d0a515549540a2111000cc0000207c63364010a0b0c38', 'hex').toString(
    'latin1',
  );
  const request = `GET http://${host}/ HTTP/1.1\r\nHost: x\r\n${authorization(me)}Connection: close\r\n\r\n`;
  const askAll = async (bytes: string) => {
    const answers = await Promise.all(
      Array.from({ length: 4 * WORKERS }, () => raw(port, bytes, '127.0.0.2')),
    );
    return new Set(answers.map(statusAndReason));
  };
  expect(await askAll(header + request)).toEqual(new Set(['200']));
  expect(await askAll(request)).toEqual(new Set(['none']));
  expect(await metric('connections_refused_total{reason="proxy_header"}')).toBe(4 * WORKERS);
});

test('when the primary is killed, the workers stop serving', async () => {
  const mine = await open(12);
  child.kill('SIGKILL');
  await until(() => alive(mine) === 0, 2_000);
  expect(await ask()).toBe('none');
  for (const pid of workers()) await until(() => gone(pid));
});

function gone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

test('each worker sends records under an id of its own, which a replaced worker keeps', async () => {
  const ids = async () => {
    const records = join(folder, 'gateway-records');
    const names = (await readdir(records)).toSorted();
    return Promise.all(names.map((name) => readFile(join(records, name, 'id'), 'utf8')));
  };
  let before: string[] = [];
  while (new Set(before).size < WORKERS) before = await ids().catch(() => []);
  const [first = 0] = workers();
  process.kill(first, 'SIGKILL');
  await until(() => workers().length === WORKERS + 1);
  for (let i = 0; i < 30; i++) await ask();
  // The replaced worker names the gap that its killed predecessor left.
  const visits = () => feed.records().filter(({ kind }) => kind !== 'loss');
  await until(() => visits().length === 30);
  expect(await ids()).toEqual(before);
  for (const { gateway } of feed.batches) expect(before).toContain(gateway);
});
