import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Target } from '@propusk/access/host';
import type { PipelineQueue } from '@propusk/overload/pipeline-queue';
import type { Deadline } from '../deadline.ts';
import { Forwarder } from '../http/forward.ts';
import { upgrade } from '../http/upgrade.ts';
import type { Form } from '../metrics.ts';
import { type ActiveRequest, clientLeft, nestedRequest } from '../policy/active-requests.ts';
import { type Caller, nameOf } from '../policy/authenticate.ts';
import { isAbsoluteForm, type PlainTarget, readAbsoluteForm, readAuthorityForm } from '../policy/target.ts';
import { ProxyError } from '../proxy-error.ts';
import { ConnectionVisits } from '../records/connection-visits.ts';
import type { Meter } from '../records/visit.ts';
import { readBy, release, type SocketReader, stopReading } from '../tunnel/socket-reader.ts';
import { nothing, Splice, type TransferredBytes } from '../tunnel/splice.ts';
import { Tunnel, type TunnelOwner } from '../tunnel/tunnel.ts';
import { ClientRefusals, headFault } from './client-refusals.ts';
import { readConnectHead } from './connect-head.ts';
import type { ProxyContext } from './context.ts';

/** A client must send a request head within this time. */
export const HEAD_MS = 10_000;

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
  readonly #refusals: ClientRefusals;
  #forwarder: Forwarder | null = null;
  /** To what the deadline of the connection applies at present: first the request head, later the tunnel. */
  #timed: Deadline | null = null;
  #deadline = performance.now() + HEAD_MS;
  /** The request in progress. */
  #request: ActiveRequest | null = null;
  /**
   * The CONNECT in progress. Where Node's parser reads plain HTTP inside the tunnel, each of those requests goes to the target
   * of this CONNECT.
   */
  #tunnel: ActiveRequest | null = null;
  /** Null until Node's parser reads the socket. */
  #queue: PipelineQueue | null = null;
  /** The target of the last request, for the log. */
  #target = '';
  #silent = true;

  /** @param address the client's IP address */
  constructor(socket: Socket, address: string, context: ProxyContext) {
    this.#socket = socket;
    this.#context = context;
    this.#address = address;
    this.#visits = new ConnectionVisits(context.records, socket, address);
    this.#refusals = new ClientRefusals(socket, address, context);
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
    // While this process drains, new requests go to its successor, but an open tunnel stays here.
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
      (error) => this.#refusals.answer(req, res, error),
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
      (error) => this.#refusals.end(error, req.url),
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
    this.#refuse(headFault(code), '');
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
      const caller = authenticate(credentials);
      this.#refusals.caller = caller;
      this.#refuseWhenStopping();
      const active = this.#start(caller, readAuthorityForm(authority));
      if (!(active instanceof Promise)) return open(active);
      // The primary has been asked for a slot. Until it answers, the client's further bytes stay in the kernel.
      stopReading(this.#socket);
      active.then(open, (error) => this.refused(error));
    } catch (error) {
      this.#refuse(error, authority);
    }
  }

  established(tunnel: Meter): void {
    if (this.#tunnel !== null) this.#visits.open('tunnel', this.#tunnel, tunnel);
  }

  refused(error: unknown): void {
    this.#endTunnel();
    this.#refuse(error, this.#target);
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
    const { caller } = this.#refusals;
    if (fault !== null) this.#refusals.log(fault, this.#target);
    else if (caller !== undefined)
      this.#context.log.debug({ user: nameOf(caller), target: this.#target, ...bytes }, 'Tunnel ended');
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
    this.#refusals.caller = undefined;
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
      this.#refusals.caller = this.#tunnel.caller;
      if (!url.startsWith('/')) throw new ProxyError('bad_request');
      const { host, port } = this.#tunnel.target;
      const target = readAbsoluteForm(`http://${host}:${port}${url}`);
      metrics.carried(form);
      return [nestedRequest(this.#tunnel), target];
    }
    if (!isAbsoluteForm(url)) throw new ProxyError('bad_request');
    const caller = authenticate(req.headers['proxy-authorization']);
    this.#refusals.caller = caller;
    const target = readAbsoluteForm(url);
    const active = await this.#start(caller, target);
    metrics.carried(form);
    return [active, target];
  }

  /** Takes a slot for a request. A promise when the primary is asked for one. @throws ProxyError */
  #start(caller: Caller, target: Target): ActiveRequest | Promise<ActiveRequest> {
    const { activeRequests, metrics } = this.#context;
    return metrics.deciding(() => activeRequests.start(caller, target));
  }

  /**
   * Ends HTTP on this socket after a CONNECT or Upgrade.
   * @returns the bytes after the head: Node's `head`, then those that waited in the queue
   */
  #detach(head: Buffer): Buffer {
    const queued = this.#queue?.detach();
    return queued === undefined ? head : Buffer.concat([head, queued]);
  }

  #refuseWhenStopping(): void {
    if (this.#context.stopping()) throw new ProxyError('stopping');
  }

  /** Counts, logs and records a failed request. */
  #report(error: unknown, requestTarget: string): ProxyError {
    return this.#refusals.report(error, requestTarget, this.#tunnel?.target);
  }

  /** Reports a failed request, answers it, and ends the connection. */
  #refuse(error: unknown, requestTarget: string): void {
    this.#refusals.end(this.#report(error, requestTarget), requestTarget);
  }
}
