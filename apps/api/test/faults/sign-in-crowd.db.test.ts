import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { login } from '@propusk/contract/auth';
import { register } from '@propusk/contract/registration';
import { GATEWAY_SECRET, PASSWORD } from '@propusk/test-kit/api/api';
import { freePort } from '@propusk/test-kit/daemon';
import { type OwnServer, startOwnServer } from '@propusk/test-kit/faults/own-server';
import type { Answer, Crowd } from '@propusk/test-kit/faults/wrong-sign-ins';
import { type ApiProcess, startApiProcess } from '@propusk/test-kit/gateway/api-process';
import { quickOrSoak, threatCase } from '@propusk/test-kit/threat-case';
import { afterAll, beforeAll, test } from 'vitest';

/** Tests that a user can sign in while clients of another network send many wrong passwords. */

const CROWD = quickOrSoak(500, 2_000);

let server: OwnServer;
let folder: string;
let api: ApiProcess;
beforeAll(async () => {
  server = await startOwnServer();
  folder = await mkdtemp(join(tmpdir(), 'propusk-crowd-'));
  api = await startApiProcess(await freePort(), {
    DATABASE_URL: server.url,
    SECRET_KEY: 'the sealing secret of a crowd that signs in, long enough to be taken',
    GATEWAY_SECRET,
    DATA_DIR: folder,
    TRUST_PROXY: '127.0.0.0/8',
  });
});
afterAll(async () => {
  await api.kill();
  await server.remove();
  await rm(folder, { recursive: true, force: true });
});

const account = { email: 'owner@crowd.test', password: PASSWORD };

/** Signs in repeatedly while the condition holds. @returns the durations in ms, ascending */
async function signIns(more: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (more() || times.length === 0) {
    const began = performance.now();
    await api.must(null, login, { body: account });
    times.push(performance.now() - began);
  }
  return times.toSorted((a, b) => a - b);
}
const median = (times: readonly number[]) => times[times.length >> 1] ?? Infinity;

test(
  'many wrong sign-ins from one address make sign-ins from another address at most four times slower',
  () =>
    threatCase(
      'brute force, enumeration',
      'many wrong sign-ins from one address, and right ones from another',
      async (tally) => {
        const names = { name: 'Компания', companyName: 'Компания', companySite: 'crowd.test' };
        await api.must(null, register, { body: { ...names, ...account } });
        let left = 10;
        const alone = await signIns(() => left-- > 0);
        const workerData: Crowd = { url: api.url, from: '198.51.100.7', count: CROWD };
        const crowd = new Worker(
          new URL('../../../../packages/test-kit/src/faults/wrong-sign-ins.ts', import.meta.url),
          {
            workerData,
            execArgv: [],
          },
        );
        let isWaiting = true;
        const answered = once(crowd, 'message').then(([all]: Answer[][]) => {
          isWaiting = false;
          return all ?? [];
        });
        await once(crowd, 'online');
        await sleep(150);
        // Measures only sign-ins that begin during the load.
        const beside = await signIns(() => isWaiting);
        for (const { status, code, retryAfter } of await answered)
          tally.see(
            status === 401 ||
              code === 'unavailable' ||
              ((status === 429 || status === 503) && retryAfter >= 1),
            `a guess got ${status} ${code}, Retry-After ${retryAfter}`,
          );
        tally.note(
          `${CROWD} at once; median alone ${median(alone).toFixed()} ms, of ${beside.length} beside ${median(beside).toFixed()} ms, slowest ${beside.at(-1)?.toFixed()} ms`,
        );
        tally.see(
          median(beside) <= 4 * median(alone),
          `${median(beside)} ms beside, ${median(alone)} ms alone`,
        );
      },
    ),
  240_000,
);
