import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { decide } from '@propusk/access/decide';
import { gatewayKeys } from '@propusk/access/gateway-secret';
import { canonicalHost } from '@propusk/access/host';
import type { AccessIndex } from '@propusk/access/snapshot';
import { company, SECRET } from '@propusk/test-kit/gateway/world';
import { quickOrSoak, threatCase } from '@propusk/test-kit/threat-case';
import { expect, test, vi } from 'vitest';
import { createLog } from './log.ts';
import { openSnapshots } from './snapshot.ts';

const TRIES = quickOrSoak(60, 1_000);

/** QUIET is unaffected by the changes. NEIGHBOUR has a pattern that covers the hosts which `changing` claims. */
const QUIET = company(['quiet.company.test'], { id: 2 });
const NEIGHBOUR = company(['crm.company.test', '*.company.test'], { id: 3 });
const changing = (version: number) =>
  company(['crm.company.test', `new-${version}.company.test`], { version, users: version % 2 ? [1] : [] });

/** The gateway's decision in each case, as text. */
function answers(index: AccessIndex, version: number): Record<string, string> {
  const ask = (user: number, host: string) => {
    const decision = decide(index, user, canonicalHost(host) ?? expect.fail(), 443);
    return decision.allow ? 'allowed' : decision.reason;
  };
  return {
    own: ask(1, 'crm.company.test'),
    quiet: ask(11, 'quiet.company.test'),
    neighbour: ask(21, 'other.company.test'),
    taken: ask(21, 'crm.company.test'),
    takenNow: ask(21, `new-${version}.company.test`),
  };
}

test(
  'a gateway killed at any moment restarts without the api, grants no revoked right, and still serves unaffected companies',
  () =>
    threatCase(
      'revocation',
      'the gateway killed around a change, the api away: no older right on disk, and no older claim',
      async (tally) => {
        const folder = await mkdtemp(join(tmpdir(), 'propusk-snapshot-'));
        const [key, log] = [gatewayKeys(SECRET).snapshot, createLog('silent')];
        const open = (dataDir: string) => openSnapshots({ dataDir, snapshotMaxAgeMs: 900_000 }, key, log);
        const live = await open(join(folder, 'live'));
        const files = ['gateway-snapshot.bin', 'gateway-snapshot.outdated'];
        live.put(QUIET, false);
        live.put(NEIGHBOUR, false);
        let known = 0;
        for (let version = 1; version <= TRIES; version++) {
          live.put(changing(version), false);
          live.contact();
          // Kills before, during and after a write; the first time once the file exists.
          const pause = version % 4 === 0 ? 0 : (version * 7) % 60;
          if (version === 1)
            await expect.poll(() => existsSync(join(folder, 'live', files[0] ?? ''))).toBe(true);
          else if (pause > 0) await sleep(pause);
          // A copy of the data folder holds the same files as a kill at this moment would leave.
          const copy = join(folder, String(version));
          mkdirSync(copy);
          for (const file of files) {
            if (existsSync(join(folder, 'live', file)))
              copyFileSync(join(folder, 'live', file), join(copy, file));
          }
          const [was, is] = [answers(live.index, version), answers((await open(copy)).index, version)];
          expect(was).toMatchObject({ quiet: 'allowed', neighbour: 'allowed', takenNow: 'host_taken' });
          if (is.own === was.own) known++;
          const same = ['quiet', 'neighbour', 'taken', 'takenNow'].every((who) => is[who] === was[who]);
          const own = is.own === was.own || is.own === 'user_removed';
          tally.see(same && own, `${JSON.stringify(is)} at ${version}`);
          await rm(copy, { recursive: true });
        }
        await live.close();
        expect((await open(join(folder, 'live'))).index.companies.get(1)?.version).toBe(TRIES);
        await rm(folder, { recursive: true });
        tally.note(`the last change was there ${known} times, nothing ${TRIES - known} times`);
      },
    ),
  quickOrSoak(30_000, 200_000),
);

test('an unreadable change journal invalidates the snapshot', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'propusk-snapshot-'));
  const [key, log] = [gatewayKeys(SECRET).snapshot, createLog('silent')];
  const open = () => openSnapshots({ dataDir: folder, snapshotMaxAgeMs: 900_000 }, key, log);
  const live = await open();
  live.put(QUIET, false);
  live.contact();
  await live.close();
  expect((await open()).index.companies.size).toBe(1);
  await writeFile(join(folder, 'gateway-snapshot.outdated'), 'nonsense\n');
  expect((await open()).index.companies.size).toBe(0);
  // The next start does not find the snapshot either.
  expect((await open()).index.companies.size).toBe(0);
  await rm(folder, { recursive: true });
});

test('a snapshot that cannot be serialised is a logged failure, and the next write succeeds', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'propusk-snapshot-'));
  const [key, log] = [gatewayKeys(SECRET).snapshot, createLog('silent')];
  const logged = vi.spyOn(log, 'error');
  const open = () => openSnapshots({ dataDir: folder, snapshotMaxAgeMs: 900_000 }, key, log);
  const live = await open();
  // Stands in for a platform above V8's longest string, which throws the same error.
  const toJSON = () => {
    throw new RangeError('Invalid string length');
  };
  live.put({ ...QUIET, toJSON } as typeof QUIET, false);
  live.contact();
  await expect.poll(() => logged.mock.calls.length).toBe(1);
  expect(logged.mock.calls[0]?.[1]).toContain('Cannot write the snapshot');
  live.put({ ...QUIET, version: 2 }, false);
  await live.close();
  expect((await open()).index.companies.get(2)?.version).toBe(2);
  await rm(folder, { recursive: true });
});
