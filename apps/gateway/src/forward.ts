import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Dial } from '@propusk/dial/dial';
import type { ActiveRequest } from './active-requests.ts';
import { endToEnd, hasBody, without } from './headers.ts';
import { OriginAgent, sendByHttp } from './origin-http.ts';
import type { OriginRequest } from './origin-request.ts';
import { type KeptConnections, sendByUndici, UndiciPool } from './origin-undici.ts';
import { ProxyError } from './proxy-error.ts';
import type { PlainTarget } from './target.ts';
import { upstreamAuthorization } from './upstream.ts';

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
    const request = originRequest(active, target, req, this.#via);
    if (isRepeatable(req)) {
      this.#undici ??= new UndiciPool(this.#dial, this.#kept);
      await sendByUndici(this.#undici, active, request, req.socket, res, this.#via);
    } else {
      this.#agent ??= new OriginAgent(this.#dial, this.#kept);
      await sendByHttp(this.#agent, active, request, req, res, this.#via);
    }
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
  const headers = [
    'Host',
    target.authority,
    ...without(endToEnd(req.rawHeaders), 'host'),
    'Via',
    `1.1 ${via}`,
  ];
  if (req.headers['transfer-encoding'] !== undefined) headers.push('Transfer-Encoding', 'chunked');
  // Without a Content-Length, Node would send a POST that has no body as an empty chunked body.
  else if (req.headers['content-length'] === undefined && !bodiless.has(method)) {
    headers.push('Content-Length', '0');
  }
  if (egress.kind === 'direct') return { method, path: target.path, headers };
  headers.push(...upstreamAuthorization(egress));
  return { method, path: `http://${target.authority}${target.path}`, headers };
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
