import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Target } from '@propusk/access/host';
import { hasBody } from '../http/headers.ts';
import { clientLeft } from '../policy/active-requests.ts';
import { type Caller, nameOf } from '../policy/authenticate.ts';
import { ProxyError, type ProxyErrorDetail } from '../proxy-error.ts';
import type { ProxyContext } from './context.ts';
import { answerBytes, answerRefusal } from './refusal.ts';

/** Node's error codes for an invalid request head, and the error detail for each. */
const headFaults: Readonly<Record<string, ProxyErrorDetail>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_INVALID_URL: 'bad_url',
};

/** The error for a request head that Node's parser rejects. @param code Node's error code */
export const headFault = (code: string) => new ProxyError('bad_request', headFaults[code]);

/** Counts, logs, records and answers the refusals of one client connection. */
export class ClientRefusals {
  readonly #socket: Socket;
  readonly #context: ProxyContext;
  readonly #address: string;
  /** The caller of the last request; undefined before its authentication. */
  caller: Caller | undefined;

  /** @param address the client's IP address */
  constructor(socket: Socket, address: string, context: ProxyContext) {
    this.#socket = socket;
    this.#context = context;
    this.#address = address;
  }

  /** Sends the refusal of a request that Node's parser read. */
  answer(req: IncomingMessage, res: ServerResponse, error: ProxyError): void {
    if (res.destroyed) return;
    // Only a broken connection marks a response as incomplete once its head is sent.
    if (res.headersSent) return void req.socket.destroy();
    // Close the connection after a refused request with a body: keeping it would require reading the whole body.
    if (hasBody(req.headers)) res.shouldKeepAlive = false;
    const { status, headers, body } = answerRefusal(error, siteOf(req.url), this.#context.consoleUrl);
    res.writeHead(status, [...headers]);
    res.end(req.method === 'HEAD' ? undefined : body);
  }

  /** Answers on the socket, and ends the connection. */
  end(error: ProxyError, requestTarget: string | undefined): void {
    const socket = this.#socket;
    if (socket.destroyed) return;
    const answer = answerRefusal(error, siteOf(requestTarget), this.#context.consoleUrl);
    socket.end(answerBytes(answer, STATUS_CODES[answer.status] ?? 'Refused'), () => socket.destroy());
  }

  /** Counts, logs and records why a request failed. An unexpected error refuses the request too. */
  report(error: unknown, requestTarget: string, tunnel: Target | undefined): ProxyError {
    const refusal = this.log(error, requestTarget);
    if (error !== refusal) return refusal;
    const site = siteOf(requestTarget);
    const asked = /:\d+$/.test(site) ? site : `${site}:80`;
    const authority = tunnel === undefined ? asked : `${tunnel.host}:${tunnel.port}`;
    this.#context.records.refuse(this.caller, authority, refusal.reason, this.#address);
    return refusal;
  }

  log(error: unknown, requestTarget: string): ProxyError {
    const { log, refusals, metrics } = this.#context;
    if (error instanceof ProxyError) {
      metrics.refused(error.reason);
      const user = this.caller && nameOf(this.caller);
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
