import { cpus } from 'node:os';
import { manyStreams, requests, tunnels } from '../gateway/kinds.ts';
import { compare, type Kind, startLoad } from '../gateway/measure.ts';
import { type Proxy, startOurs, startSquid } from '../gateway/peers.ts';
import type { Row } from '../harness/row.ts';

/** By wall clock: a single-process peer cannot use the idle cores. */
const kinds: readonly Kind[] = [tunnels, requests, manyStreams].map((kind) => ({
  ...kind,
  bars: [{ peer: 'squid', bar: 1, of: 'clock' }],
}));

/** The gateway on every core, beside squid as Debian ships it: one process. */
export const row: Row = {
  name: 'whole',
  title: 'Gateway on a whole machine',
  quick: false,
  run: async (bench) => {
    const cores = cpus().length;
    const core = `0-${cores - 1}`;
    const load = await startLoad(core);
    const proxies: Proxy[] = [];
    try {
      const wanted = { origin: load.origin, core };
      proxies.push(await startOurs(wanted, cores), await startSquid(wanted));
      const tables = [];
      const ratios = [];
      for (const kind of kinds) {
        const { table, ratios: more } = await compare(bench, load, proxies, kind);
        tables.push(table);
        ratios.push(...more);
      }
      const notes = [
        `${cores} cores for all: the proxy, the load and the sites. Ratios are of the clock: the load, one process, takes its part of the machine from either proxy.`,
      ];
      return { tables, ratios, notes };
    } finally {
      for (const proxy of proxies) await proxy.stop();
      await load.stop();
    }
  },
};
