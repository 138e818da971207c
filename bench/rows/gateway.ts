import { bytes, compareAll, halfLoad, NOTE, requests, tunnels } from '../gateway/measure.ts';
import {
  startFloor,
  startFloorWithFlags,
  startOurs,
  startProxyChain,
  startSquid,
  startUnrecorded,
} from '../gateway/peers.ts';
import type { Row } from '../harness/row.ts';

/** Measures the gateway and other proxies, with direct egress. */
export const row: Row = {
  name: 'gateway',
  title: 'Gateway, direct: 10,000 sites × 10,000 users, one core',
  quick: true,
  run: async (bench) => {
    const starts = [startOurs, startUnrecorded, startSquid, startFloor];
    const compared = bench.quick
      ? compareAll(bench, [tunnels, requests, bytes('down', 64)], starts)
      : compareAll(
          bench,
          [tunnels, halfLoad, requests, bytes('down', 1), bytes('down', 64), bytes('up', 1), bytes('up', 64)],
          [...starts, startFloorWithFlags, startProxyChain],
        );
    return {
      ...(await compared),
      notes: [`A tunnel is CONNECT, a ClientHello, 1,200 bytes back, the end. ${NOTE}`],
    };
  },
};
