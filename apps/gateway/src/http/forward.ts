import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Dial } from '@propusk/dial/dial';
import type { ActiveRequest } from '../policy/active-requests.ts';
import type { PlainTarget } from '../policy/target.ts';
import { ProxyError } from '../proxy-error.ts';
import { upstreamAuthorization } from '../tunnel/upstream.ts';
import { countOf, endToEnd, hasBody, isCoded, without } from './headers.ts';
import { OriginAgent, sendByHttp } from './origin-http.ts';
import { type OriginRequest, originKey } from './origin-request.ts';
import { type KeptConnections, sendByUndici, UndiciPool } from './origin-undici.ts';

/**
 * Plain HTTP in absolute form (RFC 9112 section 3.2.2):
 *
 *   client ── GET http://site/path ──> gateway ── GET /path, Host: site ──> site
 *                                             └── GET http://site/path + its own credentials ──> proxy ──> site
 *
 * An origin connection serves one client connection only: some servers bind a login to a connection (NTLM), and two users must
 * never share one.
 */
export class Forwarder {
  readonly #dial: Dial;
  readonly #via: string;
  readonly #kept: KeptConnections;
  #undici: UndiciPool | undefined;
  #agent: OriginAgent | undefined;
  /** The key of the last origin that sent 100 Continue without being asked. */
  #continuing = '';

  /** @param via this gateway's name in Via @param kept counts the open origin connections of all forwarders of the process */
  constructor(dial: Dial, via: string, kept: KeptConnections) {
    this.#dial = dial;
    this.#via = via;
    this.#kept = kept;
  }

  /** Forwards one authorized request. @throws ProxyError while nothing of the response is sent */
  async forward(
    active: ActiveRequest,
    target: PlainTarget,
    req: IncomingMessage,
    res: ServerResponse,
  ): Promise<void> {
    if (loops(req, this.#via)) throw new ProxyError('loop');
    if (req.httpVersionMajor !== 1) throw new ProxyError('bad_request', 'http_version');
    if (isCoded(req.rawHeaders)) throw new ProxyError('bad_request', 'transfer_coding');
    // RFC 9112 section 3.2: a request with more than one Host field gets 400.
    if (countOf(req.rawHeaders, 'host') > 1) throw new ProxyError('bad_request');
    if (isForGateway(req)) return answerItself(req, res);
    const request = originRequest(active, target, req, this.#via);
    if (isRepeatable(req) && (this.#continuing === '' || this.#continuing !== originKey(active))) {
      this.#undici ??= new UndiciPool(this.#dial, this.#kept);
      if (await sendByUndici(this.#undici, active, request, req, res, this.#via)) return;
      this.#continuing = originKey(active);
    }
    this.#agent ??= new OriginAgent(this.#dial, this.#kept);
    await sendByHttp(this.#agent, active, request, req, res, this.#via);
  }

  /** Ends the connections to origins. */
  close(): void {
    this.#undici?.close();
    this.#agent?.destroy();
  }
}

function originRequest(
  { egress }: ActiveRequest,
  target: PlainTarget,
  req: IncomingMessage,
  via: string,
): OriginRequest {
  const { method = '' } = req;
  let kept = without(endToEnd(req.rawHeaders), 'host');
  // RFC 9110 section 10.1.1: Expect is ignored in HTTP/1.0 requests.
  if (req.httpVersionMinor === 0) kept = without(kept, 'expect');
  const left = forwardsLeft(req);
  if (left !== null) kept = [...without(kept, 'max-forwards'), 'Max-Forwards', String(left - 1)];
  const headers = ['Host', target.authority, ...kept, 'Via', `1.1 ${via}`];
  if (req.headers['transfer-encoding'] !== undefined) headers.push('Transfer-Encoding', 'chunked');
  // Without a Content-Length, Node would send a POST that has no body as an empty chunked body.
  else if (req.headers['content-length'] === undefined && !bodiless.has(method)) {
    headers.push('Content-Length', '0');
  }
  // RFC 9112 section 3.2.4: the last proxy sends `*` for an empty path.
  const isWhole = method === 'OPTIONS' && target.isWhole;
  if (egress.kind === 'direct') return { method, path: isWhole ? '*' : target.path, headers };
  headers.push(...upstreamAuthorization(egress));
  return { method, path: `http://${target.authority}${isWhole ? '' : target.path}`, headers };
}

/** The Max-Forwards of OPTIONS and TRACE; null for none, and for other methods (RFC 9110 section 7.6.2). */
function forwardsLeft({ method, headers }: IncomingMessage): number | null {
  const given = headers['max-forwards'];
  if ((method !== 'OPTIONS' && method !== 'TRACE') || typeof given !== 'string' || !/^\d{1,9}$/.test(given))
    return null;
  return Number(given);
}

const isForGateway = (req: IncomingMessage) => forwardsLeft(req) === 0;

/** Answers as the final recipient: OPTIONS with the methods, TRACE with the request (RFC 9110 sections 9.3.7, 9.3.8). */
function answerItself(req: IncomingMessage, res: ServerResponse): void {
  req.resume();
  if (req.method === 'OPTIONS') {
    res.writeHead(200, {
      Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, TRACE, CONNECT',
      'Content-Length': 0,
    });
    return void res.end();
  }
  // Fields with secrets are left out: a script of the site could read them.
  const shown = without(without(endToEnd(req.rawHeaders), 'cookie'), 'authorization');
  let text = `TRACE ${req.url} HTTP/${req.httpVersion}\r\n`;
  for (let i = 0; i < shown.length; i += 2) text += `${shown[i]}: ${shown[i + 1]}\r\n`;
  res.writeHead(200, {
    'Content-Type': 'message/http',
    'Content-Length': Buffer.byteLength(text, 'latin1') + 2,
  });
  res.end(`${text}\r\n`, 'latin1');
}

const bodiless = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

/** Whether a request has no side effect and no body, so that it may be sent twice (RFC 9110 section 9.2.2). */
function isRepeatable({ method, headers }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && !hasBody(headers) && headers.expect === undefined;
}

/** Whether our own name is in Via: the request came back to this gateway (RFC 9110 section 7.6.3). */
export function loops(req: IncomingMessage, via: string): boolean {
  return req.headers.via?.includes(via) ?? false;
}
