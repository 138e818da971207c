import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Target } from '@propusk/access/host';
import type { Dial } from '@propusk/dial/dial';
import type { PipelineQueue, PipelineQueues } from '@propusk/overload/pipeline-queue';
import { type ActiveRequest, type ActiveRequests, clientLeft, nestedRequest } from './active-requests.ts';
import { type Caller, nameOf } from './authenticate.ts';
import { readConnectHead } from './connect-head.ts';
import { Forwarder } from './forward.ts';
import { hasBody } from './headers.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { StreamSource } from './peekable-source.ts';
import { ProxyError, type ProxyErrorDetail } from './proxy-error.ts';
import { answerBytes, answerRefusal } from './refusal.ts';
import { isAbsoluteForm, type PlainTarget, readAbsoluteForm, readAuthorityForm } from './target.ts';
import { tunnel } from './tunnel.ts';
import { upgrade } from './upgrade.ts';

/** The dependencies that all client connections of a gateway share. */
export interface ProxyContext {
  readonly authenticate: (header: string | undefined) => Caller;
  readonly activeRequests: ActiveRequests;
  readonly dial: Dial;
  /** This gateway's name in Via. */
  readonly via: string;
  readonly consoleUrl: string;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly draining: () => boolean;
  /** Passes a socket's bytes to Node's HTTP parser, one request at a time. */
  readonly http: PipelineQueues;
}

/** A client must send a request head within this time. */
export const HEAD_MS = 10_000;

/** Faults of a request's head that have a status of their own. */
const headFaults: Readonly<Record<string, readonly [number, ProxyErrorDetail]>> = {
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout'],
};

type Form = 'tunnel' | 'request' | 'websocket';

/**
 * One client connection: it owns the socket, the queue of pipelined requests, the requests in progress, the tunnel and the
 * connections to origins, and ends all of them with the socket.
 *
 *   first bytes ─┬─ simple CONNECT ────────────────────────────────────┐
 *                └─ anything else ─> Node's parser ─┬─ CONNECT ────────┴─> onConnect ─> tunnel.ts
 *                                                   ├─ Upgrade ──────────> onUpgrade ─> upgrade.ts
 *                                                   └─ absolute form ────> onRequest ─> forward.ts
 */
export class ClientConnection {
  readonly #socket: Duplex;
  readonly #context: ProxyContext;
  readonly #forwarder: Forwarder;
  /** Requests in progress: at most a tunnel and one request in it. */
  // grows: by users, by requests; bound: 2; at the bound: a CONNECT in a tunnel is refused
  readonly #active = new Set<ActiveRequest>();
  /** Null until Node's parser reads the socket. */
  #queue: PipelineQueue | null = null;
  /** The tunnel that Node's parser reads: every request in it goes to its target. */
  #tunnel: ActiveRequest | null = null;
  /** The caller of the last request, for the log. */
  #caller: Caller | undefined;
  #silent = true;

  constructor(socket: Duplex, context: ProxyContext) {
    this.#socket = socket;
    this.#context = context;
    this.#forwarder = new Forwarder(context.dial, context.via);
    // Every 'error' is followed by 'close'.
    socket
      .on('error', () => {})
      .once('close', () => {
        for (const active of this.#active) active.abort(clientLeft);
        this.#forwarder.close();
      });
  }

  /** Whether the client has not sent a request yet. */
  get silent(): boolean {
    return this.#silent;
  }

  /** Waits for the first bytes. A simple CONNECT skips Node's parser, which would take a tenth of a tunnel's time. */
  open(): void {
    const source = new StreamSource(this.#socket);
    let settled = false;
    const settle = () => {
      settled = true;
      clearTimeout(timer);
      this.#socket.off('close', settle).off('end', onEnd);
    };
    const onEnd = () => this.#socket.destroy();
    const timer = setTimeout(() => {
      settle();
      this.onClientError({ code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    }, HEAD_MS);
    this.#socket.once('close', settle).once('end', onEnd);
    source.peek((bytes) => {
      // The head's timeout has answered these bytes already.
      if (settled) return false;
      settle();
      const head = readConnectHead(bytes);
      if (head === null) this.#queue = this.#context.http.serve(this.#socket, { first: source.take() });
      else {
        source.skip(head.length);
        void this.#connect(head.authority, head.credentials, source);
      }
      return false;
    });
  }

  /** Handles a request in absolute form, or one inside a tunnel. */
  onRequest(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (this.#context.draining()) res.shouldKeepAlive = false;
    return this.#run(
      req.url ?? '',
      () => this.#admit(req, 'request'),
      (active, target) => this.#forwarder.forward(active, target, req, res),
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
        this.#refuseWhenDraining();
        return this.#admit(req, 'websocket');
      },
      (active, target) => upgrade(dial, via, active, target, req, this.#socket, rest),
      (error) => this.#refuse(error, req.url),
    );
  }

  /** Handles a CONNECT that Node's parser read. @param head bytes behind the request */
  onConnect(req: IncomingMessage, head: Buffer): Promise<void> {
    const source = new StreamSource(this.#socket, this.#detach(head));
    return this.#connect(req.url ?? '', req.headers['proxy-authorization'], source);
  }

  /** Answers a request that Node's parser rejects, or that does not arrive in time. */
  onClientError({ code = '' }: { readonly code?: string }): void {
    const response = this.#queue?.response;
    // After a failed TLS handshake the client cannot read an answer.
    const unreadable = /^(ERR_SSL|ERR_TLS|EPROTO)/.test(code);
    if (unreadable || !this.#socket.writable || (response?.headersSent && !response.writableFinished)) {
      return void this.#socket.destroy();
    }
    const [status, detail] = headFaults[code] ?? [];
    this.#context.metrics.refused('bad_request');
    this.#refuse(new ProxyError('bad_request', detail), '', status);
  }

  #connect(authority: string, credentials: string | undefined, source: StreamSource): Promise<void> {
    const { authenticate, dial, log } = this.#context;
    let established = false;
    return this.#run(
      authority,
      async () => {
        if (this.#tunnel !== null) throw new ProxyError('bad_request');
        this.#caller = authenticate(credentials);
        this.#refuseWhenDraining();
        const target = readAuthorityForm(authority);
        return [await this.#start(this.#caller, target, 'tunnel'), target];
      },
      async (active) => {
        const result = await tunnel(dial, active, this.#socket, source, () => (established = true));
        if (result === 'http') await this.#parseTunnel(active, source);
        else log.debug({ user: nameOf(active.caller), target: authority, ...result }, 'Tunnel ended');
      },
      (error) => {
        // After 200 the client reads the tunnel, not our answer.
        if (!established) this.#refuse(error, authority);
      },
    );
  }

  /** Runs a request to its end: admits it, carries it while the socket lives, releases its slot, refuses it on a fault. */
  async #run<T extends Target>(
    requestTarget: string,
    admit: () => Promise<[ActiveRequest, T]>,
    carry: (active: ActiveRequest, target: T) => Promise<void>,
    refuse: (error: ProxyError) => void,
  ): Promise<void> {
    this.#silent = false;
    this.#caller = undefined;
    try {
      const [active, target] = await admit();
      this.#active.add(active);
      try {
        if (this.#socket.destroyed) throw clientLeft;
        await carry(active, target);
      } finally {
        this.#active.delete(active);
        active.release();
      }
    } catch (error) {
      refuse(this.#report(error, requestTarget));
    }
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
    return [await this.#start(this.#caller, target, form), target];
  }

  /** Takes a slot for a request. The metrics count the request, and a revocation that ends it. */
  async #start(caller: Caller, target: Target, form: Form): Promise<ActiveRequest> {
    const { activeRequests, metrics } = this.#context;
    const active = await metrics.deciding(() => activeRequests.start(caller, target));
    metrics.carried(form);
    return {
      ...active,
      release() {
        const { reason } = active.signal;
        if (reason instanceof ProxyError) metrics.cut(reason.reason);
        active.release();
      },
    };
  }

  /** Passes the tunnel's bytes to Node's HTTP parser until the tunnel closes. */
  async #parseTunnel(active: ActiveRequest, source: StreamSource): Promise<void> {
    if (this.#socket.closed) return;
    const closed = new Promise((resolve) => this.#socket.once('close', resolve));
    const cut = () => this.#socket.destroy();
    active.signal.addEventListener('abort', cut);
    this.#tunnel = active;
    this.#queue = this.#context.http.serve(this.#socket, { first: source.take(), answersHalfClosed: true });
    await closed;
    active.signal.removeEventListener('abort', cut);
  }

  /**
   * Ends HTTP on this socket after a CONNECT or Upgrade. @returns the bytes behind it: Node's `head`, then those of the
   * queue
   */
  #detach(head: Buffer): Buffer {
    const queued = this.#queue?.detach();
    return queued === undefined ? head : Buffer.concat([head, queued]);
  }

  #refuseWhenDraining(): void {
    if (this.#context.draining()) throw new ProxyError('stopping');
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

  #refuse(error: ProxyError, requestTarget: string | undefined, status?: number): void {
    const socket = this.#socket;
    if (socket.destroyed) return;
    const answer = answerRefusal(error, siteOf(requestTarget), this.#context.consoleUrl);
    const sent = status === undefined ? answer : { ...answer, status };
    socket.end(answerBytes(sent, STATUS_CODES[sent.status] ?? 'Refused'), () => socket.destroy());
  }

  /** Counts and logs why a request failed. An unexpected error refuses the request too. */
  #report(error: unknown, requestTarget: string): ProxyError {
    const { log, metrics } = this.#context;
    if (error instanceof ProxyError) {
      metrics.refused(error.reason);
      const user = this.#caller && nameOf(this.#caller);
      log.info({ reason: error.reason, user, target: siteOf(requestTarget) }, 'Refused');
      return error;
    }
    if (error !== clientLeft) log.error({ err: error }, 'Failed');
    return new ProxyError('connect_failed');
  }
}

/** The authority of a request target, for the error page and the log. Path and query may hold secrets. */
function siteOf(requestTarget = ''): string {
  return /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/?#]*@)?([^/?#]*)/i.exec(requestTarget)?.[1] ?? '';
}
