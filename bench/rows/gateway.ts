import { echo, manyStreams, oneStream, requests, tunnels } from '../gateway/kinds.ts';
import { compare, startLoad } from '../gateway/measure.ts';
import {
  noProxy,
  type Proxy,
  startOurs,
  startProxyChain,
  startSquid,
  startTinyproxy,
} from '../gateway/peers.ts';
import type { Bench, Result, Row } from '../harness/row.ts';

/** The gateway beside other proxies, with direct egress. */
export const row: Row = {
  name: 'gateway',
  title: 'Gateway, direct: 10,000 sites × 10,000 users, one core',
  quick: true,
  run: async (bench) => {
    const load = await startLoad();
    const proxies: Proxy[] = [];
    try {
      const wanted = { origin: load.origin };
      proxies.push(await startOurs(wanted), await startSquid(wanted), await startProxyChain(wanted));
      if (!bench.quick) proxies.push(await startTinyproxy(wanted), noProxy);
      return await measured(bench, load, proxies);
    } finally {
      for (const proxy of proxies) await proxy.stop();
      await load.stop();
    }
  },
};

async function measured(
  bench: Bench,
  load: Awaited<ReturnType<typeof startLoad>>,
  proxies: readonly Proxy[],
): Promise<Result> {
  const kinds = bench.quick
    ? [tunnels, requests, manyStreams]
    : [tunnels, requests, oneStream, manyStreams, echo];
  const tables = [];
  const ratios = [];
  for (const kind of kinds) {
    // tinyproxy closes the connection after every reply.
    const able = proxies.filter(({ name }) => name !== 'tinyproxy' || kind.kind !== 'requests');
    const { table, ratios: more } = await compare(bench, load, able, kind);
    tables.push(table);
    ratios.push(...more);
  }
  return {
    tables,
    ratios,
    notes: [
      'The proxy has core 0, load and sites core 1. A tunnel is CONNECT, a ClientHello, 1,200 bytes back, the end. «A core-second» is a second of processor time that the proxy took: its throughput on a dedicated core, independent of other load; ratios compare that, and p50 for the echo. tinyproxy knows one password and no rules by user and site.',
    ],
  };
}
