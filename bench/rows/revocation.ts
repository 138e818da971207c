import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startDatabase } from '../api/database.ts';
import { fill } from '../api/fill.ts';
import { GATEWAY_SECRET, startApi } from '../api/server.ts';
import { BOTH, type Pinned, pinned, told } from '../harness/pinned.ts';
import { type Row, short } from '../harness/row.ts';
import type { Seen, Task } from '../revocation/load.ts';

const RATE = 500;
const VICTIMS = 20;

/** How soon a lost right ends a tunnel while the platform changes all the time. */
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
      const owners = await fill(pool, { companies: 500, sites: 10, policies: 1, owners: 500 });
      await pool.end();
      const hosts = owners.slice(0, VICTIMS).map(({ company }) => `victim.c${company}.bench.test=127.0.0.1`);
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
      const { port } = await told<{ port: number }>(gateway.child, 'listening');
      const path = fileURLToPath(import.meta.resolve('../revocation/load.ts'));
      const load = pinned(BOTH, [process.execPath, path], { ipc: true });
      running.push(load);
      await told(load.child, 'ready');
      say('tunnels are opened and cut…');
      const task = {
        api: api.port,
        gateway: port,
        owners,
        victims: VICTIMS,
        rate: RATE,
        ms: rounds * ms * 4,
      };
      load.child.send(task satisfies Task);
      const seen = await told<Seen>(load.child, 'seen');
      if (seen.failed > 0) throw new Error(`${seen.failed} failed: ${seen.fault}`);
      const times = [...seen.times].sort((a, b) => a - b);
      const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
      const rate = seen.changes / (seen.ms / 1_000);
      return {
        tables: [
          {
            title: 'From the request that takes the right to the dead tunnel',
            head: ['changes/s', 'cut', 'p50 ms', 'p99 ms', 'slowest ms'],
            lines: [
              [short(rate), String(times.length), short(at(0.5)), short(at(0.99)), short(at(1 - 1e-9))],
            ],
          },
        ],
        ratios: [
          { what: 'p99', value: at(0.99), bar: 1_000, atLeast: false, unit: ' ms' },
          // A shortfall would be a smaller load than the one that was asked for.
          { what: 'Changes a second', value: rate, bar: RATE * 0.95, atLeast: true },
        ],
        notes: [
          `Database, api, gateway and load on both cores. 500 companies; ${VICTIMS} of them lose and get back the right to an open tunnel all the time, the others take people in and out of a policy.`,
        ],
      };
    } finally {
      for (const each of running.toReversed()) await each.stop();
      await database.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
