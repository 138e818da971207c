import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@propusk/test-kit/daemon';
import { get, openTunnel, statusAndReason, type Tunnel } from '@propusk/test-kit/gateway/client';
import { type FeedServer, startFeedServer } from '@propusk/test-kit/gateway/feed-server';
import { type Origin, startOrigin } from '@propusk/test-kit/gateway/origin';
import { type Process, startProcess } from '@propusk/test-kit/gateway/process';
import { passes, startTraffic } from '@propusk/test-kit/gateway/traffic';
import { company, credentials, hosts, OTHER_SECRET, SECRET, until } from '@propusk/test-kit/gateway/world';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { quickOrSoak, threatCase } from '@propusk/test-kit/threat-case';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

/** A gateway's processes follow each other on one listening socket, and no connection is cut. */

const entry = new URL('./gateway.ts', import.meta.url).pathname;
const me = credentials(1);
let feed: FeedServer;
let origin: Origin;
let folder: string;
let host: string;
let settings: string;
let keeper: Process;
let port: number;

beforeEach(async () => {
  origin = await startOrigin();
  feed = await startFeedServer(SECRET);
  host = `crm.company.test:${origin.port}`;
  feed.publish(company([host]));
  folder = await mkdtemp(join(tmpdir(), 'propusk-keeper-'));
  settings = join(folder, 'settings.env');
});
afterEach(async () => {
  await keeper.terminate();
  await feed.stop();
  await origin.stop();
  await rm(folder, { recursive: true, force: true });
});

const write = (more: Readonly<Record<string, string>>) =>
  writeFile(
    settings,
    Object.entries({
      ...{ GATEWAY_PORT: '0', GATEWAY_SECRET: SECRET, GATEWAY_HOSTS: hosts, API_URL: feed.url },
      ...{ GATEWAY_ALLOW_NETWORKS: '127.0.0.0/8', CONSOLE_URL: 'http://console.test', ...more },
    })
      .map(([name, value]) => `${name}='${value}'\n`)
      .join(''),
  );

async function start(more: Readonly<Record<string, string>> = {}): Promise<void> {
  await write(more);
  keeper = await startProcess(entry, { DATA_DIR: folder }, undefined, [], [settings]);
  port = (keeper.message as { port: number }).port;
  await serves();
}

async function serves(): Promise<void> {
  await until(() => feed.connections() > 0);
  while (statusAndReason(await get(port, me, `http://${host}/`)) !== '200') await sleep(20);
}

/** @returns what `propusk gateway-reload` would print */
function reload(): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const control = connect(join(folder, 'gateway-control'));
    control.setEncoding('utf8').on('data', (text) => (answer += text));
    control.on('end', () => resolve(answer)).on('error', reject);
  });
}

/** The gateway's processes under the keeper. */
const processes = () => childrenOf(keeper.pid);
const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);

const open = async (count: number) => {
  const tunnels: Tunnel[] = [];
  for (let i = 0; i < count; i++) tunnels.push(await openTunnel(port, me, host));
  expect(new Set(tunnels.map(({ status }) => status))).toEqual(new Set([200]));
  return tunnels;
};
describe.each(['1', '2'])('a gateway of %s processes', (GATEWAY_PROCESSES) => {
  test('reloads under 200 tunnels and 50 requests a second cut none and fail none', async () => {
    await start({ GATEWAY_PROCESSES });
    const traffic = await startTraffic(port, me, host);
    for (let turn = 0; turn < 3; turn++) {
      expect(await reload()).toBe('ok');
      // The first process drains as long as its tunnels are open; each later one ends once its kept connections are closed.
      await until(() => processes().length === 2);
    }
    const { passed, ...lost } = await traffic.end();
    expect(lost).toEqual({ failed: 0, cut: 0 });
    expect(passed).toBeGreaterThan(50);
    for (const { socket } of traffic.tunnels) socket.destroy();
    await until(() => processes().length === 1);
  });

  test('a revocation cuts a tunnel of a process that drains within a second', async () => {
    await start({ GATEWAY_PROCESSES });
    const [old] = await open(1);
    expect(await reload()).toBe('ok');
    const [fresh] = await open(1);
    if (old === undefined || fresh === undefined) throw new Error('No tunnel');
    expect(await passes(old, host)).toBe(true);
    const elapsed = stopwatch();
    feed.publish({ ...company([]), version: 2 });
    await Promise.all([old.closed, fresh.closed]);
    expect(elapsed()).toBeLessThan(1_000);
  });
});

test.each(['1', '2'])(
  'kill -9 of the serving one of %s processes refuses no connection and keeps draining tunnels and revocations',
  (GATEWAY_PROCESSES) =>
    threatCase('kill -9', 'the serving gateway under 200 tunnels and 50 requests a second', async (tally) => {
      const [site, other] = [`wiki.company.test:${origin.port}`, credentials(11)];
      const give = (version: number) =>
        feed.publish(company([site], { id: 2, version, users: version % 2 ? [11] : [] }));
      const asks = async (who: string, to: string) => statusAndReason(await get(port, who, `http://${to}/`));
      give(1);
      await start({ GATEWAY_PROCESSES });
      const traffic = await startTraffic(port, me, host);
      expect(await reload()).toBe('ok');
      let refused = 0;
      const probes = setInterval(() => {
        const probe = connect(port, '127.0.0.1', () => probe.destroy());
        probe.on('error', (error) => (refused += Number('code' in error && error.code === 'ECONNREFUSED')));
      }, 10);
      const kills = quickOrSoak(5, 200);
      let longest = 0;
      for (let kill = 0; kill < kills; kill++) {
        await expect.poll(() => asks(other, site)).toBe('200');
        const serving = processes().at(-1) ?? expect.fail();
        const all = [serving, ...childrenOf(Number(serving))];
        process.kill(Number(serving), 'SIGKILL');
        give(kill * 2 + 2);
        const elapsed = stopwatch();
        await until(() => !all.some((pid) => existsSync(`/proc/${pid}`)));
        // Both connections wait in the port's accept queue.
        const answers = await Promise.all([asks(me, host), asks(other, site)]);
        longest = Math.max(longest, elapsed());
        tally.see(answers.join() === '200,403 no_policy', `after kill ${kill}: ${answers.join()}`);
        give(kill * 2 + 3);
      }
      clearInterval(probes);
      tally.see(refused === 0, `${refused} connections refused`);
      const { cut } = await traffic.end();
      tally.see(cut === 0, `${cut} draining tunnels cut`);
      tally.note(`served again within ${Math.round(longest)} ms`);
      for (const { socket } of traffic.tunnels) socket.destroy();
      await until(() => processes().length === 1);
    }),
  quickOrSoak(120_000, 1_200_000),
);

test('a process that does not start leaves the one before in place, and mended settings then work', async () => {
  await start();
  const [tunnel] = await open(1);
  await write({ GATEWAY_PORT: 'none' });
  expect(await reload()).toContain('journalctl');
  await write({ DATA_DIR: '/elsewhere' });
  expect(await reload()).toContain('DATA_DIR');
  expect(tunnel && (await passes(tunnel, host))).toBe(true);
  await open(1);
  const other = await freePort();
  await write({ GATEWAY_PORT: String(other) });
  expect(await reload()).toBe('ok');
  expect(tunnel && (await passes(tunnel, host))).toBe(true);
  expect((await openTunnel(port, me, host)).status).toBe(0);
  port = other;
  await open(1);
});

test('a port that is taken leaves the one before in place', async () => {
  await start();
  await write({ GATEWAY_PORT: String(origin.port) });
  expect(await reload()).toContain('journalctl');
  await open(1);
});

test('the file of snapshots and the port of metrics go to the process that serves', async () => {
  const metrics = await freePort();
  await start({ GATEWAY_METRICS_PORT: String(metrics) });
  const [tunnel] = await open(1);
  expect(await reload()).toBe('ok');
  const health = async () => (await fetch(`http://127.0.0.1:${metrics}/health`)).json();
  await expect.poll(() => health().catch(() => null)).toMatchObject({ status: 'ok', companies: 1 });
  const second = { ...company([host], { id: 2 }) };
  feed.publish(second);
  feed.publish({ ...company([]), version: 2 });
  await tunnel?.closed;
  // A gateway saves a change in the turn that enforces it.
  await expect
    .poll(async () => statusAndReason(await get(port, credentials(11), `http://${host}/`)))
    .toBe('200');
  await feed.stop();
  await keeper.kill();
  keeper = await startProcess(entry, { DATA_DIR: folder }, undefined, [], [settings]);
  port = (keeper.message as { port: number }).port;
  expect(statusAndReason(await get(port, me, `http://${host}/`))).not.toBe('200');
  expect(statusAndReason(await get(port, credentials(11), `http://${host}/`))).toBe('200');
  await feed.start();
});

test('visits through both processes have one record each, and the gap of a killed one is named', async () => {
  await start({ GATEWAY_PROCESSES: '1' });
  const [old, killed] = await open(2);
  expect(await reload()).toBe('ok');
  const [fresh] = await open(1);
  old?.socket.destroy();
  fresh?.socket.destroy();
  const closed = () => feed.records().filter(({ kind, open: isOpen }) => kind === 'tunnel' && !isOpen);
  await until(() => closed().length === 2);
  const [first] = processes();
  expect(killed?.socket.destroyed).toBe(false);
  process.kill(Number(first), 'SIGKILL');
  await killed?.closed;
  await until(() => feed.records().some(({ kind, reason }) => kind === 'loss' && reason === 'killed'));
  expect(await readFile(join(folder, 'gateway-records/64/id'), 'utf8')).not.toBe('');
});

test('a gateway that waits for its certificate starts anew with the settings of now', async () => {
  await write({ GATEWAY_TLS_CERT: join(folder, 'none.pem'), GATEWAY_TLS_KEY: join(folder, 'none.key') });
  keeper = await startProcess(entry, { DATA_DIR: folder }, undefined, [], [settings]);
  expect(keeper.message).toEqual({ type: 'waiting' });
  await write({ GATEWAY_PORT: String((port = await freePort())) });
  const { execPath } = process;
  execFileSync(execPath, [entry, '--reload'], { env: { DATA_DIR: folder } });
  await serves();
});

test('workers that all die at once are replaced on the same socket', async () => {
  await start({ GATEWAY_PROCESSES: '2' });
  const [primary] = processes();
  for (const worker of childrenOf(Number(primary))) process.kill(Number(worker), 'SIGKILL');
  await expect.poll(() => openTunnel(port, me, host).then(({ status }) => status)).toBe(200);
});

test('another GATEWAY_SECRET ends the connections of before, which would learn of no revocation', async () => {
  await start();
  const [tunnel] = await open(1);
  const other = await startFeedServer(OTHER_SECRET);
  other.publish(company([host]));
  await write({ GATEWAY_SECRET: OTHER_SECRET, API_URL: other.url });
  expect(await reload()).toBe('ok');
  expect(tunnel?.socket.destroyed).toBe(true);
  const now = credentials(1, { secret: OTHER_SECRET });
  expect(statusAndReason(await get(port, now, `http://${host}/`))).toBe('200');
  await other.stop();
});

test('a port of metrics that is taken costs the metrics alone', async () => {
  await start();
  // This is not the origin's port, because the gateway refuses connections to its own ports.
  await write({ GATEWAY_METRICS_PORT: new URL(feed.url).port });
  expect(await reload()).toBe('ok');
  await sleep(500);
  await open(1);
  // A replacement starts with the settings of the killed process, whatever is on disk.
  await write({ GATEWAY_PORT: 'none' });
  process.kill(Number(processes().at(-1)), 'SIGKILL');
  await expect.poll(() => openTunnel(port, me, host).then(({ status }) => status)).toBe(200);
});

test('when the serving process is killed while a new one waits for the api, a replacement serves from the snapshot file', async () => {
  await start();
  await feed.stop();
  const answer = reload().catch(() => 'none');
  await until(() => processes().length === 2);
  process.kill(Number(processes()[0]), 'SIGKILL');
  expect(await answer).not.toBe('ok');
  expect(statusAndReason(await get(port, me, `http://${host}/`))).toBe('200');
  expect(processes()).toHaveLength(1);
  await feed.start();
});

test('while a new process waits for the api, a kill of the keeper leaves no process', async () => {
  await start();
  await feed.stop();
  reload().catch(() => {});
  await until(() => processes().length === 2);
  // Both are past their start.
  await sleep(1_000);
  const all = processes();
  await keeper.kill();
  await expect.poll(() => all.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  await feed.start();
});

test('a signal ends all processes', async () => {
  await start();
  const [tunnel] = await open(1);
  expect(await reload()).toBe('ok');
  const all = processes();
  expect(all).toHaveLength(2);
  expect(await keeper.terminate()).toBe(0);
  await tunnel?.closed;
  for (const pid of all) expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
});
