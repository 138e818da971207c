import { randomBytes } from 'node:crypto';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '@propusk/gateway/node-flags';
import { firstMessage, MEASURED, pinned } from '../harness/pinned.ts';
import { median, middleLine, type Row, short } from '../harness/row.ts';

interface Done {
  readonly bytes: number;
  readonly ms: number;
  readonly peak: number;
  readonly resident: number;
}

/** Memory of a gateway that holds a large platform, and the time to load it from disk. */
export const row: Row = {
  name: 'snapshot',
  title: 'Snapshot of 10,000 companies × 100 users × 100 sites',
  quick: false,
  run: async ({ rounds }) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'propusk-bench-'));
    const key = randomBytes(32).toString('hex');
    const path = fileURLToPath(import.meta.resolve('../policy/snapshot.ts'));
    const run = async (what: string): Promise<Done> => {
      const command = [
        process.execPath,
        ...NODE_FLAGS,
        '--max-old-space-size=6000',
        path,
        what,
        folder.path,
        key,
      ];
      await using running = pinned(MEASURED, command, { ipc: true });
      return await firstMessage<Done>(running.child, 'done');
    };
    const { bytes } = await run('write');
    const loads: Done[] = [];
    const parses: Done[] = [];
    for (let i = 0; i < Math.min(rounds, 3); i++) {
      loads.push(await run('load'));
      parses.push(await run('parse'));
    }
    const ratio = median(loads.map(({ ms }, i) => ms / (parses[i]?.ms ?? Number.NaN)));
    const times = (list: readonly Done[]) => list.map(({ ms }) => ms);
    const gib = (figure: 'peak' | 'resident') => median(loads.map((each) => each[figure])) / 2 ** 30;
    return {
      tables: [
        {
          title: 'Time',
          head: ['', 'ms', 'spread'],
          lines: [
            middleLine('load: unseal, parse, check, index', times(loads)),
            middleLine('JSON.parse', times(parses)),
          ],
        },
      ],
      ratios: [
        { what: 'load / JSON.parse', value: ratio, bar: 3, atLeast: false },
        { what: 'Memory behind it', value: gib('resident'), bar: 0.5, atLeast: false, unit: ' GiB' },
      ],
      notes: [`${short(bytes / 10_000)} bytes a company; ${short(gib('peak'))} GiB at the peak of loading.`],
    };
  },
};
