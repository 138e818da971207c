import { setTimeout as sleep } from 'node:timers/promises';
import { health } from '@propusk/contract/health';
import { companyUsers } from '@propusk/contract/users';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { type OwnServer, startOwnServer } from '@propusk/test-kit/faults/own-server';
import { startTraffic, type Traffic } from '@propusk/test-kit/faults/traffic';
import { startControl, stopwatch } from '@propusk/test-kit/stopwatch';
import { quickOrSoak, type Tally, threatCase } from '@propusk/test-kit/threat-case';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Tests the api under load while the database becomes unavailable and recovers. */

const ROUNDS = quickOrSoak(2, 20);
const TEST_MS = quickOrSoak(240_000, 300_000);
/**
 * The longest allowed response time and recovery time, in milliseconds. A quick run allows more time than the soak,
 * because other tests run on the machine at the same time.
 */
const [REFUSED_MS, WELL_MS] = [quickOrSoak(4_000, 2_000), quickOrSoak(10_000, 5_000)];

let server: OwnServer;
let api: TestApi;
beforeAll(async () => {
  server = await startOwnServer();
  api = await startApi(server.url);
});
afterAll(async () => {
  await api.close();
  await server.remove();
});

test(
  'the api refuses requests in time after the database is killed, recovers without a restart, and loses or repeats no write',
  () =>
    threatCase(
      'database away',
      'database killed during reads and writes: 503 in time, then recovery, every acknowledged write stored once',
      (tally) =>
        rounds(tally, async (traffic) => {
          const killed = performance.now();
          await server.crash();
          return { began: killed, back: killed, well: await traffic.wellSince(killed) };
        }),
    ),
  TEST_MS,
);

test(
  'the api notices a frozen database in time, recovers when it resumes, and loses or repeats no write',
  () =>
    threatCase(
      'database away',
      'database frozen during reads and writes: 503 in time, then recovery, every acknowledged write stored once',
      (tally) =>
        rounds(tally, async (traffic) => {
          const began = performance.now();
          server.freeze();
          await sleep(3_000);
          const back = performance.now();
          server.thaw();
          return { began, back, well: await traffic.wellSince(back) };
        }),
    ),
  TEST_MS,
);

test(
  'the api refuses every request at once while the database is frozen, and does not mistake a slow statement for a freeze',
  async () => {
    const { token } = await api.company();
    // A slow statement must not cause refusals while the database still answers the health queries of `db/watch.ts`.
    const { rows } = await api.database.pool.query('select 1 as one from pg_sleep(4)');
    expect(rows).toEqual([{ one: 1 }]);
    server.freeze();
    await api.call(token, companyUsers);
    const refused = await Promise.all(
      Array.from({ length: 300 }, async (_, n) => {
        await sleep(n * 10);
        const elapsed = stopwatch();
        const { status } = await api.call(n % 2 === 0 ? token : null, n % 2 === 0 ? companyUsers : health);
        return { status, ms: elapsed() };
      }),
    );
    server.thaw();
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
    expect(refused.toSorted((a, b) => a.ms - b.ms)[150]?.ms).toBeLessThan(200);
    await expect
      .poll(async () => (await api.call(token, companyUsers)).status, { timeout: WELL_MS })
      .toBe(200);
  },
  TEST_MS,
);

interface Fault {
  /** The times when the database failed, when it was available again, and when a read and a write succeeded. */
  readonly began: number;
  readonly back: number;
  readonly well: number;
}

async function rounds(tally: Tally, fault: (traffic: Traffic) => Promise<Fault>): Promise<void> {
  let [slowest, longest] = [0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    using traffic = startTraffic(api, (await api.company()).token);
    await traffic.wellSince(performance.now());
    // Each round interrupts the writes at a different point.
    await sleep((round * 37) % 100);
    const slower = startControl();
    const { began, back, well } = await fault(traffic);
    await sleep(200);
    const wrong = await traffic.end();
    const refused = traffic.seen.filter(({ status }) => status >= 300);
    const statuses = new Set(refused.map(({ status }) => status));
    const waited = traffic.seen.filter(({ ended }) => ended > began).map((one) => one.ended - one.began);
    slowest = Math.max(slowest, ...waited);
    longest = Math.max(longest, well - back);
    tally.see(
      wrong.length === 0 &&
        [...statuses].join() === '503' &&
        Math.max(...waited) <= REFUSED_MS * slower() &&
        well - back <= WELL_MS * slower(),
      `round ${round}: ${wrong.join(', ')} statuses ${[...statuses].join()}, an answer took ${Math.round(Math.max(...waited))} ms, well after ${Math.round(well - back)} ms`,
    );
  }
  tally.note(`slowest answer ${Math.round(slowest)} ms, well again within ${Math.round(longest)} ms`);
}
