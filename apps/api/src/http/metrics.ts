import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PipelineQueues } from '@propusk/overload/pipeline-queue';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

interface CertificateState {
  readonly expiresAt: number | undefined;
  readonly failures: number;
}

/** Prometheus metrics of one api process. No label names a user, a company or a site. */
export interface Metrics {
  readonly registry: Registry;
  /** Adds the connections of a listener to the gauges. An api has a listener for each address of HOST. */
  watch(connections: PipelineQueues): void;
  /** Adds gauges of certificates. @param states by DNS name, read at each scrape; `expiresAt` in milliseconds since 1970 */
  watchCertificates(states: () => Iterable<readonly [string, CertificateState]>): void;
  /** Counts a connection refused because too many were open. */
  connectionRefused(): void;
  /** Counts a request answered 503 because memory was short. */
  shed(): void;
}

/** Creates the metrics of the api. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  // Grows with listeners at startup. Bound: one for each address in HOST. At the bound: no further listener is added
  const listeners: PipelineQueues[] = [];
  const waiting = new Gauge({
    name: 'propusk_api_waiting_bytes',
    help: 'Bytes buffered on client connections: in, received and not parsed; out, written and not sent',
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
    help: 'Client connections refused because SOCKETS connections were open, or half as many from one address',
    registers,
  });
  const shed = new Counter({
    name: 'propusk_api_requests_shed_total',
    help: 'Requests answered 503 because the process used nearly all of MEMORY',
    registers,
  });
  return {
    registry,
    watch: (connections) => void listeners.push(connections),
    watchCertificates(states) {
      const labelNames = ['name'];
      const expiry = new Gauge({
        name: 'propusk_api_certificate_expiry_timestamp_seconds',
        help: 'Unix time at which the certificate of a name expires; 0 without one',
        labelNames,
        registers,
        collect() {
          for (const [name, { expiresAt = 0 }] of states()) this.set({ name }, expiresAt / 1000);
        },
      });
      const failures = new Gauge({
        name: 'propusk_api_certificate_failures',
        help: 'Failed attempts to get the certificate of a name since the last success',
        labelNames,
        registers,
        collect() {
          for (const [name, state] of states()) this.set({ name }, state.failures);
        },
      });
      void [expiry, failures];
    },
    connectionRefused: () => refused.inc(),
    shed: () => shed.inc(),
  };
}

/**
 * Serves `/metrics` on loopback without credentials, with the metrics of the process (memory, descriptors, event loop).
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
  // This listener must not keep the process alive.
  server.unref();
  return (server.address() as AddressInfo).port;
}
