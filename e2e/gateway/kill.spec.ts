import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import type { Endpoint } from '@propusk/contract/endpoint';
import { createPolicy, getPolicy, updatePolicy } from '@propusk/contract/policies';
import { listProxies } from '@propusk/contract/proxies';
import { register } from '@propusk/contract/registration';
import { createUser } from '@propusk/contract/users';
import { freePort } from '@propusk/test-kit/daemon';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { quickOrSoak, threatCase } from '@propusk/test-kit/threat-case';
import {
  makeDataDir,
  type RunningProduct,
  removeDataDir,
  runProduct,
  stopProduct,
  untilHealthy,
} from '../support/product.ts';

/** `kill -9` of the product, or of parts of it, during writes. */

const ROUNDS = quickOrSoak(3, 100);
/** Time limit from the start, or from the kill of a process, until the product serves. */
const READY_MS = quickOrSoak(15_000, 5_000);
const WRITERS = 4;

let dataDir: string;
let product: RunningProduct;
let token: string;
test.beforeAll(async () => {
  dataDir = await makeDataDir();
});
test.afterAll(async () => {
  await stopProduct(product);
  await removeDataDir(dataDir);
});

test('after kill -9 during writes every acknowledged write is complete, and the product serves again in seconds', () => {
  test.setTimeout(quickOrSoak(240_000, 1_200_000));
  return threatCase(
    'kill -9',
    'the product or parts of it killed under 4 writers: all acknowledged is kept, whole; ready in time; a second start refuses',
    async (tally) => {
      const ports = { console: await freePort(), gateway: await freePort() };
      product = runProduct(dataDir, ports);
      // The first start creates the database cluster and rebuilds stale build output.
      await untilHealthy(product);
      const writers = await settle();
      let slowest = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const written = writers.map((writer) => writer.run());
        await sleep(200 + ((round * 131) % 400));
        if (round % 10 === 1) expect(await secondStart()).toBe(true);
        const kill = kills[round % kills.length];
        if (kill === undefined) throw new Error('nothing to kill');
        const elapsed = await kill(ports);
        await Promise.all(written);
        await untilHealthy(product);
        const ready = elapsed();
        slowest = Math.max(slowest, ready);
        const faults = (await Promise.all(writers.map((writer) => writer.fault()))).filter(
          (fault) => fault !== null,
        );
        tally.see(
          faults.length === 0 && ready <= READY_MS,
          `round ${round}: ${faults.join(', ')} ready after ${Math.round(ready)} ms`,
        );
      }
      const acknowledged = writers.reduce((sum, writer) => sum + writer.acknowledged(), 0);
      expect(acknowledged).toBeGreaterThan(ROUNDS * WRITERS);
      tally.note(`${acknowledged} writes acknowledged, ready after ${Math.round(slowest)} ms at most`);
    },
  );
});

/** Ways to kill processes. Each returns a stopwatch that measures the recovery. */
const kills: ((ports: { console: number; gateway: number }) => Promise<() => number>)[] = [
  // Kills all processes including PostgreSQL, like a power failure.
  async (ports) => {
    const server = pidOf(await product.processes(), 'postgres -D');
    process.kill(-(product.process.pid ?? 0), 'SIGKILL');
    process.kill(server, 'SIGKILL');
    return startAgain(ports);
  },
  // Kills PostgreSQL and the api, which the supervisor restarts.
  async () => {
    const processes = await product.processes();
    const elapsed = stopwatch();
    for (const part of ['postgres -D', 'apps/api/src/main.ts'])
      process.kill(pidOf(processes, part), 'SIGKILL');
    return elapsed;
  },
  // Kills all processes except PostgreSQL, which ends with its parent process.
  async (ports) => {
    process.kill(-(product.process.pid ?? 0), 'SIGKILL');
    return startAgain(ports);
  },
];

async function startAgain(ports: { console: number; gateway: number }): Promise<() => number> {
  await product.ended;
  product = runProduct(dataDir, ports);
  return stopwatch();
}

function pidOf(processes: readonly string[], part: string): number {
  const line = processes.find((one) => one.includes(part));
  if (line === undefined) throw new Error(`No process of ${part}: ${processes.join('\n')}`);
  return Number(line.trim().split(/\s+/)[1]);
}

/** Tells whether a second product on the same data folder refuses to start and names the folder. */
async function secondStart(): Promise<boolean> {
  const second = runProduct(dataDir, { console: await freePort(), gateway: await freePort() });
  const code = await second.ended;
  return code !== 0 && second.output().includes(dataDir);
}

/**
 * Creates a company and several writers. Each writer stores increasing numbers in the name of its policy; the count of
 * the policy's members is the number modulo 4.
 */
async function settle() {
  const names = { name: 'Компания', companyName: 'Компания', companySite: 'kill.test' };
  const account = { ...names, email: 'owner@kill.test', password: 'correct horse' };
  token = (await must<{ token: string }>(register, account)).token;
  const people: number[] = [];
  for (let n = 0; n < 3; n++) {
    const body = { email: `agent${n}@kill.test`, password: 'correct horse' };
    people.push((await must<{ id: number }>(createUser, body)).id);
  }
  const { rows } = await must<{ rows: { id: number; direct: boolean }[] }>(listProxies);
  const proxyId = rows.find(({ direct }) => direct)?.id;
  return Promise.all(
    Array.from({ length: WRITERS }, async () => {
      const { id } = await must<{ id: number }>(createPolicy, { name: nameOf(0), proxyId });
      return createWriter(id, people);
    }),
  );
}

const nameOf = (count: number) => `count ${count}`;

function createWriter(id: number, people: readonly number[]) {
  let [tried, acked, total] = [0, 0, 0];
  return {
    acknowledged: () => total,
    /** Writes until the product stops answering. */
    async run(): Promise<void> {
      for (;;) {
        tried++;
        const users = people.slice(0, tried % 4);
        const reply = await call(updatePolicy, { name: nameOf(tried), users }, id).catch(() => null);
        if (reply?.status !== 200) return;
        acked = tried;
        total++;
      }
    },
    /** Returns the inconsistency in the stored data, or null. */
    async fault(): Promise<string | null> {
      const { name, users } = await must<{ name: string; users: { id: number }[] }>(getPolicy, undefined, id);
      const stored = Number(name.split(' ')[1]);
      const expected = people.slice(0, stored % 4).join();
      const fault =
        stored < acked || stored > tried
          ? `${acked} was acknowledged and ${stored} is stored`
          : users
                .map((user) => user.id)
                .toSorted((a, b) => a - b)
                .join() === expected
            ? null
            : `${stored} is stored by half`;
      [tried, acked] = [stored, stored];
      return fault;
    },
  };
}

async function call({ method, path }: Endpoint, body?: unknown, id?: number): Promise<Response> {
  return fetch(`${product.consoleUrl}/api${path.replace(':id', String(id))}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function must<T>(endpoint: Endpoint, body?: unknown, id?: number): Promise<T> {
  const reply = await call(endpoint, body, id);
  if (reply.status !== endpoint.status)
    throw new Error(`${endpoint.path}: ${reply.status} ${await reply.text()}`);
  return reply.json() as Promise<T>;
}
