import { compareAll, freshNames, NOTE } from '../gateway/measure.ts';
import { startOurs, startSquid } from '../gateway/peers.ts';
import type { Row } from '../harness/row.ts';

/** Measures tunnels that each resolve a name, with one name server for both proxies. */
export const row: Row = {
  name: 'names',
  title: 'Gateway, a fresh name at each tunnel',
  quick: false,
  run: async (bench) => ({
    ...(await compareAll(bench, [freshNames], [startOurs, startSquid], { dns: true })),
    notes: [
      `No proxy has seen a name before. The name server answers at once; it runs in the process of the load. ${NOTE}`,
    ],
  }),
};
