import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startDatabase } from '../api/database.ts';
import { fill, type Owner } from '../api/fill.ts';
import { GATEWAY_SECRET, startApi } from '../api/server.ts';
import { BOTH, firstMessage, type Pinned, pinned } from '../harness/pinned.ts';
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
  run: async ({ rounds, ms, say }) => {
    const running: Pinned[] = [];
    const folder = await mkdtemp(join(tmpdir(), 'propusk-bench-revocation-'));
    const database = await startDatabase(BOTH);
    try {
      const api = await startApi(database.url, running, BOTH);
      const pool = new pg.Pool({ connectionString: database.url, max: 1 });
      const owners = await fill(pool, {
        companies: COMPANIES,
        sites: 10,
        policies: 1,
        owners: COMPANIES,
      });
      await pool.end();
      const hosts = owners.map(({ company }) => `victim.c${company}.bench.test=127.0.0.1`);
      const main = fileURLToPath(import.meta.resolve('@propusk/gateway/main'));
      const gateway = pinned(BOTH, [process.execPath, main], {
        ipc: true,
        env: {
          PATH: process.env.PATH,
          GATEWAY_PORT: '0',
          GATEWAY_SECRET,
          GATEWAY_PROCESSES: '1',
          GATEWAY_HOSTS: hosts.join(','),
          GATEWAY_ALLOW_NETWORKS: '127.0.0.0/8',
          API_URL: `http://127.0.0.1:${api.port}`,
          CONSOLE_URL: 'http://console.test',
          DATA_DIR: folder,
          LOG_LEVEL: 'warn',
        },
      });
      running.push(gateway);
      const { port } = await firstMessage<{ port: number }>(gateway.child, 'listening');
      const path = fileURLToPath(import.meta.resolve('../revocation/load.ts'));
      const load = pinned(BOTH, [process.execPath, path], { ipc: true });
      running.push(load);
      await firstMessage(load.child, 'ready');
      say('tunnels are opened and cut…');
      const parts = { api: api.process, gateway, database, load };
      const measure = async (rate: number, who: readonly Owner[]): Promise<Measured> => {
        const before = Object.values(parts).map((part) => part.cpu());
        const ports = { api: api.port, gateway: port };
        load.child.send({
          ...ports,
          owners: who,
          victims: VICTIMS,
          rate,
          ms: rounds * ms * 4,
        } satisfies Task);
        const seen = await firstMessage<Seen>(load.child, 'seen');
        if (seen.failed > 0) throw new Error(`${seen.failed} failed: ${seen.fault}`);
        const times = [...seen.times].sort((a, b) => a - b);
        const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
        const spent = Object.values(parts).map((part, i) => part.cpu() - (before[i] ?? 0));
        const changes = seen.changes / (seen.ms / 1_000);
        return {
          changes,
          p99: at(0.99),
          line: [
            String(rate),
            short(changes),
            String(times.length),
            ...[0.5, 0.99, 1 - 1e-9].map((share) => short(at(share))),
            ...spent.map((seconds) => short((seconds * 1_000) / seen.changes)),
          ],
        };
      };
      // Separate companies, so that the first run's leftovers give the second run no rights.
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
          // A shortfall would mean a smaller load than requested.
          { what: 'Changes a second', value: busy.changes, bar: RATE * 0.95, atLeast: true },
        ],
        notes: [
          `Database, api, gateway and load on both cores. ${COMPANIES / 2} companies at a time; ${VICTIMS} of them repeatedly lose and regain the right to an open tunnel, the others add users to a policy and remove them.`,
        ],
      };
    } finally {
      for (const each of running.toReversed()) await each.stop();
      await database.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

interface Measured {
  /** A second. */
  readonly changes: number;
  readonly p99: number;
  readonly line: readonly string[];
}
