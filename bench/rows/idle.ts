import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLoad } from '../gateway/measure.ts';
import { OURS, startCollecting } from '../gateway/peers.ts';
import { firstMessage } from '../harness/pinned.ts';
import { median, type Row, short } from '../harness/row.ts';

/** The bench opens 10,000 tunnels, or as many as the gateway accepts: clients get four tenths of its open files. */
const LIMIT = Number(execFileSync('sh', ['-c', 'ulimit -n']).toString());
const TUNNELS = Math.min(10_000, Math.floor(LIMIT * 0.39));

/** Memory of an open, idle tunnel. */
export const row: Row = {
  name: 'idle',
  title: 'Memory of idle tunnels',
  quick: false,
  run: async ({ rounds }) => {
    await using load = await startLoad();
    const lines: string[][] = [];
    const figures: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await using proxy = await startCollecting({ origin: load.ready.port });
      const memory = async () => {
        const collected = firstMessage<{ heap: number }>(proxy.process.child, 'collected');
        proxy.process.child.kill('SIGUSR2');
        return { heap: (await collected).heap, resident: proxy.process.resident() };
      };
      const task = { proxy: proxy.port, callers: proxy.callers, ms: 0, connections: TUNNELS };
      // Warm the gateway up, because the memory that it allocates with its first tunnels belongs to no single
      // tunnel.
      await load.run({ ...task, kind: 'tunnels', ms: 6_000, connections: 32 });
      const before = await memory();
      const { count, fault } = await load.run({ ...task, kind: 'hold' });
      if (count < TUNNELS) throw new Error(`The gateway holds ${count}: ${fault}`);
      await sleep(3_000);
      const after = await memory();
      const each = (figure: keyof typeof after) => (after[figure] - before[figure]) / TUNNELS / 1_000;
      figures.push(each('resident'));
      const mib = [before.resident, after.resident].map((figure) => short(figure / 2 ** 20));
      lines.push([...mib, short(each('resident')), short(each('heap'))]);
    }
    const head = ['MiB before', 'MiB with them', 'KB a tunnel', 'KB of V8’s heap a tunnel'];
    const what = `An idle tunnel of ${OURS}`;
    return {
      tables: [{ title: 'Resident memory after a collection of all garbage', head, lines }],
      ratios: [{ what, value: median(figures), rounds: figures, bar: 2.4, atLeast: false, unit: ' KB' }],
      notes: [
        `${TUNNELS} tunnels: the limit on open files is ${LIMIT}. Each round starts a gateway. Resident memory grows by less than the heap, because the load before has touched pages that tunnels then use.`,
      ],
    };
  },
};
