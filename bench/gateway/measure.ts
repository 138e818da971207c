import { LOAD, startWorker, type Worker } from '../harness/pinned.ts';
import { apart, type Bench, median, type Ratio, type Result, short, type Table } from '../harness/row.ts';
import type { LoadClient, Seen, Task } from './load.ts';
import type { Proxy, Wanted } from './peers.ts';
import { callers } from './policy.ts';

/** Runs one kind of load through each proxy in turn, in several rounds, and compares the results. */

type Load = Worker<Task, Seen>;

/** Starts load and origin on their core. The origin's port is `ready.port`. */
export const startLoad = () =>
  startWorker<Task, Seen, { port: number; dns: string | null }>(LOAD, 'gateway/load.ts');

/** Returns the clients of the load, with credentials that the given proxy accepts. */
export function clientsOf({ name, known }: Pick<Proxy, 'name' | 'known'>): LoadClient[] {
  if (name === 'tinyproxy')
    return callers().map(({ site, wild }) => ({ site, wild, at: '127.0.0.1', credentials: 'one:known' }));
  return callers().map(({ site, wild, username, token, password }) => ({
    site,
    wild,
    credentials: `${username}:${known === 'token' ? token : password}`,
  }));
}

interface Kind {
  readonly title: string;
  readonly kind: Task['kind'];
  readonly connections: number;
  /** New tunnels come at half the rate that the slowest proxy carried in the warm-up. */
  readonly halfLoad?: true;
  /** The divisor of the count, and the unit's name. */
  readonly unit: readonly [by: number, name: string];
  /** The ratio of the gateway to another proxy that the gateway must reach. */
  readonly bars: readonly {
    readonly peer: string;
    readonly bar: number;
    readonly of: 'work' | 'p50' | 'p99';
  }[];
}

/** The kinds of load, and the bars of the gateway on one core. */
export const tunnels: Kind = {
  title: 'New tunnels',
  kind: 'tunnels',
  connections: 32,
  unit: [1, 'tunnels'],
  bars: [
    { peer: 'proxy-chain', bar: 0.95, of: 'work' },
    { peer: 'squid', bar: 0.8, of: 'work' },
    { peer: 'floor', bar: 0.85, of: 'work' },
    { peer: 'squid', bar: 2, of: 'p99' },
  ],
};

export const halfLoad: Kind = {
  ...tunnels,
  title: 'New tunnels at half load',
  halfLoad: true,
  bars: [{ peer: 'squid', bar: 1.3, of: 'p99' }],
};

export const freshNames: Kind = {
  ...tunnels,
  title: 'New tunnels, each to a fresh name',
  kind: 'fresh',
  bars: [],
};

export const requests: Kind = {
  title: 'Requests on kept connections',
  kind: 'requests',
  connections: 32,
  unit: [1, 'requests'],
  bars: [
    { peer: 'proxy-chain', bar: 1.6, of: 'work' },
    { peer: 'squid', bar: 1.1, of: 'work' },
  ],
};

export const oneStream: Kind = {
  title: 'Bytes down one tunnel',
  kind: 'bulk',
  connections: 1,
  unit: [2 ** 20, 'MiB'],
  bars: [{ peer: 'squid', bar: 1, of: 'work' }],
};

export const manyStreams: Kind = { ...oneStream, title: 'Bytes down 64 tunnels', connections: 64 };

export const echo: Kind = {
  title: '64 bytes there and back in a tunnel',
  kind: 'echo',
  connections: 1,
  unit: [1, 'round trips'],
  bars: [{ peer: 'squid', bar: 1, of: 'p50' }],
};

/**
 * Measures each kind of load through each proxy. @param upstream whether egress is a company's own proxy
 * @param dns whether the proxies ask the load's name server
 */
export async function compareAll(
  bench: Bench,
  kinds: readonly Kind[],
  starts: readonly ((wanted: Wanted) => Promise<Proxy>)[],
  { upstream = false, dns = false } = {},
): Promise<Pick<Result, 'tables' | 'ratios'>> {
  await using started = new AsyncDisposableStack();
  const load = started.use(await startLoad());
  const origin = load.ready.port;
  const own = { host: '127.0.0.1', port: origin, username: 'gate', password: 'listo' };
  const names = load.ready.dns;
  if (dns && names === null) throw new Error('The name server needs port 53 of 127.0.0.53: run as root');
  const wanted = { origin, ...(upstream && { upstream: own }), ...(dns && names !== null && { dns: names }) };
  const proxies: Proxy[] = [];
  for (const start of starts) proxies.push(started.use(await start(wanted)));
  const tables: Table[] = [];
  const ratios: Ratio[] = [];
  for (const kind of kinds) {
    // tinyproxy closes the connection after every reply; the floor carries tunnels only.
    const able = proxies.filter(
      ({ name }) =>
        (name !== 'tinyproxy' || kind.kind !== 'requests') &&
        (name !== 'floor' || kind.kind === 'tunnels' || kind.kind === 'bulk'),
    );
    const { table, ratios: more } = await compare(bench, load, able, kind);
    tables.push(table);
    ratios.push(...more);
  }
  return { tables, ratios };
}

interface Round {
  /** Per second of wall clock, and per second of the proxy's processor time. */
  readonly clock: number;
  readonly core: number;
  readonly p50: number;
  readonly p99: number;
}

/**
 * Runs load through a proxy before the measurement. In the first seconds V8 compiles hot functions, which
 * takes a fifth of the core; a proxy in production has done that.
 * @returns what it carried in a second of the last run
 */
async function warm(
  { quick, ms }: Bench,
  load: Load,
  proxy: Proxy,
  { kind, connections }: Pick<Kind, 'kind' | 'connections'>,
): Promise<number> {
  const [seconds, most] = quick ? [0.7, 2] : [5, 6];
  const begun = proxy.process?.cpu() ?? 0;
  let rate = 0;
  for (let i = 0; i < most; i++) {
    const seen = await load.run({ kind, proxy: proxy.port, callers: clientsOf(proxy), ms, connections });
    rate = seen.count / (seen.ms / 1_000);
    if (proxy.process === null || proxy.process.cpu() - begun >= seconds) break;
  }
  return rate;
}

/** Measures one kind of load. @throws Error when a proxy fails more than one in a hundred */
async function compare(
  bench: Bench,
  load: Load,
  proxies: readonly Proxy[],
  { title, kind, connections, halfLoad: half, unit: [by, unit], bars }: Kind,
): Promise<{ table: Table; ratios: Ratio[] }> {
  const rounds = new Map<string, Round[]>(proxies.map(({ name }) => [name, []]));
  const carried: number[] = [];
  for (const proxy of proxies) carried.push(await warm(bench, load, proxy, { kind, connections }));
  const pace = half && { rate: Math.min(...carried) / 2 };
  for (let round = 0; round < bench.rounds; round++) {
    for (const proxy of proxies) {
      const { port, process } = proxy;
      const before = process?.cpu() ?? 0;
      const seen = await load.run({
        kind,
        proxy: port,
        callers: clientsOf(proxy),
        ms: bench.ms,
        connections,
        ...pace,
      });
      const cpu = process === null ? 0 : process.cpu() - before;
      if (seen.failed > 0 && seen.failed * 100 > seen.count)
        throw new Error(`${proxy.name}, ${title}: ${seen.failed} of ${seen.count} failed: ${seen.fault}`);
      const count = seen.count / by;
      const { p50, p99 } = seen;
      rounds.get(proxy.name)?.push({ clock: count / (seen.ms / 1000), core: count / cpu, p50, p99 });
    }
  }
  const of = (name: string, figure: keyof Round) => (rounds.get(name) ?? []).map((each) => each[figure]);
  const timed = kind !== 'bulk';
  const lines = proxies.map(({ name, process }) => [
    name,
    short(median(of(name, 'clock'))),
    process === null ? '–' : short(median(of(name, 'core'))),
    process === null ? '–' : apart(of(name, 'core')),
    timed ? short(median(of(name, 'p50'))) : '–',
    timed ? short(median(of(name, 'p99'))) : '–',
  ]);
  const ratios: Ratio[] = bars
    .filter(({ peer }) => rounds.has(peer))
    .map(({ peer, bar, of: figure }) => {
      const key = figure === 'work' ? 'core' : figure;
      const [ours, theirs] = [of('ours', key), of(peer, key)];
      // Compare the two proxies within one round, where both ran under the same conditions.
      const value = median(ours.map((each, i) => each / (theirs[i] ?? Number.NaN)));
      const what = `${title}${figure === 'work' ? '' : `, ${figure}`}: ours / ${peer}`;
      return { what, value, bar, atLeast: figure === 'work' };
    });
  const head = ['', `${unit}/s`, `${unit} a core-second`, 'spread', 'p50 ms', 'p99 ms'];
  return { table: { title, head, lines }, ratios };
}
