import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PipelineQueues } from '@propusk/overload/pipeline-queue';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** Counters of one api process for Prometheus. No label names a person, a company or a site. */
export interface Metrics {
  readonly registry: Registry;
  /** Adds the connections of a listener to the gauges. An api on a name with several addresses has several. */
  watch(connections: PipelineQueues): void;
  /** A connection was refused: there were too many. */
  connectionRefused(): void;
  /** A request was answered 503 because memory was short. */
  shed(): void;
}

/** Makes the counters, with those of the process: resident memory, heap, descriptors, delay of the event loop. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  // grows: by addresses that HOST names; bound: one a listener; at the bound: does not grow; test: none
  const listeners: PipelineQueues[] = [];
  const waiting = new Gauge({
    name: 'propusk_api_waiting_bytes',
    help: 'Bytes on client connections: in, received and not parsed yet; out, written and not taken by clients yet',
    labelNames: ['direction'],
    registers,
    collect() {
      for (const direction of ['in', 'out'] as const) {
        let bytes = 0;
        for (const connections of listeners) bytes += connections.waiting()[direction];
        this.set({ direction }, bytes);
      }
    },
  });
  void waiting;
  const refused = new Counter({
    name: 'propusk_api_connections_refused_total',
    help: 'Client connections refused because SOCKETS were open, or half of them from one address',
    registers,
  });
  const shed = new Counter({
    name: 'propusk_api_requests_shed_total',
    help: 'Requests answered 503 because MEMORY was nearly used up',
    registers,
  });
  return {
    registry,
    watch: (connections) => void listeners.push(connections),
    connectionRefused: () => refused.inc(),
    shed: () => shed.inc(),
  };
}

/**
 * Serves `/metrics` on loopback, for this machine alone and without credentials.
 * @param port 0 lets the system choose @returns the port
 */
export async function serveMetrics({ registry }: Metrics, port: number): Promise<number> {
  collectDefaultMetrics({ register: registry });
  const server = createServer(async (req, res) => {
    if (req.method !== 'GET' || req.url !== '/metrics') return void res.writeHead(404).end();
    res.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  // The process ends with its api.
  server.unref();
  return (server.address() as AddressInfo).port;
}
