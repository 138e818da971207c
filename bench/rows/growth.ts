import pg from 'pg';
import { type Database, startDatabase } from '../api/database.ts';
import { fill, type Owner } from '../api/fill.ts';
import type { Task } from '../api/load.ts';
import { type Load, startLoad } from '../api/loads.ts';
import { type Server, startApi } from '../api/server.ts';
import { MEASURED, type Pinned } from '../harness/pinned.ts';
import { type Bench, median, middleLine, type Row } from '../harness/row.ts';

const platforms = [
  { companies: 1_000, sites: 10 },
  { companies: 4_000, sites: 25 },
  { companies: 10_000, sites: 100 },
];
const calls: readonly { readonly call: Task['call']; readonly title: string }[] = [
  { call: 'list', title: 'GET /domain-allowed?page=1&take=10&name=' },
  { call: 'search', title: 'the same with name=s1' },
];

/** A company's list while the platform around it, or the company itself, grows. */
export const row: Row = {
  name: 'growth',
  title: 'The list of sites, from 10,000 to 1,000,000 of them',
  quick: false,
  run: async (bench) => {
    const running: Pinned[] = [];
    const databases: Database[] = [];
    const load = await startLoad();
    try {
      const sizes: Size[] = [];
      for (const { companies, sites } of platforms) {
        bench.say(`${companies} companies × ${sites} sites are made…`);
        const database = await startDatabase(MEASURED);
        databases.push(database);
        const server = await startApi(database.url, running);
        const pool = new pg.Pool({ connectionString: database.url, max: 1 });
        const owners = await fill(pool, { companies, sites, policies: 1, owners: 200 });
        await pool.end();
        sizes.push({ title: (companies * sites).toLocaleString('en'), server, owners });
      }
      const tables = [];
      const ratios = [];
      for (const { call, title } of calls) {
        const times = await measure(bench, load, sizes, call);
        const [first = []] = times;
        const lines = times.map((list, i) => middleLine(sizes[i]?.title ?? '', list));
        tables.push({ title, head: ['sites', 'p50 ms', 'spread'], lines });
        for (const [i, list] of times.entries()) {
          if (i === 0) continue;
          const value = median(list.map((each, k) => each / (first[k] ?? Number.NaN)));
          ratios.push({
            what: `${title}: p50 at ${sizes[i]?.title} / at 10,000`,
            value,
            bar: 1.3,
            atLeast: false,
          });
        }
      }
      const notes = [
        'One connection, 200 owners over the whole platform in turn; api and database on core 0. Each size is a database of its own.',
      ];
      return { tables, ratios, notes };
    } finally {
      await load.stop();
      for (const each of running) await each.stop();
      for (const each of databases) await each.stop();
    }
  },
};

interface Size {
  readonly title: string;
  readonly server: Server;
  readonly owners: readonly Owner[];
}

/** The medians of each round, by size. The first round only warms up. */
async function measure(
  { rounds, ms }: Bench,
  load: Load,
  sizes: readonly Size[],
  call: Task['call'],
): Promise<number[][]> {
  const times: number[][] = sizes.map(() => []);
  for (let round = -1; round < rounds; round++) {
    for (const [i, { server, owners }] of sizes.entries()) {
      const seen = await load.run({ call, port: server.port, ours: true, ms, connections: 1, owners });
      if (round >= 0) times[i]?.push(seen.p50);
    }
  }
  return times;
}
