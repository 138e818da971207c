import { type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { ConnectError } from './connect-error.ts';
import type { ResponseHead } from './connect-tunnel.ts';
import { type Place, startTls } from './transport.ts';

export interface GetRequest extends Place {
  readonly tls: boolean;
  /** Whether an invalid certificate fails the request. */
  readonly verify: boolean;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** At most this many bytes of the body are read. 0: the body is not read. */
  readonly bodyLimit: number;
  /** Whether to return the read part of a body that is incomplete or longer than `bodyLimit`. Otherwise the request fails. */
  readonly cut?: boolean;
}

export interface GetResponse extends ResponseHead {
  /** The body; each character is one byte (latin1). */
  readonly body: string;
  /** Whether the body ended early: the connection broke, or the signal was aborted. */
  readonly broken: boolean;
  /** OpenSSL's code for an invalid certificate; null for a valid certificate and without TLS. */
  readonly certificateFault: string | null;
}

/** Some firewalls deny requests whose User-Agent does not name a browser. */
const USER_AGENT = 'Mozilla/5.0 (compatible; Propusk)';

/**
 * Sends one GET over an open connection, then closes the connection.
 * @throws the abort reason of `signal` after an abort; ConnectError for any other failure
 */
export async function getOver(
  connection: Duplex,
  asked: GetRequest,
  signal: AbortSignal,
): Promise<GetResponse> {
  const stream = asked.tls ? await startTls('site', connection, asked, signal) : connection;
  try {
    return await exchange(stream, asked, signal);
  } finally {
    stream.destroy();
    connection.destroy();
  }
}

async function exchange(stream: Duplex, asked: GetRequest, signal: AbortSignal): Promise<GetResponse> {
  const { host, port, tls, path, headers } = asked;
  const name = host.includes(':') ? `[${host}]` : host;
  const sent = request({
    method: 'GET',
    path,
    headers: {
      host: port === (tls ? 443 : 80) ? name : `${name}:${port}`,
      'user-agent': USER_AGENT,
      accept: 'text/html,*/*;q=0.8',
      connection: 'close',
      ...headers,
    },
    maxHeaderSize: 32_768,
    // Any `agent`, even `false`, would open a new connection that bypasses the dialer's rules.
    createConnection: () => stream,
    signal,
  });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    // For an unsolicited 101, Node emits `upgrade` but neither `response` nor `error`.
    sent.once('upgrade', (_, socket) => {
      socket.destroy();
      reject(failure(signal));
    });
    sent.once('close', () => reject(failure(signal)));
    sent.on('error', () => reject(failure(signal)));
    sent.end();
  });
  const read = await readBody(response, asked, signal);
  // Node types `authorizationError` as an Error. At run time its value is a code, an Error, or null.
  const fault: unknown = stream instanceof TLSSocket ? stream.authorizationError : null;
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    ...read,
    certificateFault: faultCode(fault),
  };
}

/** Reads a body that may be endless, up to the limit. */
async function readBody(
  response: IncomingMessage,
  { bodyLimit, cut = false }: Pick<GetRequest, 'bodyLimit' | 'cut'>,
  signal: AbortSignal,
): Promise<Pick<GetResponse, 'body' | 'broken'>> {
  // Without this listener, an error after the head would be uncaught if the body is not read.
  response.on('error', () => {});
  let body = '';
  if (bodyLimit === 0) return { body, broken: false };
  try {
    for await (const chunk of response.setEncoding('latin1')) {
      body += String(chunk);
      if (body.length <= bodyLimit) continue;
      if (!cut) throw new ConnectError('site', 'broken_off');
      return { body: body.slice(0, bodyLimit), broken: false };
    }
  } catch (error) {
    if (cut) return { body, broken: true };
    throw error instanceof ConnectError ? error : failure(signal);
  }
  return { body, broken: false };
}

function faultCode(fault: unknown): string | null {
  if (typeof fault === 'string') return fault;
  if (!(fault instanceof Error)) return null;
  return 'code' in fault ? String(fault.code) : fault.message;
}

function failure(signal: AbortSignal): unknown {
  return signal.aborted ? signal.reason : new ConnectError('site', 'broken_off');
}
