import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { login, logout } from '@propusk/contract/auth';
import { listSites } from '@propusk/contract/sites';
import { get, openTunnel, statusAndReason } from '@propusk/test-kit/gateway/client';
import { ask } from '@propusk/test-kit/gateway/latency';
import { attacks } from '@propusk/test-kit/gateway/product-attacks';
import { MB, openFileKinds, openFiles, residentBytes } from '@propusk/test-kit/gateway/resources';
import { fitTrend, type Sample } from '@propusk/test-kit/gateway/trend';
import {
  type Company,
  PASSWORD,
  startWholeProduct,
  untilStatus,
  type WholeProduct,
} from '@propusk/test-kit/gateway/whole-product';
import { quickOrSoak, type Tally, threatCase } from '@propusk/test-kit/threat-case';
import { afterAll, beforeAll, inject, test } from 'vitest';

/**
 * Hours of work and attacks: a process's resources must not grow. SOAK_MINUTES sets the duration. From an
 * hour on a growth fails the test; a shorter run reports it and fails only on a restart, because rate limit
 * windows fill and empty in 20 minutes.
 */

const HEAP_MB = 512;
const RUN_MS = quickOrSoak(4_000, Number(process.env.SOAK_MINUTES ?? 10) * 60_000);
const JUDGED_FROM_MS = 60 * 60_000;
/** The first part of the run, excluded from the fit. */
const WARM_UP = 0.2;
const [SAMPLE_MS, PHASE_MS, PAUSE_MS] = [
  quickOrSoak(500, 10_000),
  quickOrSoak(400, 15_000),
  quickOrSoak(50, 5_000),
];
const CLIENTS = quickOrSoak(20, 200);
const MOST_PERCENT_PER_HOUR = 1;
/** How many times a run lists its open files and the largest tables. */
const REPORTS = 6;
const PERIOD_MS = Object.keys(attacks).length * (PHASE_MS + PAUSE_MS);

let product: WholeProduct;
let attacker: Company;
let worker: Company;
beforeAll(async () => {
  if (!(RUN_MS > 0)) throw new Error(`SOAK_MINUTES is no number of minutes: ${process.env.SOAK_MINUTES}`);
  product = await startWholeProduct(inject('serverUrl'), HEAP_MB);
  attacker = await product.company('crm.company.test', product.origin);
  worker = await product.company('wiki.company.test', product.calmOrigin);
});
afterAll(() => product.stop());

test(
  'memory, open files and disk do not grow during hours of work and attacks',
  () =>
    threatCase(
      'growth',
      `work and attacks for ${Math.round(RUN_MS / 6_000) / 10} min, heap of ${HEAP_MB} MB`,
      async (tally) => {
        const began = performance.now();
        const wanted = () => performance.now() - began < RUN_MS && isUp();
        const series: Record<string, Sample[]> = {};
        const failures: string[] = [];
        const running = [attackInTurn(wanted), work(wanted, failures)];
        let reportedMs = -Infinity;
        while (wanted()) {
          const ms = performance.now() - began;
          if (ms - reportedMs >= RUN_MS / REPORTS) {
            reportedMs = ms;
            tally.note(`minute ${Math.round(ms / 60_000)}: ${await describeHoldings()}`);
          }
          for (const [name, value] of Object.entries(await measureAll()))
            (series[name] ??= []).push({ ms, value });
          await sleep(SAMPLE_MS);
        }
        await Promise.all(running);
        tally.see(isUp(), `restart: ${product.api.ended() ?? product.gateway.ended()}`);
        if (failures.length > 0)
          tally.note(
            `${failures.length} calls of the worker failed: ${[...new Set(failures)].slice(0, 3).join(', ')}`,
          );
        for (const [name, samples] of Object.entries(series)) judge(tally, name, samples);
      },
    ),
  RUN_MS + 120_000,
);

const isUp = () => product.api.ended() === null && product.gateway.ended() === null;

/** Runs the attacks one after another, each to its end, with pauses between them. */
async function attackInTurn(wanted: () => boolean): Promise<void> {
  while (wanted())
    for (const attack of Object.values(attacks)) {
      if (!wanted()) return;
      const stop = await attack(product, attacker, CLIENTS);
      await sleep(PHASE_MS);
      stop();
      await sleep(PAUSE_MS);
    }
}

/** Users sign in and out, read, work through the gateway and lose access, while the attacks run. */
async function work(wanted: () => boolean, failures: string[]): Promise<void> {
  const { agent, guest, owner, host, allow } = worker;
  const { api, apiPort, gateway } = product;
  const body = { email: agent.email, password: PASSWORD };
  const steps = [
    async () => {
      const text = await ask(apiPort, `/api${login.path}`, { body, from: '198.51.100.7' });
      await api.must((JSON.parse(text) as { token: string }).token, logout);
    },
    () => ask(apiPort, `/api${listSites.path}`, { token: owner }),
    () => ask(apiPort, '/'),
    async () => {
      const got = statusAndReason(await get(gateway.port, agent.who, `http://${host}/small`));
      if (got !== '200') throw new Error(`a request got ${got}`);
    },
    async () => {
      await allow(true);
      await untilStatus(gateway.port, guest.who, host, '200');
      const tunnel = await openTunnel(gateway.port, guest.who, host);
      await allow(false);
      await tunnel.closed;
    },
  ];
  while (wanted())
    for (const step of steps) {
      await step().catch((error: unknown) => failures.push(String(error)));
      await sleep(100);
    }
}

/**
 * Memory and files of both processes, and the disk without the audit, which grows by design and has its own
 * retention.
 */
async function measureAll(): Promise<Record<string, number>> {
  const { api, gateway, database, folder } = product;
  if (!isUp()) return {};
  // The audit's own relation is empty: its rows are in its partitions.
  const sizes = await database.pool.query<{ all: string; audit: string }>(
    `select pg_database_size(current_database()) as all,
       (select sum(pg_total_relation_size(relid)) from pg_partition_tree('audit')) as audit`,
  );
  const [{ all, audit } = { all: '0', audit: '0' }] = sizes.rows;
  return {
    'memory of the api': residentBytes(api.pid()),
    'memory of the gateway': residentBytes(gateway.pid),
    'files of the api': openFiles(api.pid()),
    'files of the gateway': openFiles(gateway.pid),
    disk: Number(all) - Number(audit) + (await bytesBelow(folder)),
  };
}

/** Lists the open files of both processes by kind, and the largest tables. Shows what grew when a figure grows. */
async function describeHoldings(): Promise<string> {
  const { api, gateway, database } = product;
  const tables = await database.pool.query<{ name: string; kilobytes: number }>(
    `select relname as name, pg_total_relation_size(oid) / 1024 as kilobytes from pg_class
     where relkind = 'r' order by pg_total_relation_size(oid) desc limit 8`,
  );
  const kinds = (pid: number) =>
    Object.entries(openFileKinds(pid))
      .map(([kind, count]) => `${count} ${kind}`)
      .join(', ');
  return [
    `api ${kinds(api.pid())}`,
    `gateway ${kinds(gateway.pid)}`,
    tables.rows.map(({ name, kilobytes }) => `${name} ${kilobytes} KB`).join(', '),
  ].join('; ');
}

async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    entries.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function judge(tally: Tally, name: string, samples: readonly Sample[]): void {
  const fitted = samples.filter(({ ms }) => ms >= RUN_MS * WARM_UP);
  const { mean, percentPerHour, error } = fitTrend(fitted, PERIOD_MS);
  const shown = name.startsWith('files') ? mean.toFixed(0) : `${(mean / MB).toFixed(1)} MB`;
  const figures = `${name}: ${shown}, ${percentPerHour.toFixed(2)} ± ${error.toFixed(2)} % an hour`;
  tally.note(figures);
  // The interval's lower end: a growth within the error does not count.
  const grows = RUN_MS >= JUDGED_FROM_MS && percentPerHour - error > MOST_PERCENT_PER_HOUR;
  tally.see(!grows, figures);
}
