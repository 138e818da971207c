import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Dial } from '@propusk/dial/dial';
import type { ActiveRequest } from './active-requests.ts';
import { endToEnd, hasBody, without } from './headers.ts';
import { createHttpClient } from './origin-http.ts';
import type { OriginRequest } from './origin-request.ts';
import { createUndiciClient } from './origin-undici.ts';
import { ProxyError } from './proxy-error.ts';
import type { PlainTarget } from './target.ts';
import { upstreamAuthorization } from './upstream.ts';

/**
 * Plain HTTP in absolute form (RFC 9112 section 3.2.2):
 *
 *   client ── GET http://site/path ──> gateway ── GET /path, Host: site ──> site
 *                                             └── GET http://site/path + its own credentials ──> proxy ──> site
 *
 * Connections onward are kept for the client connection that they were opened for and for no other: servers exist that
 * tie a login to a connection (NTLM), and people must never share one.
 */

export interface Forward {
  /** Carries one judged request to its end. @throws ProxyError when nothing of a response has been sent yet */
  carry(active: ActiveRequest, target: PlainTarget, req: IncomingMessage, res: ServerResponse): Promise<void>;
}

/** @param via this gateway's name in Via */
export function createForward(dial: Dial, via: string): Forward {
  const read = createUndiciClient(dial, via);
  const write = createHttpClient(dial, via);
  return {
    async carry(active, target, req, res) {
      if (loops(req, via)) throw new ProxyError('loop');
      const asking = onward(active, target, req, via);
      if (onlyReads(req)) await read(active, asking, req.socket, res);
      else await write(active, asking, req, res);
    },
  };
}

function onward(
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
  // Else a POST without a body would be given one, chunked and empty.
  else if (req.headers['content-length'] === undefined && !bodiless.has(method)) {
    headers.push('Content-Length', '0');
  }
  if (egress.kind === 'direct') return { method, path: target.path, headers };
  headers.push(...upstreamAuthorization(egress));
  return { method, path: `http://${target.authority}${target.path}`, headers };
}

const bodiless = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

/** Whether a request changes nothing and says nothing but its head, so that it may be sent again. */
function onlyReads({ method, headers }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && !hasBody(headers) && headers.expect === undefined;
}

/** RFC 9110 section 7.6.3: our own name in Via means that the request went in a circle. */
export function loops(req: IncomingMessage, via: string): boolean {
  return req.headers.via?.includes(via) ?? false;
}
