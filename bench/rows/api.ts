import pg from 'pg';
import { COMPANIES, fill, OWNERS, type Owner } from '../api/fill.ts';
import type { Seen, Task } from '../api/load.ts';
import { type Database, type Server, startApi, startBare, startDatabase } from '../api/servers.ts';
import { recordStatements } from '../api/statements.ts';
import { LOAD, MEASURED, startWorker, type Worker } from '../harness/pinned.ts';
import { type Bench, median, middleLine, type Ratio, type Row, short, type Table } from '../harness/row.ts';

const CONNECTIONS = 32;
const BAR = 0.8;
const calls: readonly { readonly call: Task['call']; readonly title: string }[] = [
  { call: 'me', title: 'GET /me' },
  { call: 'list', title: 'GET /domain-allowed?page=1&take=10&name=' },
  { call: 'create', title: 'POST /domain-allowed' },
];

/** Measures the api and a bare server that sends the same SQL statements. */
export const row: Row = {
  name: 'api',
  title: `The api beside bare Fastify and pg with its own SQL, ${CONNECTIONS} connections, one core`,
  quick: true,
  run: async (bench) => {
    await using started = new AsyncDisposableStack();
    const world = await startWorld(started);
    const tables: Table[] = [];
    const ratios: Ratio[] = [];
    for (const { call, title } of calls) {
      const { table, value } = await compare(bench, world, call);
      tables.push({ ...table, title });
      ratios.push({ what: `${title}: ours / bare`, value, bar: BAR, atLeast: true });
    }
    return {
      tables,
      ratios,
      notes: [
        'Server and database share core 0, the load has core 1. «A core-second» is a second of processor time that server and database took together. The bare server serves one fixed user and looks up no session.',
      ],
    };
  },
};

interface World {
  readonly database: Database;
  readonly pool: pg.Pool;
  readonly owners: readonly Owner[];
  readonly servers: readonly Server[];
  readonly load: Worker<Task, Seen>;
}

/** Starts the api and the bare server on one embedded PostgreSQL, all on the measured core. */
async function startWorld(started: AsyncDisposableStack): Promise<World> {
  const database = started.use(await startDatabase(MEASURED));
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  started.defer(() => pool.end());
  const ours = started.use(await startApi(database.url));
  // With 64 companies, writers rarely change the same company at once, and no company reaches its limit of
  // sites.
  const owners = await fill(database.url, { companies: 64, sites: 30, policies: 3 });
  const actor = { userId: OWNERS, companyId: COMPANIES, roles: ['CREATOR'] as const };
  const rest = { tokenHash: Buffer.alloc(32), address: '127.0.0.1', lacksFactor: false };
  const recorded = await recordStatements(database.url, { ...actor, ...rest });
  const bare = started.use(await startBare(database.url, recorded));
  const load = started.use(await startWorker<Task, Seen>(LOAD, 'api/load.ts'));
  return { database, pool, owners, servers: [ours, bare], load };
}

/** Requests in a second of processor time of server and database, and of the server alone. */
interface Round {
  readonly core: number;
  readonly server: number;
}

async function compare(
  bench: Bench,
  { servers, database, pool, load, owners }: World,
  call: Task['call'],
): Promise<{ table: Omit<Table, 'title'>; value: number }> {
  const rounds = new Map<string, Round[]>(servers.map(({ name }) => [name, []]));
  // The first round only warms up: V8 compiles hot functions.
  for (let round = -1; round < bench.rounds; round++) {
    for (const { name, port, cpu } of servers) {
      const task = { call, port, ours: name === 'ours', ms: bench.ms, connections: CONNECTIONS };
      const before = [cpu(), database.cpu()] as const;
      const { count } = await load.run({ ...task, owners });
      const [ofServer, ofDatabase] = [cpu() - before[0], database.cpu() - before[1]];
      if (call === 'create') await sweep(pool);
      if (round < 0) continue;
      rounds.get(name)?.push({ core: count / (ofServer + ofDatabase), server: count / ofServer });
    }
  }
  const of = (name: string, figure: keyof Round) => (rounds.get(name) ?? []).map((each) => each[figure]);
  const lines = servers.map(({ name }) => [
    ...middleLine(name, of(name, 'core')),
    short(median(of(name, 'server'))),
  ]);
  const bare = of('bare', 'core');
  return {
    table: {
      head: ['', 'requests a core-second', 'spread', 'a core-second of the server alone'],
      lines,
    },
    value: median(of('ours', 'core').map((each, i) => each / (bare[i] ?? Number.NaN))),
  };
}

/** Deletes what a round created, so that no company fills up and every round starts equal. */
async function sweep(pool: pg.Pool): Promise<void> {
  await pool.query(`delete from sites where address like '%.made.bench.test'`);
  await pool.query('vacuum sites');
}
