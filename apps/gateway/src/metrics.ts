import type { Dial } from '@propusk/dial/dial';
import { DialError } from '@propusk/dial/dial-error';
import type { PipelineQueues } from '@propusk/overload/pipeline-queue';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ActiveRequests } from './active-requests.ts';
import type { ClientConnections } from './client-connections.ts';
import type { ProxyErrorReason } from './proxy-error.ts';
import type { SnapshotView } from './snapshot.ts';

/**
 * What the gateway counts, for Prometheus. Labels are closed lists: neither people nor sites are named, for they would
 * leak here and have no end.
 */
export interface Metrics {
  readonly registry: Registry;
  /** A request was refused, or a tunnel cut at its first bytes. */
  refused(reason: ProxyErrorReason): void;
  /** Something that was being carried lost its right. */
  cut(reason: ProxyErrorReason): void;
  /** A connection was refused before its first byte: there were too many, or memory was short. */
  connectionRefused(): void;
  carried(form: 'tunnel' | 'request' | 'websocket'): void;
  /** Runs a judgement and remembers how long it took. */
  deciding<T>(authorize: () => T): T;
  /** The same dial, timed. */
  timed(dial: Dial): Dial;
}

export interface Measured {
  readonly activeRequests: ActiveRequests;
  readonly clients: ClientConnections;
  readonly queues: PipelineQueues;
  readonly snapshots: SnapshotView;
}

/** Counters of one gateway. */
export function createMetrics({ activeRequests, clients, queues, snapshots }: Measured): Metrics {
  const registry = new Registry();
  const registers = [registry];
  /** @param aggregator what several processes say together */
  const gauge = (name: string, help: string, read: () => number, aggregator: 'sum' | 'min' | 'max' = 'sum') =>
    new Gauge({ name: `propusk_gateway_${name}`, help, registers, aggregator, collect: metricReader(read) });
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name: `propusk_gateway_${name}_total`, help, labelNames, registers });

  gauge('client_connections', 'Open connections of clients', () => clients.size);
  const refusedConnections = counter(
    'connections_refused',
    'Client connections refused because there were too many or memory was short',
  );
  gauge('waiting_bytes_in', 'Bytes received from clients and not parsed yet', () => queues.waiting().in);
  gauge('waiting_bytes_out', 'Bytes written to clients and not taken by them yet', () => clients.unsent());
  gauge('passages', 'Tunnels and requests that are being carried', () => activeRequests.size);
  gauge('processes', 'Processes that carry connections', () => 1);
  const known = () => snapshots.index.companies;
  gauge('snapshot_companies', 'Companies whose snapshot is known', () => known().size, 'min');
  const highest = () => {
    let most = 0;
    for (const { version } of known().values()) most = Math.max(most, version);
    return most;
  };
  gauge('snapshot_version', 'The highest version of a snapshot that is enforced', highest, 'min');
  gauge(
    'snapshot_age_seconds',
    'Seconds since the feed last spoke; +Inf before it ever did',
    () => snapshots.ageMs() / 1000,
    'max',
  );
  gauge(
    'snapshot_stale',
    '1 when the snapshot is too old to be believed and all is denied',
    () => (snapshots.stale() ? 1 : 0),
    'max',
  );
  const bytes = new Counter({
    name: 'propusk_gateway_bytes_total',
    help: 'Bytes on connections of clients: up from them, down to them',
    labelNames: ['direction'],
    registers,
    collect() {
      const { up, down } = clients.bytes();
      this.reset();
      this.inc({ direction: 'up' }, up);
      this.inc({ direction: 'down' }, down);
    },
  });
  void bytes;
  const refusals = counter('refusals', 'Requests refused', 'reason');
  const cuts = counter('cuts', 'Live tunnels and requests ended because their right ended', 'reason');
  const passages = counter('passages', 'Tunnels and requests let in', 'form');
  const decide = new Histogram({
    name: 'propusk_gateway_decide_seconds',
    help: 'Time that a judgement took',
    buckets: [0.000_005, 0.000_01, 0.000_05, 0.000_1, 0.000_5, 0.001, 0.01],
    registers,
  });
  const dialled = new Histogram({
    name: 'propusk_gateway_dial_seconds',
    help: 'Time from a name to an open connection, or to the failure',
    labelNames: ['outcome'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 1, 2.5, 5, 10],
    registers,
  });

  return {
    registry,
    refused: (reason) => refusals.inc({ reason }),
    connectionRefused: () => refusedConnections.inc(),
    cut: (reason) => cuts.inc({ reason }),
    carried: (form) => passages.inc({ form }),
    deciding(authorize) {
      const started = performance.now();
      try {
        return authorize();
      } finally {
        decide.observe((performance.now() - started) / 1000);
      }
    },
    timed: (dial) => async (host, port, signal, towards, onread) => {
      const started = performance.now();
      let outcome = 'connected';
      try {
        return await dial(host, port, signal, towards, onread);
      } catch (error) {
        outcome = error instanceof DialError ? error.code : 'left';
        throw error;
      } finally {
        dialled.observe({ outcome }, (performance.now() - started) / 1000);
      }
    },
  };
}

function metricReader(read: () => number) {
  return function collect(this: Gauge): void {
    this.set(read());
  };
}
