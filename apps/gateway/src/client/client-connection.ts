import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Target } from '@propusk/access/host';
import type { Dial, StartDial } from '@propusk/dial/dial';
import type { PipelineQueue, PipelineQueues } from '@propusk/overload/pipeline-queue';
import type { UnfinishedHeads } from '@propusk/overload/unfinished-heads';
import type { Deadline } from '../deadline.ts';
import { Forwarder } from '../http/forward.ts';
import { hasBody } from '../http/headers.ts';
import type { KeptConnections } from '../http/origin-undici.ts';
import { upgrade } from '../http/upgrade.ts';
import type { Log } from '../log.ts';
import type { Form, Metrics } from '../metrics.ts';
import {
  type ActiveRequest,
  type ActiveRequests,
  clientLeft,
  nestedRequest,
} from '../policy/active-requests.ts';
import { type Caller, nameOf } from '../policy/authenticate.ts';
import { isAbsoluteForm, type PlainTarget, readAbsoluteForm, readAuthorityForm } from '../policy/target.ts';
import { ProxyError, type ProxyErrorDetail } from '../proxy-error.ts';
import type { AccessRecords } from '../records/access-records.ts';
import { ConnectionVisits } from '../records/connection-visits.ts';
import type { Meter } from '../records/visit.ts';
import { readBy, release, type SocketReader, stopReading } from '../tunnel/socket-reader.ts';
import { nothing, Splice, type TransferredBytes } from '../tunnel/splice.ts';
import { Tunnel, type TunnelOwner } from '../tunnel/tunnel.ts';
import { readConnectHead } from './connect-head.ts';
import { answerBytes, answerRefusal } from './refusal.ts';
import type { RefusalLog } from './refusal-log.ts';

/** The dependencies that all client connections of a gateway share. */
export interface ProxyContext {
  readonly authenticate: (header: string | undefined) => Caller;
  readonly activeRequests: ActiveRequests;
  readonly dial: Dial;
  readonly startDial: StartDial;
  readonly kept: KeptConnections;
  /** This gateway's name in Via. */
  readonly via: string;
  readonly consoleUrl: string;
  readonly tunnelIdleMs: number;
  readonly log: Log;
  readonly refusals: RefusalLog;
  readonly metrics: Metrics;
  readonly records: AccessRecords;
  /** Whether each response outside a tunnel closes its connection. */
  readonly draining: () => boolean;
  /** Whether requests are refused. */
  readonly stopping: () => boolean;
  /** Passes a socket's bytes to Node's HTTP parser, one request at a time. */
  readonly http: PipelineQueues;
  readonly heads: UnfinishedHeads;
}

/** A client must send a request head within this time. */
export const HEAD_MS = 10_000;

/** Node's error codes for an invalid request head, and the error detail for each. */
const headFaults: Readonly<Record<string, ProxyErrorDetail>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_INVALID_URL: 'bad_url',
};

/**
 * One client connection: it owns the socket, the queue of pipelined requests, the requests in progress, the tunnel and the
 * connections to origins, and ends all of them with the socket.
 *
 *   first bytes ─┬─ simple CONNECT ────────────────────────────────────┐
 *                └─ anything else ─> Node's parser ─┬─ CONNECT ────────┴─> onConnect ─> tunnel.ts
 *                                                   ├─ Upgrade ──────────> onUpgrade ─> upgrade.ts, splice.ts
 *                                                   └─ absolute form ────> onRequest ─> forward.ts
 */
export class ClientConnection implements SocketReader, TunnelOwner, Deadline {
  readonly #socket: Socket;
  readonly #context: ProxyContext;
  readonly #address: string;
  readonly #visits: ConnectionVisits;
  #forwarder: Forwarder | null = null;
  /** What ends by a deadline: the head, then the tunnel. */
  #timed: Deadline | null = null;
  #deadline = performance.now() + HEAD_MS;
  /** The request in progress. */
  #request: ActiveRequest | null = null;
  /** The tunnel in progress. Once Node's parser reads it, every request in it goes to its target. */
  #tunnel: ActiveRequest | null = null;
  /** Null until Node's parser reads the socket. */
  #queue: PipelineQueue | null = null;
  /** The caller and the target of the last request, for the log. */
  #caller: Caller | undefined;
  #target = '';
  #silent = true;

  /** @param address the client's IP address */
  constructor(socket: Socket, address: string, context: ProxyContext) {
    this.#socket = socket;
    this.#context = context;
    this.#address = address;
    this.#visits = new ConnectionVisits(context.records, socket, address);
  }

  /** Whether the client has not sent a request yet. */
  get silent(): boolean {
    return this.#silent;
  }

  get deadline(): number {
    return this.#timed?.deadline ?? this.#deadline;
  }

  late(): void {
    this.#deadline = Number.POSITIVE_INFINITY;
    // Browsers open connections in advance: without a byte there is no request to answer or count.
    if (this.#timed === null) this.#socket.destroy();
    else this.#timed.late();
  }

  /** Waits for the first bytes. */
  open(): void {
    readBy(this.#socket, this);
  }

  /** A simple CONNECT skips Node's parser, which would take a tenth of a tunnel's time. */
  received(bytes: Buffer): void {
    // The head's timeout has answered already.
    if (this.#deadline === Number.POSITIVE_INFINITY) return;
    const head = readConnectHead(bytes);
    if (head === null) this.#parse(bytes);
    else this.#connect(head.authority, head.credentials, bytes.subarray(head.length));
  }

  ended(): void {
    if (this.#silent) this.#socket.destroy();
  }

  closed(): void {
    this.#request?.abort(clientLeft);
    this.#tunnel?.abort(clientLeft);
    this.#forwarder?.close();
    this.#visits.close();
  }

  /** Handles a request in absolute form, or one inside a tunnel. */
  onRequest(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { draining, stopping } = this.#context;
    // Another process takes requests over; a tunnel goes on here.
    if (stopping() || (draining() && this.#tunnel === null)) res.shouldKeepAlive = false;
    return this.#run(
      req.url ?? '',
      () => this.#admit(req, 'request'),
      (active, target) => {
        if (this.#tunnel === null) this.#visits.request(active);
        const { dial, via, kept } = this.#context;
        this.#forwarder ??= new Forwarder(dial, via, kept);
        return this.#forwarder.forward(active, target, req, res);
      },
      (error) => this.#refuseRequest(req, res, error),
    );
  }

  /** Handles `Upgrade: websocket`. @param head bytes behind the request */
  onUpgrade(req: IncomingMessage, head: Buffer): Promise<void> {
    const { dial, via } = this.#context;
    const rest = this.#detach(head);
    return this.#run(
      req.url ?? '',
      () => {
        this.#refuseWhenStopping();
        return this.#admit(req, 'websocket');
      },
      async (active, target) => {
        const remote = await upgrade(dial, via, active, target, req, this.#socket);
        if (remote !== null) await this.#splice(active, remote, rest);
        else if (this.#tunnel === null) this.#visits.request(active);
      },
      (error) => this.#refuse(error, req.url),
    );
  }

  /** Handles a CONNECT that Node's parser read. @param head bytes behind the request */
  onConnect(req: IncomingMessage, head: Buffer): void {
    this.#connect(req.url ?? '', req.headers['proxy-authorization'], this.#detach(head));
  }

  /** Answers a request that Node's parser rejects, or that does not arrive in time. */
  onClientError({ code = '' }: { readonly code?: string }): void {
    const response = this.#queue?.response;
    // After a failed TLS handshake the client cannot read an answer.
    const unreadable = /^(ERR_SSL|ERR_TLS|EPROTO)/.test(code);
    if (unreadable || !this.#socket.writable || (response?.headersSent && !response.writableFinished)) {
      return void this.#socket.destroy();
    }
    this.#refuse(this.#report(new ProxyError('bad_request', headFaults[code]), ''), '');
  }

  /** Passes the socket to Node's HTTP parser. @param first bytes that it has sent */
  #parse(first: Buffer, answersHalfClosed = false): void {
    this.#deadline = Number.POSITIVE_INFINITY;
    this.#timed = null;
    release(this.#socket);
    if (this.#queue === null) this.#socket.once('close', () => this.closed());
    this.#queue = this.#context.http.serve(this.#socket, {
      first,
      answersHalfClosed,
      countHead: (bytes) => this.#context.heads.add(this.#address, bytes),
    });
  }

  #connect(authority: string, credentials: string | undefined, first: Buffer): void {
    const { authenticate, startDial } = this.#context;
    this.#begin(authority);
    this.#deadline = Number.POSITIVE_INFINITY;
    const open = (active: ActiveRequest) => {
      this.#tunnel = active;
      this.#context.metrics.carried('tunnel');
      if (this.#socket.destroyed) return this.refused(clientLeft);
      const tunnel = new Tunnel(this, active, this.#socket, first, this.#context.tunnelIdleMs);
      this.#timed = tunnel;
      tunnel.open(startDial);
    };
    try {
      if (this.#tunnel !== null) throw new ProxyError('bad_request');
      this.#caller = authenticate(credentials);
      this.#refuseWhenStopping();
      const active = this.#start(this.#caller, readAuthorityForm(authority));
      if (!(active instanceof Promise)) return open(active);
      // The primary answers in a moment.
      stopReading(this.#socket);
      active.then(open, (error) => this.refused(error));
    } catch (error) {
      this.#refuse(this.#report(error, authority), authority);
    }
  }

  established(tunnel: Meter): void {
    if (this.#tunnel !== null) this.#visits.open('tunnel', this.#tunnel, tunnel);
  }

  refused(error: unknown): void {
    this.#endTunnel();
    this.#refuse(this.#report(error, this.#target), this.#target);
  }

  http(first: Buffer): void {
    const active = this.#tunnel;
    if (active === null || this.#socket.closed) return this.#endTunnel();
    this.#visits.parsed(first.length);
    this.#parse(first, true);
    active.signal.addEventListener('abort', () => this.#socket.destroy());
    this.#socket.once('close', () => this.#endTunnel());
  }

  over(fault: Error | null, bytes: TransferredBytes): void {
    const { log } = this.#context;
    if (fault !== null) this.#log(fault, this.#target);
    else if (this.#caller !== undefined)
      log.debug({ user: nameOf(this.#caller), target: this.#target, ...bytes }, 'Tunnel ended');
    this.#endTunnel(fault);
  }

  #endTunnel(fault: Error | null = null): void {
    this.#timed = null;
    if (this.#tunnel !== null) this.#visits.end(fault ?? this.#tunnel.signal.reason);
    this.#tunnel?.release();
    this.#tunnel = null;
  }

  #splice(active: ActiveRequest, remote: Socket, rest: Buffer): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const splice = new Splice(this.#socket, remote, null, this.#context.tunnelIdleMs, resolve);
    active.splice = splice;
    const nested = this.#tunnel !== null;
    if (!nested) this.#visits.open('websocket', active, splice);
    this.#timed = splice;
    active.signal.addEventListener('abort', () => splice.destroy());
    splice.start(rest, nothing);
    return nested ? promise : promise.then(() => this.#visits.end(active.signal.reason));
  }

  #begin(requestTarget: string): void {
    this.#silent = false;
    this.#caller = undefined;
    this.#target = requestTarget;
  }

  /** Runs a request to its end: admits it, carries it while the socket lives, releases its slot, refuses it on a fault. */
  async #run<T extends Target>(
    requestTarget: string,
    admit: () => Promise<[ActiveRequest, T]>,
    carry: (active: ActiveRequest, target: T) => Promise<void>,
    refuse: (error: ProxyError) => void,
  ): Promise<void> {
    this.#begin(requestTarget);
    let refused = false;
    try {
      const [active, target] = await admit();
      this.#request = active;
      try {
        if (this.#socket.destroyed) throw clientLeft;
        await carry(active, target);
      } finally {
        if (this.#request === active) this.#request = null;
        active.release();
      }
    } catch (error) {
      refused = error instanceof ProxyError;
      refuse(this.#report(error, requestTarget));
    }
    this.#visits.requested(refused);
  }

  /** Authorizes a request in absolute form; one inside a tunnel shares the tunnel's authorization. */
  async #admit(req: IncomingMessage, form: Form): Promise<[ActiveRequest, PlainTarget]> {
    const { authenticate, metrics } = this.#context;
    const url = req.url ?? '';
    if (this.#tunnel !== null) {
      this.#caller = this.#tunnel.caller;
      if (!url.startsWith('/')) throw new ProxyError('bad_request');
      const { host, port } = this.#tunnel.target;
      const target = readAbsoluteForm(`http://${host}:${port}${url}`);
      metrics.carried(form);
      return [nestedRequest(this.#tunnel), target];
    }
    if (!isAbsoluteForm(url)) throw new ProxyError('bad_request');
    this.#caller = authenticate(req.headers['proxy-authorization']);
    const target = readAbsoluteForm(url);
    const active = await this.#start(this.#caller, target);
    metrics.carried(form);
    return [active, target];
  }

  /** Takes a slot for a request. A promise when the primary is asked for one. @throws ProxyError */
  #start(caller: Caller, target: Target): ActiveRequest | Promise<ActiveRequest> {
    const { activeRequests, metrics } = this.#context;
    return metrics.deciding(() => activeRequests.start(caller, target));
  }

  /**
   * Ends HTTP on this socket after a CONNECT or Upgrade. @returns the bytes behind it: Node's `head`, then those of the
   * queue
   */
  #detach(head: Buffer): Buffer {
    const queued = this.#queue?.detach();
    return queued === undefined ? head : Buffer.concat([head, queued]);
  }

  #refuseWhenStopping(): void {
    if (this.#context.stopping()) throw new ProxyError('stopping');
  }

  #refuseRequest(req: IncomingMessage, res: ServerResponse, error: ProxyError): void {
    if (res.destroyed) return;
    // Only a broken connection marks a response as incomplete once its head is sent.
    if (res.headersSent) return void req.socket.destroy();
    // Close the connection after a refused request with a body: keeping it would require reading the whole body.
    if (hasBody(req.headers)) res.shouldKeepAlive = false;
    const { status, headers, body } = answerRefusal(error, siteOf(req.url), this.#context.consoleUrl);
    res.writeHead(status, [...headers]);
    res.end(req.method === 'HEAD' ? undefined : body);
  }

  #refuse(error: ProxyError, requestTarget: string | undefined): void {
    const socket = this.#socket;
    if (socket.destroyed) return;
    const answer = answerRefusal(error, siteOf(requestTarget), this.#context.consoleUrl);
    socket.end(answerBytes(answer, STATUS_CODES[answer.status] ?? 'Refused'), () => socket.destroy());
  }

  /** Counts, logs and records why a request failed. An unexpected error refuses the request too. */
  #report(error: unknown, requestTarget: string): ProxyError {
    const refusal = this.#log(error, requestTarget);
    if (error !== refusal) return refusal;
    const { host, port } = this.#tunnel?.target ?? {};
    const site = siteOf(requestTarget);
    const asked = /:\d+$/.test(site) ? site : `${site}:80`;
    const authority = host === undefined ? asked : `${host}:${port}`;
    this.#context.records.refuse(this.#caller, authority, refusal.reason, this.#address);
    return refusal;
  }

  #log(error: unknown, requestTarget: string): ProxyError {
    const { log, refusals, metrics } = this.#context;
    if (error instanceof ProxyError) {
      metrics.refused(error.reason);
      const user = this.#caller && nameOf(this.#caller);
      refusals.add(error.reason, user, siteOf(requestTarget), this.#address);
      return error;
    }
    if (error !== clientLeft) log.error({ err: error }, 'Failed');
    return new ProxyError('connect_failed');
  }
}

/** A host name of 253 characters and a port, with room for brackets. */
const SITE_MOST = 260;

/** The authority of a request target, for the error page, records and the log. Path and query may hold secrets. */
function siteOf(requestTarget = ''): string {
  const authority = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/?#]*@)?([^/?#]*)/i.exec(requestTarget)?.[1] ?? '';
  return authority.slice(0, SITE_MOST);
}
