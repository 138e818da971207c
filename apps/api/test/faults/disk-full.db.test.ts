import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { asRoot, rootOnly } from '@propusk/test-kit/embedded/scratch';
import { type OwnServer, startOwnServer } from '@propusk/test-kit/faults/own-server';
import { startTraffic } from '@propusk/test-kit/faults/traffic';
import { quickOrSoak, threatCase } from '@propusk/test-kit/threat-case';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** The database's disk fills up under load. Mounting a small disk needs root. */

const ROUNDS = quickOrSoak(1, 5);
/** The longest allowed recovery from a full disk. Quick runs allow more time, because they share a busy machine. */
const WELL_MS = quickOrSoak(15_000, 5_000);
const FULL_MS = quickOrSoak(500, 4_000);

let server: OwnServer;
let api: TestApi;
beforeAll(async () => {
  if (!asRoot) return;
  server = await startOwnServer({ disk: '200m' });
  api = await startApi(server.url);
});
afterAll(async () => {
  if (!asRoot) return;
  await api.close();
  await server.remove();
});

test.skipIf(!asRoot)(
  `on a full disk the api refuses writes and serves reads, and it recovers when space is free${rootOnly}`,
  () =>
    threatCase(
      'disk full',
      'calls on a full disk: every acknowledged write stored, every read answered',
      async (tally) => {
        for (let round = 0; round < ROUNDS; round++) {
          using traffic = startTraffic(api, (await api.company()).token, { writers: 6 });
          await traffic.wellSince(performance.now());
          await expect.poll(() => existsSync(server.reserveFile)).toBe(true);
          server.fill();
          // Fills the space that the deleted reserve file freed.
          await expect.poll(() => existsSync(server.reserveFile)).toBe(false);
          // The file system frees the space only shortly after the file is deleted.
          await sleep(500);
          server.fill();
          const full = performance.now();
          const refusals = () =>
            traffic.seen.filter(
              ({ began, what, status }) => began > full && what === 'write' && status === 503,
            );
          // Writes still succeed at first, because allocated pages have room for a few rows.
          await expect.poll(() => refusals().length, { timeout: 30_000 }).toBeGreaterThan(0);
          await sleep(FULL_MS);
          const room = performance.now();
          server.makeRoom();
          const well = await traffic.wellSince(room);
          const wrong = await traffic.end();
          const during = traffic.seen.filter(({ began, ended }) => began > full && ended < room);
          for (const { what, status } of during)
            tally.see(
              what === 'read' ? status === 200 : [201, 503].includes(status),
              `a ${what} got ${status}`,
            );
          tally.see(
            wrong.length === 0 && well - room < WELL_MS,
            `${wrong.join(', ')} well after ${well - room} ms`,
          );
        }
      },
    ),
  240_000,
);
