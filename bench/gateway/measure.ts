import { LOAD, startWorker, type Worker } from '../harness/pinned.ts';
import { apart, type Bench, median, type Ratio, type Result, short, type Table } from '../harness/row.ts';
import type { LoadClient, Seen, Task } from './load.ts';
import type { Proxy, Wanted } from './peers.ts';
import { callers } from './policy.ts';

/** Runs one kind of load through each proxy in turn, in several rounds, and compares the results. */

type Load = Worker<Task, Seen>;

/** Starts load and origin on their core. The origin's port is `ready.port`. */
export const startLoad = () => startWorker<Task, Seen, { port: number }>(LOAD, 'gateway/load.ts');

/** Returns the clients of the load, with credentials that the given proxy accepts. */
export function clientsOf({ name, known }: Proxy): LoadClient[] {
  if (name === 'tinyproxy')
    return callers().map(({ site }) => ({ site, at: '127.0.0.1', credentials: 'one:known' }));
  return callers().map(({ site, username, token, password }) => ({
    site,
    credentials: `${username}:${known === 'token' ? token : password}`,
  }));
}

interface Kind {
  readonly title: string;
  readonly kind: Task['kind'];
  readonly connections: number;
  /** The divisor of the count, and the unit's name. */
  readonly unit: readonly [by: number, name: string];
  /** The ratio of the gateway to another proxy that the gateway must reach. */
  readonly bars: readonly {
    readonly peer: string;
    readonly bar: number;
    readonly of: 'work' | 'p50';
  }[];
}

/** The kinds of load, and the bars of the gateway on one core. */
export const tunnels: Kind = {
  title: 'New tunnels',
  kind: 'tunnels',
  connections: 32,
  unit: [1, 'tunnels'],
  bars: [
    { peer: 'proxy-chain', bar: 1.25, of: 'work' },
    { peer: 'squid', bar: 0.75, of: 'work' },
  ],
};

export const requests: Kind = {
  title: 'Requests on kept connections',
  kind: 'requests',
  connections: 32,
  unit: [1, 'requests'],
  bars: [
    { peer: 'proxy-chain', bar: 1.6, of: 'work' },
    { peer: 'squid', bar: 0.75, of: 'work' },
  ],
};

export const oneStream: Kind = {
  title: 'Bytes down one tunnel',
  kind: 'bulk',
  connections: 1,
  unit: [2 ** 20, 'MiB'],
  bars: [{ peer: 'squid', bar: 0.95, of: 'work' }],
};

export const manyStreams: Kind = { ...oneStream, title: 'Bytes down 64 tunnels', connections: 64 };

export const echo: Kind = {
  title: '64 bytes there and back in a tunnel',
  kind: 'echo',
  connections: 1,
  unit: [1, 'round trips'],
  bars: [{ peer: 'squid', bar: 1, of: 'p50' }],
};

/** Measures each kind of load through each proxy. @param upstream whether egress is a company's own proxy */
export async function compareAll(
  bench: Bench,
  kinds: readonly Kind[],
  starts: readonly ((wanted: Wanted) => Promise<Proxy>)[],
  upstream = false,
): Promise<Pick<Result, 'tables' | 'ratios'>> {
  await using started = new AsyncDisposableStack();
  const load = started.use(await startLoad());
  const origin = load.ready.port;
  const own = { host: '127.0.0.1', port: origin, username: 'gate', password: 'listo' };
  const proxies: Proxy[] = [];
  for (const start of starts)
    proxies.push(started.use(await start({ origin, ...(upstream && { upstream: own }) })));
  const tables: Table[] = [];
  const ratios: Ratio[] = [];
  for (const kind of kinds) {
    // tinyproxy closes the connection after every reply.
    const able = proxies.filter(({ name }) => name !== 'tinyproxy' || kind.kind !== 'requests');
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
 */
async function warm(
  { quick, ms }: Bench,
  load: Load,
  proxy: Proxy,
  { kind, connections }: Pick<Kind, 'kind' | 'connections'>,
): Promise<void> {
  const [seconds, most] = quick ? [0.7, 2] : [5, 6];
  const begun = proxy.process?.cpu() ?? 0;
  for (let i = 0; i < most; i++) {
    await load.run({ kind, proxy: proxy.port, callers: clientsOf(proxy), ms, connections });
    if (proxy.process === null || proxy.process.cpu() - begun >= seconds) return;
  }
}

/** Measures one kind of load. @throws Error when a proxy fails more than one in a hundred */
async function compare(
  bench: Bench,
  load: Load,
  proxies: readonly Proxy[],
  { title, kind, connections, unit: [by, unit], bars }: Kind,
): Promise<{ table: Table; ratios: Ratio[] }> {
  const rounds = new Map<string, Round[]>(proxies.map(({ name }) => [name, []]));
  for (const proxy of proxies) await warm(bench, load, proxy, { kind, connections });
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
      const key = figure === 'work' ? 'core' : 'p50';
      const [ours, theirs] = [of('ours', key), of(peer, key)];
      // Compare the two proxies within one round, where both ran under the same conditions.
      const value = median(ours.map((each, i) => each / (theirs[i] ?? Number.NaN)));
      return { what: `${title}: ours / ${peer}`, value, bar, atLeast: figure !== 'p50' };
    });
  const head = ['', `${unit}/s`, `${unit} a core-second`, 'spread', 'p50 ms', 'p99 ms'];
  return { table: { title, head, lines }, ratios };
}
