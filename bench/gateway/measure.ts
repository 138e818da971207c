import { LOAD, startWorker, type Worker } from '../harness/pinned.ts';
import { apart, type Bench, median, type Ratio, type Result, short, type Table } from '../harness/row.ts';
import type { Seen, Task } from './load.ts';
import { OURS, type Proxy, UNRECORDED, type Wanted } from './peers.ts';

/**
 * Runs one kind of load through each proxy in turn, in several rounds, and compares the results. A turn is two
 * discarded rounds and a measured one. While another proxy has its turn, idle connections of this one end and
 * V8 may drop compiled functions; the discarded rounds compile them again and fill the heap.
 */
const ROUND_MS = 2_500;
const HALF_LOAD_MS = 10_000;
const DISCARDED = 2;
/** The duration of a discarded round of `npm run bench:quick` for a proxy that has had a turn before. */
const QUICK_DISCARDED_MS = 1_000;
/** The fraction of the rounds whose p99 must be within the bar. */
const MOST_ROUNDS = 0.8;

/** Text for the results of rows that compare proxies. */
export const NOTE =
  'The proxy has core 0, load and sites core 1, and the load polls without sleeping. The gateway makes and sends a record of access for each visit: budgets of records, which the load of ten companies would use up within a minute, are off. «A core-second» is a second of processor time of all threads and child processes of the proxy: its throughput on a dedicated core, independent of other load; ratios compare that, and a bar shows the median of its rounds with their range. «Other threads» is the part of this time outside the main thread. On a single core V8’s helper threads, which compile, mark and help to collect the young generation, take turns with the main thread instead of running beside it: their work delays tunnels, and each switch between threads costs time.';

type Load = Worker<Task, Seen>;

/** Starts load and origin on their core. The origin's port is `ready.port`. */
export const startLoad = () =>
  startWorker<Task, Seen, { port: number; dns: string | null }>(LOAD, 'gateway/load.ts');

interface Kind {
  readonly title: string;
  readonly kind: Task['kind'];
  readonly connections: number;
  /** New tunnels come at half the rate that the slowest proxy carries. */
  readonly halfLoad?: true;
  /** The divisor of the count, and the unit's name. */
  readonly unit: readonly [by: number, name: string];
  /** The required ratios of the gateway to other proxies. A proxy that is not named here is not measured. */
  readonly bars: readonly { readonly peer: string; readonly bar: number; readonly of: 'core' | 'p99' }[];
}

/** The kinds of load, and the bars of the gateway on one core. */
export const tunnels: Kind = {
  title: 'New tunnels',
  kind: 'tunnels',
  connections: 32,
  unit: [1, 'tunnels'],
  bars: [
    { peer: 'floor', bar: 0.78, of: 'core' },
    { peer: 'floor, our flags', bar: 0.78, of: 'core' },
    { peer: 'squid', bar: 0.95, of: 'core' },
    { peer: 'proxy-chain', bar: 1, of: 'core' },
    { peer: UNRECORDED, bar: 0.97, of: 'core' },
  ],
};

export const halfLoad: Kind = {
  ...tunnels,
  title: 'New tunnels at half load',
  halfLoad: true,
  bars: [{ peer: 'squid', bar: 2, of: 'p99' }],
};

export const freshNames: Kind = {
  ...tunnels,
  title: 'New tunnels, each to a fresh name',
  kind: 'fresh',
  bars: [{ peer: 'squid', bar: 0.85, of: 'core' }],
};

export const requests: Kind = {
  title: 'Requests on kept connections',
  kind: 'requests',
  connections: 32,
  unit: [1, 'requests'],
  bars: [{ peer: 'squid', bar: 1, of: 'core' }],
};

/** A transfer of bytes in one direction through a number of tunnels. */
export const bytes = (kind: 'down' | 'up', connections: number): Kind => ({
  title: `Bytes ${kind} ${connections === 1 ? 'one tunnel' : `${connections} tunnels`}`,
  kind,
  connections,
  unit: [2 ** 20, 'MiB'],
  bars: [{ peer: 'squid', bar: kind === 'down' ? 1 : 0.9, of: 'core' }],
});

/** Measures each kind of load through each proxy. @param dns whether the proxies ask the load's name server */
export async function compareAll(
  bench: Bench,
  kinds: readonly Kind[],
  starts: readonly ((wanted: Wanted) => Promise<Proxy>)[],
  { dns = false } = {},
): Promise<Pick<Result, 'tables' | 'ratios'>> {
  await using started = new AsyncDisposableStack();
  const load = started.use(await startLoad());
  const origin = load.ready.port;
  const names = load.ready.dns;
  if (dns && names === null) throw new Error('The name server needs port 53 of 127.0.0.53: run as root');
  const wanted = { origin, ...(dns && names !== null && { dns: names }) };
  const proxies: Proxy[] = [];
  for (const start of starts) proxies.push(started.use(await start(wanted)));
  const tables: Table[] = [];
  const ratios: Ratio[] = [];
  for (const kind of kinds) {
    const compared = proxies.filter(
      ({ name }) => name === OURS || kind.bars.some(({ peer }) => peer === name),
    );
    const { table, ratios: more } = await compare(bench, load, compared, kind);
    tables.push(table);
    ratios.push(...more);
  }
  return { tables, ratios };
}

interface Round {
  /** Per second of wall clock, and per second of the proxy's processor time. */
  readonly clock: number;
  readonly core: number;
  /** The part of the processor time outside the main thread. */
  readonly others: number;
  readonly p50: number;
  readonly p99: number;
}

/**
 * One turn of a proxy. @param rate of new tunnels a second, at half load
 * @throws Error when the proxy fails more than one in a hundred
 */
async function measure(
  { quick }: Bench,
  load: Load,
  { name, port, callers, process }: Proxy,
  { title, kind, connections, unit: [by] }: Kind,
  { rate, isFirst }: { rate?: number | undefined; isFirst: boolean },
): Promise<Round> {
  const task = { kind, proxy: port, callers, connections, ...(rate !== undefined && { rate }) };
  const discardedMs = quick && !isFirst ? QUICK_DISCARDED_MS : ROUND_MS;
  for (let i = 0; i < DISCARDED; i++) await load.run({ ...task, ms: discardedMs });
  const [main, cpu] = [process.mainCpu(), process.cpu()];
  const seen = await load.run({ ...task, ms: rate === undefined ? ROUND_MS : HALF_LOAD_MS });
  const [ofMain, ofAll] = [process.mainCpu() - main, process.cpu() - cpu];
  const count = seen.count / by;
  if (count === 0 || seen.failed * 100 > count)
    throw new Error(`${name}, ${title}: ${seen.failed} failed beside ${count}: ${seen.fault}`);
  const { p50, p99 } = seen;
  return {
    clock: count / (seen.ms / 1_000),
    core: count / ofAll,
    others: Math.max(0, 1 - ofMain / ofAll),
    p50,
    p99,
  };
}

/** Measures one kind of load through each proxy. */
async function compare(
  bench: Bench,
  load: Load,
  proxies: readonly Proxy[],
  kind: Kind,
): Promise<{ table: Table; ratios: Ratio[] }> {
  const full: number[] = [];
  if (kind.halfLoad)
    for (const proxy of proxies)
      full.push((await measure(bench, load, proxy, kind, { isFirst: true })).clock);
  const rate = kind.halfLoad && Math.min(...full) / 2;
  const rounds = new Map<string, Round[]>(proxies.map(({ name }) => [name, []]));
  for (let round = 0; round < bench.rounds; round++)
    for (const proxy of proxies)
      rounds.get(proxy.name)?.push(await measure(bench, load, proxy, kind, { rate, isFirst: round === 0 }));
  const of = (name: string, figure: keyof Round) => (rounds.get(name) ?? []).map((each) => each[figure]);
  const [, unit] = kind.unit;
  const lines = proxies.map(({ name }) => [
    name,
    short(median(of(name, 'clock'))),
    short(median(of(name, 'core'))),
    apart(of(name, 'core')),
    `${short(median(of(name, 'others')) * 100)} %`,
    // A transfer of bytes has no latency.
    ...(['p50', 'p99'] as const).map((figure) => short(median(of(name, figure)) || Number.NaN)),
  ]);
  const ratios: Ratio[] = kind.bars
    .filter(({ peer }) => rounds.has(peer))
    .map(({ peer, bar, of: figure }) => {
      const [ours, theirs] = [of(OURS, figure), of(peer, figure)];
      // Compare the two proxies within one round, where both ran under the same conditions.
      const each = ours.map((value, i) => value / (theirs[i] ?? Number.NaN));
      const isTime = figure === 'p99';
      return {
        what: `${kind.title}${isTime ? `, p99 in ${MOST_ROUNDS * 100} % of the rounds` : ''}: ${OURS} / ${peer}`,
        value: isTime ? keptByMost(each) : median(each),
        rounds: each,
        bar,
        atLeast: !isTime,
      };
    });
  const head = ['', `${unit}/s`, `${unit} a core-second`, 'spread', 'other threads', 'p50 ms', 'p99 ms'];
  return { table: { title: kind.title, head, lines }, ratios };
}

/** The smallest limit that `MOST_ROUNDS` of the figures do not exceed. */
function keptByMost(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.ceil(figures.length * MOST_ROUNDS) - 1] ?? Number.NaN;
}
