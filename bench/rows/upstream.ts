import { manyStreams, requests, tunnels } from '../gateway/kinds.ts';
import { compare, startLoad } from '../gateway/measure.ts';
import { type Proxy, startOurs, startProxyChain, startSquid, startTinyproxy } from '../gateway/peers.ts';
import type { Row } from '../harness/row.ts';

/** The gateway beside other proxies, through a company's own proxy. */
export const row: Row = {
  name: 'upstream',
  title: 'Gateway, through an upstream proxy',
  quick: false,
  run: async (bench) => {
    const load = await startLoad();
    const proxies: Proxy[] = [];
    try {
      const upstream = { host: '127.0.0.1', port: load.origin, username: 'gate', password: 'listo' };
      const wanted = { origin: load.origin, upstream };
      proxies.push(await startOurs(wanted), await startSquid(wanted), await startProxyChain(wanted));
      proxies.push(await startTinyproxy(wanted));
      const tables = [];
      const ratios = [];
      for (const kind of [tunnels, requests, manyStreams]) {
        const able = proxies.filter(({ name }) => name !== 'tinyproxy' || kind.kind !== 'requests');
        const { table, ratios: more } = await compare(bench, load, able, kind);
        tables.push(table);
        ratios.push(...more);
      }
      const notes = [
        'The upstream proxy stands in the process of the load and answers as the site itself would. A tunnel that falls silent for 3 s is ended and not counted: half of proxy-chain’s 64 did.',
      ];
      return { tables, ratios, notes };
    } finally {
      for (const proxy of proxies) await proxy.stop();
      await load.stop();
    }
  },
};
