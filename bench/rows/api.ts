import type { Task } from '../api/load.ts';
import { type Load, startLoad } from '../api/loads.ts';
import { startWorld, type World } from '../api/world.ts';
import { apart, type Bench, median, type Ratio, type Row, short, type Table } from '../harness/row.ts';

const CONNECTIONS = 32;
const BAR = 0.8;
const calls: readonly { readonly call: Task['call']; readonly title: string }[] = [
  { call: 'me', title: 'GET /me' },
  { call: 'list', title: 'GET /domain-allowed?page=1&take=10&name=' },
  { call: 'create', title: 'POST /domain-allowed' },
];

/** The api beside a bare server that sends the same statements. */
export const row: Row = {
  name: 'api',
  title: `The api beside bare Fastify and pg with its own SQL, ${CONNECTIONS} connections, one core`,
  quick: true,
  run: async (bench) => {
    const world = await startWorld();
    const load = await startLoad();
    try {
      const tables: Table[] = [];
      const ratios: Ratio[] = [];
      for (const { call, title } of calls) {
        const { table, value } = await compare(bench, world, load, call);
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
    } finally {
      await load.stop();
      await world.stop();
    }
  },
};

interface Round {
  readonly clock: number;
  readonly core: number;
  readonly server: number;
  readonly p50: number;
  readonly p99: number;
}

async function compare(
  bench: Bench,
  world: World,
  load: Load,
  call: Task['call'],
): Promise<{ table: Omit<Table, 'title'>; value: number }> {
  const servers = [world.ours, world.bare];
  const rounds = new Map<string, Round[]>(servers.map(({ name }) => [name, []]));
  // The first round only warms up: V8 compiles hot functions.
  for (let round = -1; round < bench.rounds; round++) {
    for (const { name, process, port } of servers) {
      const task = { call, port, ours: name === 'ours', ms: bench.ms, connections: CONNECTIONS };
      const before = [process.cpu(), world.databaseCpu()] as const;
      const seen = await load.run({ ...task, owners: world.owners });
      const [server, database] = [process.cpu() - before[0], world.databaseCpu() - before[1]];
      if (call === 'create') await sweep(world);
      if (round < 0) continue;
      const { count, ms, p50, p99 } = seen;
      rounds.get(name)?.push({
        clock: count / (ms / 1000),
        core: count / (server + database),
        server: count / server,
        p50,
        p99,
      });
    }
  }
  const of = (name: string, figure: keyof Round) => (rounds.get(name) ?? []).map((each) => each[figure]);
  const lines = servers.map(({ name }) => [
    name,
    ...(['clock', 'core'] as const).map((figure) => short(median(of(name, figure)))),
    apart(of(name, 'core')),
    ...(['server', 'p50', 'p99'] as const).map((figure) => short(median(of(name, figure)))),
  ]);
  const bare = of('bare', 'core');
  return {
    table: {
      head: [
        '',
        'requests/s',
        'a core-second',
        'spread',
        'a core-second of the server alone',
        'p50 ms',
        'p99 ms',
      ],
      lines,
    },
    value: median(of('ours', 'core').map((each, i) => each / (bare[i] ?? Number.NaN))),
  };
}

/** Deletes what a round created, so that no company fills up and every round starts equal. */
async function sweep({ pool }: World): Promise<void> {
  await pool.query(`delete from sites where address like '%.made.bench.test'`);
  await pool.query('vacuum sites');
}
