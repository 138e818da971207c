import { compareAll, manyStreams, requests, tunnels } from '../gateway/measure.ts';
import { startOurs, startProxyChain, startSquid, startTinyproxy } from '../gateway/peers.ts';
import type { Row } from '../harness/row.ts';

/** Measures the gateway and other proxies, through a company's own upstream proxy. */
export const row: Row = {
  name: 'upstream',
  title: 'Gateway, through an upstream proxy',
  quick: false,
  run: async (bench) => ({
    ...(await compareAll(
      bench,
      [tunnels, requests, manyStreams],
      [startOurs, startSquid, startProxyChain, startTinyproxy],
      { upstream: true },
    )),
    notes: [
      'The upstream proxy stands in the process of the load and answers as the site itself would. A tunnel that falls silent for 3 s is ended and not counted: half of proxy-chain’s 64 did.',
    ],
  }),
};
