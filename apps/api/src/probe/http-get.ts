import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { ConnectError } from './connect-error.ts';
import { type Place, startTls } from './transport.ts';

/** One GET: of which host, and how. */
export interface GetRequest extends Place {
  readonly tls: boolean;
  /** Whether a certificate that is not good ends the request. */
  readonly verify: boolean;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes of the body to read, more being a failure; 0 reads none of it. */
  readonly bodyLimit: number;
}

export interface GetResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** What is wrong with the certificate, by its code; null when nothing is, or there is none. */
  readonly certificateFault: string | null;
  /** From the request to the end of what was read of the answer. */
  readonly ms: number;
}

/** Some firewalls answer 403 to whatever calls itself a program. */
const AGENT = 'Mozilla/5.0 (compatible; Propusk)';

/**
 * Sends one GET over a connection that is open.
 * @throws ConnectError; the signal's reason when it was aborted
 */
export async function getOver(open: Duplex, asked: GetRequest, signal: AbortSignal): Promise<GetResponse> {
  const stream = asked.tls ? await startTls('site', open, asked, signal) : open;
  try {
    return await exchange(stream, asked, signal);
  } finally {
    stream.destroy();
    open.destroy();
  }
}

async function exchange(stream: Duplex, asked: GetRequest, signal: AbortSignal): Promise<GetResponse> {
  const { host, port, tls, path, headers, bodyLimit } = asked;
  const began = performance.now();
  const spelled = host.includes(':') ? `[${host}]` : host;
  const asking = request({
    method: 'GET',
    path,
    headers: {
      host: port === (tls ? 443 : 80) ? spelled : `${spelled}:${port}`,
      'user-agent': AGENT,
      accept: 'text/html,*/*;q=0.8',
      connection: 'close',
      ...headers,
    },
    maxHeaderSize: 32_768,
    // Without an agent, not even `false`: any agent would connect by itself, past the rules of dialling.
    createConnection: () => stream,
    signal,
  });
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    asking.once('response', resolve);
    asking.on('error', () => reject(failure(signal)));
    asking.end();
  });
  const body = await readBody(reply, bodyLimit, signal);
  // Declared as an error; at run time it is a code, an error, or null.
  const fault: unknown = stream instanceof TLSSocket ? stream.authorizationError : null;
  return {
    status: reply.statusCode ?? 0,
    headers: reply.headers,
    body,
    certificateFault: faultCode(fault),
    ms: Math.round(performance.now() - began),
  };
}

/** What comes from a proxy is hostile: it is read so far and no further. */
async function readBody(reply: IncomingMessage, limit: number, signal: AbortSignal): Promise<string> {
  // Whatever comes after the head is not looked at; an end that is not a good one is none of ours.
  reply.on('error', () => {});
  if (limit === 0) return '';
  let body = '';
  try {
    for await (const chunk of reply.setEncoding('latin1')) {
      body += String(chunk);
      if (body.length > limit) throw new ConnectError('site', 'broken_off');
    }
  } catch (error) {
    throw error instanceof ConnectError ? error : failure(signal);
  }
  return body;
}

function faultCode(fault: unknown): string | null {
  if (typeof fault === 'string') return fault;
  if (!(fault instanceof Error)) return null;
  return 'code' in fault ? String(fault.code) : fault.message;
}

function failure(signal: AbortSignal): unknown {
  return signal.aborted ? signal.reason : new ConnectError('site', 'broken_off');
}
