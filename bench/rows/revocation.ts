import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fill, type Owner } from '../api/fill.ts';
import { GATEWAY_SECRET, startApi, startDatabase } from '../api/servers.ts';
import { startGateway } from '../gateway/peers.ts';
import { BOTH, startWorker } from '../harness/pinned.ts';
import { type Row, short } from '../harness/row.ts';
import type { Seen, Task } from '../revocation/load.ts';

/** Changes a second: the rate under load, and a rate that two cores shared by all processes can sustain. */
const [RATE, CALM] = [500, 125];
const VICTIMS = 20;
const COMPANIES = 500;

/** Time from a removed right to the end of its tunnel, under constant policy changes. */
export const row: Row = {
  name: 'revocation',
  title: `Revocation under ${RATE} policy changes a second`,
  quick: false,
  run: async ({ rounds, ms: roundMs, say }) => {
    await using started = new AsyncDisposableStack();
    const folder = started.use(await mkdtempDisposable(join(tmpdir(), 'propusk-bench-')));
    const database = started.use(await startDatabase(BOTH));
    const api = started.use(await startApi(database.url, BOTH));
    const owners = await fill(database.url, { companies: COMPANIES, sites: 10, policies: 1 });
    const sites = owners.map(({ company }) => `victim.c${company}.bench.test`);
    const env = { GATEWAY_SECRET, API_URL: `http://127.0.0.1:${api.port}`, DATA_DIR: folder.path };
    const gateway = started.use(await startGateway(BOTH, sites, env));
    const load = started.use(await startWorker<Task, Seen>(BOTH, 'revocation/load.ts'));
    say('tunnels are opened and cut…');
    const parts = { api, gateway, database, load };
    const measure = async (rate: number, who: readonly Owner[]): Promise<Measured> => {
      const before = Object.values(parts).map((part) => part.cpu());
      const ports = { api: api.port, gateway: gateway.port };
      const ms = rounds * roundMs * 4;
      const seen = await load.run({ ...ports, owners: who, victims: VICTIMS, rate, ms });
      if (seen.failed > 0) throw new Error(`${seen.failed} failed: ${seen.fault}`);
      const times = [...seen.times].sort((a, b) => a - b);
      const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
      const spent = Object.values(parts).map((part, i) => part.cpu() - (before[i] ?? 0));
      const changes = seen.changes / (seen.ms / 1_000);
      const costs = spent.map((seconds) => (seconds * 1_000) / seen.changes);
      return {
        changes,
        p99: at(0.99),
        ofGateway: costs[Object.keys(parts).indexOf('gateway')] ?? Number.NaN,
        line: [
          String(rate),
          short(changes),
          String(times.length),
          ...[0.5, 0.99, 1 - 1e-9].map((share) => short(at(share))),
          ...costs.map(short),
        ],
      };
    };
    // Each run uses its own companies, so that rights left by the first run do not affect the second.
    const calm = await measure(CALM, owners.slice(0, COMPANIES / 2));
    const busy = await measure(RATE, owners.slice(COMPANIES / 2));
    return {
      tables: [
        {
          title: 'From the request that takes the right to the dead tunnel',
          head: [
            ...['asked for a second', 'changes/s', 'cut', 'p50 ms', 'p99 ms', 'slowest ms'],
            ...Object.keys(parts).map((name) => `${name}, ms of a core a change`),
          ],
          lines: [calm.line, busy.line],
        },
      ],
      ratios: [
        { what: `p99 at ${CALM} changes/s`, value: calm.p99, bar: 1_000, atLeast: false, unit: ' ms' },
        { what: `p99 at ${RATE} changes/s`, value: busy.p99, bar: 1_000, atLeast: false, unit: ' ms' },
        {
          what: `Gateway's processor time of a change at ${RATE} changes/s`,
          value: busy.ofGateway,
          bar: 0.3,
          atLeast: false,
          unit: ' ms',
        },
        // A lower rate would mean that the bench measured a smaller load than requested.
        { what: 'Changes a second', value: busy.changes, bar: RATE * 0.95, atLeast: true },
      ],
      notes: [
        `Database, api, gateway and load on both cores. ${COMPANIES / 2} companies at a time; ${VICTIMS} of them repeatedly lose and regain the right to an open tunnel, the others add users to a policy and remove them.`,
      ],
    };
  },
};

interface Measured {
  /** Changes a second. */
  readonly changes: number;
  readonly p99: number;
  /** The gateway's processor time of a change, in milliseconds. */
  readonly ofGateway: number;
  readonly line: readonly string[];
}
