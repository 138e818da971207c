import { compareAll, echo, halfLoad, manyStreams, oneStream, requests, tunnels } from '../gateway/measure.ts';
import {
  startFloor,
  startNone,
  startOurs,
  startProxyChain,
  startSquid,
  startTinyproxy,
} from '../gateway/peers.ts';
import type { Row } from '../harness/row.ts';

/** Measures the gateway and other proxies, with direct egress. */
export const row: Row = {
  name: 'gateway',
  title: 'Gateway, direct: 10,000 sites × 10,000 users, one core',
  quick: true,
  run: async (bench) => ({
    ...(bench.quick
      ? await compareAll(
          bench,
          [tunnels, requests, manyStreams],
          [startOurs, startSquid, startProxyChain, startFloor],
        )
      : await compareAll(
          bench,
          [tunnels, halfLoad, requests, oneStream, manyStreams, echo],
          [startOurs, startSquid, startProxyChain, startFloor, startTinyproxy, startNone],
        )),
    notes: [
      'The proxy has core 0, load and sites core 1. A tunnel is CONNECT, a ClientHello, 1,200 bytes back, the end. «A core-second» is a second of processor time that the proxy took: its throughput on a dedicated core, independent of other load; ratios compare that, and p50 for the echo. tinyproxy knows one password and no rules by user and site.',
    ],
  }),
};
