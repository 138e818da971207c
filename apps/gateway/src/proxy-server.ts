import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, Server as SocketServer } from 'node:net';
import { join } from 'node:path';
import type { GatewayKeys } from '@propusk/access/gateway-secret';
import { expiryOf, followCertificate, readCertificate } from '@propusk/certificate/certificate-files';
import { recordOf } from '@propusk/contract/gateway-records';
import { createDialer, dialByPromise } from '@propusk/dial/dial';
import { limitConnections } from '@propusk/overload/connection-limit';
import { memoryPressure } from '@propusk/overload/memory-pressure';
import { addressesOf } from '@propusk/overload/networks';
import { queuePipelines, TrackedResponse } from '@propusk/overload/pipeline-queue';
import { UnfinishedHeads } from '@propusk/overload/unfinished-heads';
import type { Registry } from 'prom-client';
import { HEAD_MS } from './client/client-connection.ts';
import { ClientConnections } from './client/client-connections.ts';
import { logConnectionRefusals } from './client/connection-refusals.ts';
import type { ProxyContext } from './client/context.ts';
import { RefusalLog } from './client/refusal-log.ts';
import type { Config } from './config.ts';
import { SWEEP_MS, sweep } from './deadline.ts';
import { IDLE_MS } from './http/origin-request.ts';
import { loadUndici } from './http/origin-undici.ts';
import { isWebSocket } from './http/upgrade.ts';
import type { Log } from './log.ts';
import { createMetrics } from './metrics.ts';
import { type ActiveRequests, createActiveRequests } from './policy/active-requests.ts';
import { createAuthenticate } from './policy/authenticate.ts';
import { createAuthorizer } from './policy/authorize.ts';
import type { ConcurrencyLimits } from './policy/concurrency-limits.ts';
import type { SnapshotView } from './policy/snapshot.ts';
import type { DescriptorShares } from './processes/descriptors.ts';
import type { BoundSocket, Slots } from './processes/generation.ts';
import { ProxyError } from './proxy-error.ts';
import { AccessRecords, type RecordSink } from './records/access-records.ts';
import { RecordLog } from './records/record-log.ts';
import { RecordSender } from './records/record-sender.ts';
import { RecordSpool } from './records/record-spool.ts';

/**
 * The proxy server of one process:
 *
 *   request ─> authenticate ─> authorize ─> CONNECT: tunnel ─┬─> dial ─> site
 *      │            │              │        http://: forward ┤      └──> the company's proxy ─> site
 *      │            │              │        Upgrade: upgrade ┘
 *      └────────────┴──────────────┴─> refusal: a status line, a reason, a page
 */

export interface ProxyServer {
  /** The tunnels and requests of this process. */
  readonly activeRequests: Pick<ActiveRequests, 'size' | 'recheck'>;
  readonly records: Pick<AccessRecords, 'end'>;
  /** Collects the metrics. */
  readonly registry: () => Registry | Promise<Registry>;
  /** Whether a process accepts connections. */
  readonly serving: () => boolean;
  /** Whether it stops: it refuses requests. */
  readonly stopping: () => boolean;
  /**
   * Starts to accept connections.
   * @param bind returns the listening socket. Without it, or if it returns undefined, the server binds its own
   * @returns the port
   */
  listen(bind?: () => Promise<BoundSocket | undefined>): Promise<number>;
  /** Sends the records that another process has left. @param slot of a process that has ended */
  adopt(slot: number): void;
  /** Stops accepting; each response outside a tunnel closes its connection. Resolves when the last connection has closed. */
  drain(): Promise<void>;
  /** Stops accepting, and aborts the requests that are active after the deadline. */
  close(deadlineMs?: number): Promise<void>;
}

export interface ProxyServerOptions {
  readonly config: Config;
  readonly keys: GatewayKeys;
  readonly snapshots: SnapshotView;
  readonly limits: ConcurrencyLimits;
  readonly shares: DescriptorShares;
  /** The index of this process among `config.processes`. */
  readonly worker: number;
  readonly slots: Slots;
  readonly log: Log;
}

export const DRAIN_MS = 5_000;
/**
 * The length of the kernel's accept queue, where connections wait while no process accepts them. net.core.somaxconn caps it. Node's
 * default is 511.
 */
const BACKLOG = 4_096;

const settings = {
  maxHeaderSize: 65_536,
  headersTimeout: HEAD_MS,
  // How often Node checks headersTimeout; 30 s by default.
  connectionsCheckingInterval: 1_000,
  // An upload may take any time; an idle one ends (origin-http.ts).
  requestTimeout: 0,
  keepAliveTimeout: 60_000,
  noDelay: true,
  insecureHTTPParser: false,
  shouldUpgradeCallback: isWebSocket,
  ServerResponse: TrackedResponse,
};

/**
 * Creates the server. It listens after `listen()`.
 * @throws SettingError for a certificate that cannot be used
 */
export async function createProxyServer(options: ProxyServerOptions): Promise<ProxyServer> {
  const { config, keys, snapshots, shares, log } = options;
  const tls = config.tls && { files: config.tls, certificate: await readCertificate(config.tls) };
  if (shares.clients < config.sockets)
    log.warn({ sockets: config.sockets, clients: shares.clients }, 'SOCKETS exceeds its share of open files');
  const activeRequests = createActiveRequests(
    createAuthorizer(snapshots.index, snapshots.stale, snapshots.now),
    options.limits,
    (reason) => metrics.cut(reason),
  );
  const secure =
    tls === undefined
      ? undefined
      : createTlsServer({ ...settings, ...tls.certificate, handshakeTimeout: HEAD_MS });
  const server = secure ?? createServer(settings);
  const ready = secure === undefined ? 'connection' : 'secureConnection';
  const queues = queuePipelines(server, IDLE_MS, ready);
  const clients = new ClientConnections(server, secure !== undefined);
  const spool = new RecordSpool({
    folder: join(config.dataDir, 'gateway-records'),
    worker: options.worker,
    workers: config.processes,
    slots: options.slots,
    key: keys.records,
    most: config.recordSpool / config.processes,
  });
  const companies = () => snapshots.index.companies.size;
  const run = randomUUID();
  const addresses = (companyId: number) => snapshots.index.companies.get(companyId)?.addresses ?? 'full';
  const sender = new RecordSender({
    ...{ apiUrl: config.apiUrl, key: keys.feed, run, companies, addresses, spool, log },
  });
  const accessLog = config.accessLog === undefined ? undefined : new RecordLog(config.accessLog, log);
  const sink: RecordSink = {
    add(row) {
      sender.add(row);
      accessLog?.add(recordOf(run, row));
    },
    flush(safe) {
      sender.flush(safe);
      accessLog?.flush();
    },
  };
  const records = new AccessRecords(snapshots.index, run, sink, config.processes);
  const metrics = createMetrics({
    records: {
      totals: sender.totals,
      waiting: () => sender.waiting,
      accessLog: accessLog?.totals,
    },
    activeRequests,
    clients,
    queues,
    snapshots,
    certificateEnd: tls && (() => expiryOf(tls.certificate)),
  });
  let [draining, stopping] = [false, false];
  let listening: AddressInfo | null = null;
  /** The functions with which close() stops what listen() started. */
  // Bounded: filled once at startup
  const running: (() => void)[] = [];

  const own = { ownPorts: new Set(config.ownPorts), ownListener: () => listening };
  const startDial = metrics.timed(createDialer({ ...config, ...own }));
  const refusals = new RefusalLog(log);
  const context: ProxyContext = {
    authenticate: createAuthenticate(keys),
    activeRequests,
    dial: dialByPromise(startDial),
    startDial,
    kept: { open: 0, most: shares.kept },
    via: `propusk-${randomBytes(6).toString('hex')}`,
    consoleUrl: config.consoleUrl,
    tunnelIdleMs: config.tunnelIdleMs,
    log,
    refusals,
    metrics,
    records,
    draining: () => draining,
    stopping: () => stopping,
    http: queues,
    heads: new UnfinishedHeads(),
  };
  server.on(ready, (socket) => clients.accept(socket, context));
  const onRequest: RequestListener = (req, res) => clients.of(req.socket)?.onRequest(req, res);
  server.on('request', onRequest);
  // Node's default sends 100 Continue before the request is authorized.
  server.on('checkContinue', onRequest);
  server.on('upgrade', (req, socket, head) => clients.of(socket)?.onUpgrade(req, head));
  server.on('connect', (req, socket, head) => clients.of(socket)?.onConnect(req, head));
  server.on('clientError', (error, socket) => {
    const client = clients.of(socket);
    if (client === undefined) socket.destroy();
    else client.onClientError(error as NodeJS.ErrnoException);
  });
  limitConnections(server, {
    most: shares.clients,
    isShort: memoryPressure(config.memory),
    sendsHeader: config.proxyProtocol.length === 0 ? undefined : addressesOf(config.proxyProtocol),
    onRefused: metrics.connectionRefused,
  });

  return {
    activeRequests,
    records,
    registry: () => metrics.registry,
    serving: () => true,
    stopping: () => stopping,
    adopt: (slot) => sender.adopt(slot),
    async listen(bind) {
      const socket = await bind?.();
      if (options.slots.others.length > 0) await loadUndici();
      if (socket === undefined) server.listen(config.port, config.host, BACKLOG);
      else server.listen(socket, BACKLOG);
      await once(server, 'listening');
      listening = server.address() as AddressInfo;
      sender.start();
      records.start();
      if (secure !== undefined && tls !== undefined)
        running.push(followCertificate(secure, tls.files, tls, log));
      // Tokens expire and snapshots become stale without any event.
      const watch = setInterval(() => {
        sweep(clients.all());
        activeRequests.recheck();
      }, SWEEP_MS);
      running.push(() => clearInterval(watch), refusals.start());
      running.push(logConnectionRefusals(metrics.refusedConnections, log));
      return listening.port;
    },
    async drain() {
      draining = true;
      const closed = once(server, 'close');
      // Server.close() of node:http would end idle connections too, just when their clients may send a request.
      SocketServer.prototype.close.call(server);
      await closed;
    },
    async close(deadlineMs = DRAIN_MS) {
      draining = true;
      stopping = true;
      const closed = once(server, 'close');
      server.close();
      const idle = setInterval(() => {
        server.closeIdleConnections();
        clients.endSilent();
      }, 50);
      const deadline = setTimeout(() => {
        activeRequests.abortAll(new ProxyError('stopping'));
        server.closeAllConnections();
      }, deadlineMs);
      await closed;
      clearInterval(idle);
      clearTimeout(deadline);
      for (const end of running.splice(0).toReversed()) end();
      records.stop();
      await Promise.all([sender.stop(), accessLog?.stop()]);
    },
  };
}
