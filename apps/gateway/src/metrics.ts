import type { Dial } from '@propusk/dial/dial';
import { DialError } from '@propusk/dial/dial-error';
import type { PipelineQueues } from '@propusk/overload/pipeline-queue';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ActiveRequests } from './active-requests.ts';
import type { ProxyErrorReason } from './proxy-error.ts';
import type { SnapshotView } from './snapshot.ts';

/**
 * Metrics for Prometheus. Labels are closed lists. Users and sites are no labels: they would leak, and their number is
 * unbounded.
 */
export interface Metrics {
  readonly registry: Registry;
  /** Counts a refused request, or a tunnel cut at its first bytes. */
  refused(reason: ProxyErrorReason): void;
  /** Counts an active request aborted because access was revoked. */
  cut(reason: ProxyErrorReason): void;
  /** Counts a connection reset at accept: too many connections, or memory pressure. */
  connectionRefused(): void;
  carried(form: 'tunnel' | 'request' | 'websocket'): void;
  /** Measures an authorization. */
  deciding<T>(authorize: () => T): T;
  /** Wraps a dial to measure it. */
  timed(dial: Dial): Dial;
}

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
  /** When the certificate expires, in milliseconds since 1970; undefined without TLS. */
  readonly certificateEnd: (() => number) | undefined;
}

/** Creates the metrics of one process. */
export function createMetrics(measured: Measured): Metrics {
  const { activeRequests, clients, queues, snapshots, certificateEnd } = measured;
  const registry = new Registry();
  const registers = [registry];
  /** @param aggregator how the values of several processes combine */
  const gauge = (name: string, help: string, read: () => number, aggregator: 'sum' | 'min' | 'max' = 'sum') =>
    new Gauge({ name: `propusk_gateway_${name}`, help, registers, aggregator, collect: metricReader(read) });
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name: `propusk_gateway_${name}_total`, help, labelNames, registers });

  gauge('client_connections', 'Open connections of clients', () => clients.size);
  const refusedConnections = counter(
    'connections_refused',
    'Client connections reset at accept because of SOCKETS or memory pressure',
  );
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
  if (certificateEnd !== undefined)
    gauge(
      'certificate_expiry_timestamp_seconds',
      'Unix time at which the certificate expires',
      () => certificateEnd() / 1000,
      'min',
    );
  const bytes = new Counter({
    name: 'propusk_gateway_bytes_total',
    help: 'Bytes on client connections: up from clients, down to clients',
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
  const cuts = counter('cuts', 'Tunnels and requests aborted because access was revoked', 'reason');
  const admitted = counter('passages', 'Tunnels and requests admitted', 'form');
  const decide = new Histogram({
    name: 'propusk_gateway_decide_seconds',
    help: 'Duration of an authorization',
    buckets: [0.000_005, 0.000_01, 0.000_05, 0.000_1, 0.000_5, 0.001, 0.01],
    registers,
  });
  const dialled = new Histogram({
    name: 'propusk_gateway_dial_seconds',
    help: 'Duration of a dial, name resolution included, until it connects or fails',
    labelNames: ['outcome'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 1, 2.5, 5, 10],
    registers,
  });

  return {
    registry,
    refused: (reason) => refusals.inc({ reason }),
    connectionRefused: () => refusedConnections.inc(),
    cut: (reason) => cuts.inc({ reason }),
    carried: (form) => admitted.inc({ form }),
    deciding(authorize) {
      const started = performance.now();
      try {
        return authorize();
      } finally {
        decide.observe((performance.now() - started) / 1000);
      }
    },
    timed: (dial) => async (host, port, tenant, signal, towards, onread) => {
      const started = performance.now();
      let outcome = 'connected';
      try {
        return await dial(host, port, tenant, signal, towards, onread);
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
