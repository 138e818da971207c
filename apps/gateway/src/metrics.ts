import type { StartDial } from '@propusk/dial/dial';
import { DialError, type DialErrorCode } from '@propusk/dial/dial-error';
import type { ConnectionRefusal } from '@propusk/overload/connection-limit';
import type { PipelineQueues } from '@propusk/overload/pipeline-queue';
import { Counter, Gauge, type Histogram, Registry } from 'prom-client';
import type { ActiveRequests } from './policy/active-requests.ts';
import type { SnapshotView } from './policy/snapshot.ts';
import type { ProxyErrorReason } from './proxy-error.ts';

/**
 * Metrics for Prometheus. Labels are closed lists. Users and sites are no labels: they would leak, and their number is
 * unbounded. What a tunnel counts are plain integers, which Prometheus' registry reads when it is asked.
 */
export interface Metrics {
  readonly registry: Registry;
  /** Counts a refused request, or a tunnel cut at its first bytes. */
  refused(reason: ProxyErrorReason): void;
  /** Counts an active request aborted because access was revoked. */
  cut(reason: ProxyErrorReason): void;
  /** Counts a connection reset before its first request. */
  connectionRefused(reason: ConnectionRefusal): void;
  /** Connections reset before their first request, since the start. */
  readonly refusedConnections: ReadonlyMap<ConnectionRefusal, number>;
  carried(form: Form): void;
  /** Measures an authorization. */
  deciding<T>(authorize: () => T): T;
  /** Wraps a dial to measure it. */
  timed(dial: StartDial): StartDial;
}

export type Form = 'tunnel' | 'request' | 'websocket';

/** Open client connections, with their bytes on the wire and in memory. */
interface ClientCounts {
  readonly size: number;
  bytes(): { up: number; down: number };
  unsent(): number;
}

export interface Measured {
  readonly activeRequests: ActiveRequests;
  readonly clients: ClientCounts;
  readonly queues: PipelineQueues;
  readonly snapshots: SnapshotView;
  readonly records: {
    readonly totals: Readonly<Record<'sent' | 'lost', number>>;
    readonly waiting: () => number;
    /** Undefined without ACCESS_LOG. */
    readonly accessLog: Readonly<Record<'written' | 'lost', number>> | undefined;
  };
  /** When the certificate expires, in milliseconds since 1970; undefined without TLS. */
  readonly certificateEnd: (() => number) | undefined;
}

/** Creates the metrics of one process. */
export function createMetrics(measured: Measured): Metrics {
  const { activeRequests, clients, queues, snapshots, records, certificateEnd } = measured;
  const registry = new Registry();
  const registers = [registry];
  /** @param aggregator how the values of several processes combine */
  const gauge = (name: string, help: string, read: () => number, aggregator: 'sum' | 'min' | 'max' = 'sum') =>
    new Gauge({ name: `propusk_gateway_${name}`, help, registers, aggregator, collect: metricReader(read) });
  /** @param read the counts by value of the label */
  const total = (
    name: string,
    help: string,
    label: string,
    read: () => Iterable<readonly [string, number]>,
  ) =>
    new Counter({
      name: `propusk_gateway_${name}_total`,
      help,
      labelNames: [label],
      registers,
      collect() {
        this.reset();
        for (const [value, count] of read()) this.inc({ [label]: value }, count);
      },
    });
  /** @returns the counts by value of the label, which the caller raises */
  const counter = <L extends string>(name: string, help: string, label: string): Map<L, number> => {
    // Grows with values of the label. Bound: the closed list of them. At the bound: does not grow
    const counts = new Map<L, number>();
    total(name, help, label, () => counts);
    return counts;
  };

  gauge('client_connections', 'Open connections of clients', () => clients.size);
  const refusedHelp =
    'Client connections reset because of SOCKETS, memory pressure or a bad PROXY protocol header';
  const refusedConnections = counter<ConnectionRefusal>('connections_refused', refusedHelp, 'reason');
  // An alert on a rate needs the series before the first refusal.
  for (const reason of ['sockets', 'address', 'memory', 'proxy_header'] as const)
    refusedConnections.set(reason, 0);
  gauge('waiting_bytes_in', 'Bytes received from clients and not parsed', () => queues.waiting().in);
  gauge('waiting_bytes_out', 'Bytes written to clients and not sent', () => clients.unsent());
  gauge('passages', 'Tunnels and requests in progress', () => activeRequests.size);
  gauge('processes', 'Processes that serve clients', () => 1);
  const known = () => snapshots.index.companies;
  gauge('snapshot_companies', 'Companies in the snapshot', () => known().size, 'min');
  const highest = () => {
    let most = 0;
    for (const { version } of known().values()) most = Math.max(most, version);
    return most;
  };
  gauge('snapshot_version', 'Highest policy version that is enforced', highest, 'min');
  gauge(
    'snapshot_age_seconds',
    'Seconds since the last feed event; +Inf before the first',
    () => snapshots.ageMs() / 1000,
    'max',
  );
  gauge(
    'snapshot_stale',
    '1 while the snapshot is stale and every request is denied',
    () => (snapshots.stale() ? 1 : 0),
    'max',
  );
  gauge(
    'database_clock_ahead_seconds',
    'Seconds by which the clock of the database is ahead of this machine; NaN before the first feed event',
    () => (snapshots.now() - Date.now()) / 1000,
    'max',
  );
  if (certificateEnd !== undefined)
    gauge(
      'certificate_expiry_timestamp_seconds',
      'Unix time at which the certificate expires',
      () => certificateEnd() / 1000,
      'min',
    );
  const bytesHelp = 'Bytes on client connections: up from clients, down to clients';
  total('bytes', bytesHelp, 'direction', () => Object.entries(clients.bytes()));
  const recordsHelp = 'Records of access that the api stored (sent), or that had no room (lost)';
  total('records', recordsHelp, 'result', () => Object.entries(records.totals));
  const { accessLog } = records;
  const logHelp = 'Records of access in ACCESS_LOG (written), or that had no room (lost)';
  if (accessLog !== undefined)
    total('access_log_records', logHelp, 'result', () => Object.entries(accessLog));
  gauge('records_waiting', 'Records of access that the api has not stored', records.waiting);
  const refusals = counter<ProxyErrorReason>('refusals', 'Requests refused', 'reason');
  const cutsHelp = 'Tunnels and requests aborted because access was revoked, or for a new request (too_many)';
  const cuts = counter<ProxyErrorReason>('cuts', cutsHelp, 'reason');
  const admitted = counter<Form>('passages', 'Tunnels and requests admitted', 'form');
  const decide = new Durations<'decided'>(
    registry,
    'decide_seconds',
    'Duration of an authorization',
    [0.000_005, 0.000_01, 0.000_05, 0.000_1, 0.000_5, 0.001, 0.01],
    () => ({}),
  );
  const dialled = new Durations<DialErrorCode | 'connected'>(
    registry,
    'dial_seconds',
    'Duration of a dial, name resolution included, until it connects or fails',
    [0.001, 0.005, 0.025, 0.1, 0.25, 1, 2.5, 5, 10],
    (outcome) => ({ outcome }),
  );

  return {
    registry,
    refused: (reason) => raise(refusals, reason),
    connectionRefused: (reason) => raise(refusedConnections, reason),
    refusedConnections,
    cut: (reason) => raise(cuts, reason),
    carried: (form) => raise(admitted, form),
    deciding(authorize) {
      const started = performance.now();
      try {
        return authorize();
      } finally {
        decide.add('decided', performance.now() - started);
      }
    },
    timed: (dial) => (host, port, tenant, towards, family, onread, done) => {
      const started = performance.now();
      return dial(host, port, tenant, towards, family, onread, (outcome) => {
        const label = outcome instanceof DialError ? outcome.code : 'connected';
        dialled.add(label, performance.now() - started);
        done(outcome);
      });
    },
  };
}

function raise<L>(counts: Map<L, number>, label: L): void {
  counts.set(label, (counts.get(label) ?? 0) + 1);
}

/** A histogram of durations by outcome, whose buckets are arrays until they are read. */
class Durations<Outcome extends string> implements Pick<Histogram, 'get'> {
  readonly name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #labels: (outcome: Outcome) => Record<string, string>;
  /** By outcome: the durations in each bucket and beyond the last, then their sum in seconds. */
  // Grows with outcomes. Bound: the closed list of them. At the bound: does not grow
  readonly #seen = new Map<Outcome, Float64Array>();

  /** @param bounds of the buckets, in seconds, ascending */
  constructor(
    registry: Registry,
    name: string,
    help: string,
    bounds: readonly number[],
    labels: (outcome: Outcome) => Record<string, string>,
  ) {
    this.name = `propusk_gateway_${name}`;
    this.#help = help;
    this.#bounds = bounds;
    this.#labels = labels;
    registry.registerMetric(this as unknown as Histogram);
  }

  add(outcome: Outcome, ms: number): void {
    let seen = this.#seen.get(outcome);
    if (seen === undefined) this.#seen.set(outcome, (seen = new Float64Array(this.#bounds.length + 2)));
    const seconds = ms / 1_000;
    let at = 0;
    while (seconds > (this.#bounds[at] ?? Number.POSITIVE_INFINITY)) at++;
    seen[at] = (seen[at] ?? 0) + 1;
    seen[seen.length - 1] = (seen.at(-1) ?? 0) + seconds;
  }

  async get() {
    const { name } = this;
    const values = [...this.#seen].flatMap(([outcome, seen]) => {
      const labels = this.#labels(outcome);
      let count = 0;
      const buckets = [...this.#bounds, '+Inf'].map((le, at) => {
        count += seen[at] ?? 0;
        return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
      });
      const sum = { metricName: `${name}_sum`, labels, value: seen.at(-1) ?? 0 };
      return [...buckets, sum, { metricName: `${name}_count`, labels, value: count }];
    });
    // A worker sends it to the primary: the type wants a function, which no message can hold.
    return { name, help: this.#help, type: 'histogram', aggregator: 'sum', values } as unknown as ReturnType<
      Histogram['get']
    >;
  }
}

function metricReader(read: () => number) {
  return function collect(this: Gauge): void {
    this.set(read());
  };
}
