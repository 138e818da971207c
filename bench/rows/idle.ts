import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLoad } from '../gateway/measure.ts';
import { startOurs } from '../gateway/peers.ts';
import { type Row, short } from '../harness/row.ts';

/**
 * The bench opens 10,000 tunnels, or as many as the limit on open files allows: each tunnel takes two files
 * in the gateway and in the load.
 */
const LIMIT = Number(execFileSync('sh', ['-c', 'ulimit -n']).toString());
const TUNNELS = Math.min(10_000, Math.floor((LIMIT - 500) / 2));

/** Memory of an open, idle tunnel. */
export const row: Row = {
  name: 'idle',
  title: 'Memory of 10,000 idle tunnels',
  quick: false,
  run: async () => {
    await using load = await startLoad();
    await using proxy = await startOurs({ origin: load.ready.port });
    const task = { proxy: proxy.port, callers: proxy.callers, ms: 0, connections: TUNNELS };
    // Warm the gateway up, because the memory that it allocates with its first tunnels belongs to no single
    // tunnel.
    await load.run({ ...task, kind: 'tunnels', ms: 3_000, connections: 32 });
    const before = proxy.process.resident();
    const { count, fault } = await load.run({ ...task, kind: 'hold' });
    if (count < TUNNELS) throw new Error(`${proxy.name} holds ${count}: ${fault}`);
    await sleep(3_000);
    const after = proxy.process.resident();
    const each = (after - before) / TUNNELS / 1_000;
    const line = [proxy.name, short(before / 2 ** 20), short(after / 2 ** 20), short(each)];
    return {
      tables: [
        {
          title: 'Resident memory',
          head: ['', 'MiB before', 'MiB with them', 'KB a tunnel'],
          lines: [line],
        },
      ],
      ratios: [
        { what: `An idle tunnel of ${proxy.name}`, value: each, bar: 2.4, atLeast: false, unit: ' KB' },
      ],
      notes: [`${TUNNELS} tunnels: the limit on open files is ${LIMIT}.`],
    };
  },
};
