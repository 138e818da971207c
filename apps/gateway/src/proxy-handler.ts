import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GatewayKeys } from '@propusk/access/gateway-secret';
import type { Target } from '@propusk/access/host';
import type { Dial } from '@propusk/dial/dial';
import { AbortSignalLite } from './abort-signal-lite.ts';
import { type ActiveRequest, type ActiveRequests, clientLeft } from './active-requests.ts';
import { type Caller, createAuthenticate, nameOf } from './authenticate.ts';
import { createForward } from './forward.ts';
import { hasBody } from './headers.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { StreamSource } from './peekable-source.ts';
import { ProxyError, type ProxyErrorDetail } from './proxy-error.ts';
import { answerBytes, answerRefusal } from './refusal.ts';
import { isAbsoluteForm, type PlainTarget, readAbsoluteForm, readAuthorityForm } from './target.ts';
import { tunnel } from './tunnel.ts';
import { upgrade } from './upgrade.ts';

/**
 * What comes through the door: requests, upgrades and tunnels, each authenticated, judged, carried, or told why not.
 */

export interface ProxyHandlerOptions {
  readonly keys: GatewayKeys;
  readonly activeRequests: ActiveRequests;
  readonly dial: Dial;
  /** This gateway's name in Via. */
  readonly via: string;
  readonly consoleUrl: string;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly draining: () => boolean;
  /** A connection has asked for something. */
  readonly asked: (client: Duplex) => void;
  /** Gives the HTTP server a tunnel, to parse the requests in it. */
  readonly parseTunnel: (client: Duplex, first: Buffer) => void;
  /** The response that a connection is being given, or was given last. */
  readonly responseOf: (client: Duplex) => ServerResponse | null;
}

export interface ProxyHandler {
  onRequest(req: IncomingMessage, res: ServerResponse): Promise<void>;
  onUpgrade(req: IncomingMessage, client: Duplex, head: Buffer): Promise<void>;
  /** @param authority the request's target @param credentials its Proxy-Authorization @param asked what came behind it */
  onConnect(
    authority: string,
    credentials: string | undefined,
    client: Duplex,
    asked: StreamSource,
  ): Promise<void>;
  onClientError(error: { readonly code?: string }, client: Duplex): void;
  /** A connection asked for nothing in time. */
  onSilent(client: Duplex): void;
}

/** Makes the listeners of the HTTP server. */
export function createProxyHandler({
  keys,
  activeRequests,
  dial,
  via,
  metrics,
  log,
  draining,
  ...options
}: ProxyHandlerOptions): ProxyHandler {
  const authenticate = createAuthenticate(keys);
  const forward = createForward(dial, via);
  /** Tunnels whose bytes are parsed as HTTP: all requests in one are for the target that it was opened to. */
  const parsed = new WeakMap<Duplex, ActiveRequest>();

  function enter(
    caller: Caller,
    target: Target,
    form: 'tunnel' | 'request' | 'websocket',
  ): ActiveRequest | Promise<ActiveRequest> {
    const entered = metrics.deciding(() => activeRequests.start(caller, target));
    return entered instanceof Promise ? entered.then((it) => counted(it, form)) : counted(entered, form);
  }

  function counted(active: ActiveRequest, form: 'tunnel' | 'request' | 'websocket'): ActiveRequest {
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

  function admit(
    req: IncomingMessage,
    form: 'request' | 'websocket',
    name: (caller: Caller) => void,
  ): { active: ActiveRequest | Promise<ActiveRequest>; target: PlainTarget } {
    const asked = req.url ?? '';
    const outer = parsed.get(req.socket);
    if (outer !== undefined) {
      name(outer.caller);
      if (!asked.startsWith('/')) throw new ProxyError('bad_request');
      const { host, port } = outer.target;
      const target = readAbsoluteForm(`http://${host}:${port}${asked}`);
      metrics.carried(form);
      return { active: part(outer), target };
    }
    if (!isAbsoluteForm(asked)) throw new ProxyError('bad_request');
    const caller = authenticate(req.headers['proxy-authorization']);
    name(caller);
    const target = readAbsoluteForm(asked);
    return { active: enter(caller, target, form), target };
  }

  async function onRequest(req: IncomingMessage, res: ServerResponse): Promise<void> {
    options.asked(req.socket);
    if (draining()) res.shouldKeepAlive = false;
    let caller: Caller | undefined;
    try {
      const admitted = admit(req, 'request', (who) => (caller = who));
      const { target } = admitted;
      const active = await admitted.active;
      const onClose = () => active.abort(clientLeft);
      req.socket.once('close', onClose);
      try {
        if (req.socket.destroyed) throw clientLeft;
        await forward.carry(active, target, req, res);
      } finally {
        req.socket.off('close', onClose);
        active.release();
      }
    } catch (error) {
      refuseRequest(req, res, noteRefusal(error, caller, req.url ?? ''));
    }
  }

  async function onUpgrade(req: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    takeOver(client);
    let caller: Caller | undefined;
    try {
      if (draining()) throw new ProxyError('stopping');
      const admitted = admit(req, 'websocket', (who) => (caller = who));
      const { target } = admitted;
      const active = await admitted.active;
      client.once('close', () => active.abort(clientLeft));
      try {
        if (client.destroyed) throw clientLeft;
        await upgrade(dial, via, active, target, req, client, head);
      } finally {
        active.release();
      }
    } catch (error) {
      const asked = req.url ?? '';
      refuseSocket(client, noteRefusal(error, caller, asked), asked);
    }
  }

  async function onConnect(
    authority: string,
    credentials: string | undefined,
    client: Duplex,
    asked: StreamSource,
  ): Promise<void> {
    takeOver(client);
    let caller: Caller | undefined;
    let opened = false;
    try {
      if (parsed.has(client)) throw new ProxyError('bad_request');
      caller = authenticate(credentials);
      if (draining()) throw new ProxyError('stopping');
      const active = await enter(caller, readAuthorityForm(authority), 'tunnel');
      client.once('close', () => active.abort(clientLeft));
      try {
        if (client.destroyed) throw clientLeft;
        const carried = await tunnel(dial, active, client, asked, () => (opened = true));
        if (carried === 'http') await parseTunnel(active, client, asked);
        else log.debug({ user: nameOf(caller), target: authority, ...carried }, 'Tunnel ended');
      } finally {
        active.release();
      }
    } catch (error) {
      const refusal = noteRefusal(error, caller, authority);
      // A client that has had its 200 can be told nothing more.
      if (!opened) refuseSocket(client, refusal, authority);
    }
  }

  /** Carries a tunnel as requests to its own target, until it closes. */
  async function parseTunnel(active: ActiveRequest, client: Duplex, asked: StreamSource): Promise<void> {
    const closed = new Promise((resolve) => client.once('close', resolve));
    const cut = () => client.destroy();
    active.signal.addEventListener('abort', cut);
    parsed.set(client, active);
    if (client.closed) return;
    options.parseTunnel(client, asked.take());
    await closed;
    active.signal.removeEventListener('abort', cut);
  }

  /** The HTTP server no longer listens to a socket. */
  function takeOver(client: Duplex): void {
    options.asked(client);
    // 'close' follows every error, and it has a listener.
    client.on('error', () => {});
  }

  function onClientError(error: { readonly code?: string }, client: Duplex): void {
    const answer = options.responseOf(client);
    // A TLS handshake that failed has nobody who could read an answer.
    const unreadable = /^(ERR_SSL|ERR_TLS|EPROTO)/.test(error.code ?? '');
    if (unreadable || !client.writable || (answer?.headersSent && !answer.writableFinished)) {
      return void client.destroy();
    }
    const [status, detail] = headFaults[error.code ?? ''] ?? [];
    metrics.refused('bad_request');
    refuseSocket(client, new ProxyError('bad_request', detail), '', status);
  }

  function refuseRequest(req: IncomingMessage, res: ServerResponse, refusal: ProxyError): void {
    if (res.destroyed) return;
    // Too late for words: a cut is the only way left to say that this response is not whole.
    if (res.headersSent) return void req.socket.destroy();
    // What is left of a body nobody wants would have to be read before the next request.
    if (hasBody(req.headers)) res.shouldKeepAlive = false;
    const { status, headers, body } = answerRefusal(refusal, siteOf(req.url), options.consoleUrl);
    res.writeHead(status, [...headers]);
    res.end(req.method === 'HEAD' ? undefined : body);
  }

  function refuseSocket(client: Duplex, refusal: ProxyError, site: string, status?: number): void {
    if (client.destroyed) return;
    const answer = answerRefusal(refusal, siteOf(site), options.consoleUrl);
    const shown = status === undefined ? answer : { ...answer, status };
    client.end(answerBytes(shown, STATUS_CODES[shown.status] ?? 'Refused'), () => client.destroy());
  }

  function noteRefusal(error: unknown, caller: Caller | undefined, asked: string): ProxyError {
    if (error instanceof ProxyError) {
      metrics.refused(error.reason);
      const user = caller === undefined ? undefined : nameOf(caller);
      log.info({ reason: error.reason, user, target: siteOf(asked) }, 'Refused');
      return error;
    }
    // Whatever went wrong, it is a refusal.
    if (error !== clientLeft) log.error({ err: error }, 'Failed');
    return new ProxyError('connect_failed');
  }

  const onSilent = (client: Duplex) => onClientError({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, client);

  return { onRequest, onUpgrade, onConnect, onClientError, onSilent };
}

/** A passage within another, in its place: it ends with that one, and may end before. */
function part(outer: ActiveRequest): ActiveRequest {
  const signal = new AbortSignalLite();
  const { reason } = outer.signal;
  if (reason !== undefined) signal.abort(reason);
  const onOuter = () => signal.abort(outer.signal.reason ?? clientLeft);
  outer.signal.addEventListener('abort', onOuter);
  return {
    ...outer,
    signal,
    abort: (why) => signal.abort(why),
    release: () => outer.signal.removeEventListener('abort', onOuter),
  };
}

/** Faults of a request's head that have a status of their own. */
const headFaults: Readonly<Record<string, readonly [number, ProxyErrorDetail]>> = {
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout'],
};

/** What a refusal page and the log call the site: without path and query, which may hold secrets. */
function siteOf(requestTarget = ''): string {
  return /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/?#]*@)?([^/?#]*)/i.exec(requestTarget)?.[1] ?? '';
}
