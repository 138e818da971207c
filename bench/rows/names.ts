import { compareAll, freshNames } from '../gateway/measure.ts';
import { startOurs, startProxyChain, startSquid } from '../gateway/peers.ts';
import type { Row } from '../harness/row.ts';

/** Measures tunnels that each resolve a name, with one name server for all proxies. */
export const row: Row = {
  name: 'names',
  title: 'Gateway, a fresh name at each tunnel',
  quick: false,
  run: async (bench) => ({
    ...(await compareAll(bench, [freshNames], [startOurs, startSquid, startProxyChain], { dns: true })),
    notes: [
      'No proxy has seen a name before. The name server answers at once; it runs in the process of the load.',
    ],
  }),
};
