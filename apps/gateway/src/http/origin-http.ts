import {
  Agent,
  type ClientRequest,
  type ClientRequestArgs,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Dial } from '@propusk/dial/dial';
import type { ActiveRequest } from '../policy/active-requests.ts';
import { ProxyError } from '../proxy-error.ts';
import { connectNextHop } from '../tunnel/origin-connect.ts';
import { atNextTurn, ReadShare } from '../tunnel/read-share.ts';
import { hasBody } from './headers.ts';
import {
  answer,
  answerEarly,
  EARLY_MOST,
  HEAD_MOST,
  IDLE_MS,
  type OriginRequest,
  originKey,
  refusalOf,
  unreadable,
} from './origin-request.ts';
import type { KeptConnections } from './origin-undici.ts';

/** Requests with a body or a side effect, sent by node:http and never twice. */

interface OriginConnection extends ClientRequestArgs {
  active: ActiveRequest;
}

/** How long an origin connection waits for the next request of a login, in milliseconds. */
const LOGIN_MS = 10_000;

/**
 * The origin connections of one client connection. A connection closes after its response: a request that is never repeated must not
 * be sent on a connection that the site may be closing. After a response that asks for NTLM or Negotiate the connection stays open,
 * because that login needs several requests on one connection (RFC 4559 section 6).
 */
export class OriginAgent extends Agent {
  readonly #dial: Dial;
  readonly #all: KeptConnections;
  #login: Duplex | null = null;

  constructor(dial: Dial, all: KeptConnections) {
    super({ keepAlive: true, maxFreeSockets: 1 });
    this.#dial = dial;
    this.#all = all;
  }

  /** Keeps the connection of a response that continues a login, and closes the connection that was kept before. */
  responded({ socket, statusCode, headers }: IncomingMessage): void {
    const continues = statusCode === 401 && /\b(?:ntlm|negotiate)\b/i.test(headers['www-authenticate'] ?? '');
    if (this.#login !== socket) this.#login?.destroy();
    this.#login = continues ? socket : null;
  }

  /** Whether the connection stays open for the next request of an NTLM or Negotiate login, after the response has ended. */
  continues({ socket, shouldKeepAlive }: ClientRequest): boolean {
    return shouldKeepAlive && socket !== null && socket === this.#login && !socket.destroyed;
  }

  override keepSocketAlive(socket: Duplex): void {
    const kept = socket === this.#login && this.#all.open <= this.#all.most;
    if (kept) (socket as Socket).setTimeout(LOGIN_MS);
    // Node closes the connection if this method returns `false`. The types of Node do not declare the result.
    return kept as unknown as undefined;
  }

  override createConnection(
    options: OriginConnection,
    done: (error: Error | null, socket?: Duplex) => void,
  ): undefined {
    connectNextHop(this.#dial, options.active).then(
      (socket) => {
        this.#all.open += 1;
        readsAfterBrokenWrite(socket);
        socket.once('close', () => (this.#all.open -= 1));
        done(null, socket);
      },
      (error: Error) => done(error),
    );
  }

  override getName(options?: Partial<OriginConnection>): string {
    return options?.active === undefined ? '' : originKey(options.active);
  }
}

/** Origin connections on which a write failed with ECONNRESET. A later read reports a normal end instead of the reset. */
// Grows with origin connections. Bound: the open connections. At the bound: the garbage collector removes an entry with its
// socket
const reset = new WeakSet<Socket>();

/**
 * Keeps a socket readable after a failed write. A site may answer before it has read the body, and close (RFC 9112 section 9.3):
 * its response is in the receive buffer when the next write fails.
 */
function readsAfterBrokenWrite(socket: Socket): void {
  for (const name of ['_write', '_writev'] as const) {
    const write = socket[name]?.bind(socket) as ((...args: unknown[]) => void) | undefined;
    if (write === undefined) continue;
    socket[name] = (...args: unknown[]) => {
      const done = args.pop() as (error?: NodeJS.ErrnoException | null) => void;
      write(...args, (error?: NodeJS.ErrnoException | null) => {
        if (error?.code === 'ECONNRESET') reset.add(socket);
        done(error?.code === 'EPIPE' || error?.code === 'ECONNRESET' ? null : error);
      });
    };
  }
}

/**
 * Sends a request to its origin, and the response to the client.
 * @param via this gateway's name in Via
 * @throws ProxyError while nothing of the response is sent
 */
export function sendByHttp(
  agent: OriginAgent,
  active: ActiveRequest,
  { method, path, headers }: OriginRequest,
  req: IncomingMessage,
  res: ServerResponse,
  via: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const { signal } = active;
    const options: OriginConnection = {
      method,
      path,
      headers,
      agent,
      active,
      maxHeaderSize: HEAD_MOST,
    };
    const origin: ClientRequest = request(options);
    let current: ClientRequest | IncomingMessage = origin;
    let early = 0;
    const onAbort = () => {
      current.destroy(signal.reason);
      // Ending the response alone would make the part already sent look complete.
      if (res.headersSent) req.socket.destroy();
    };
    signal.addEventListener('abort', onAbort);
    // Node would wait for the end of the request before it closes the connection.
    const abandon = () => {
      origin.destroy();
      req.unpipe().resume();
    };
    const end = (error?: Error) => {
      const continues = agent.continues(origin) && !req.socket.writableEnded;
      // The site needs the rest of the body before it reads the next request of the login.
      if (continues && !req.complete) {
        origin.socket?.once('end', abandon).once('close', () => end());
        return void req.once('end', () => end());
      }
      signal.removeEventListener('abort', onAbort);
      if (!origin.writableFinished && !continues) abandon();
      if (error === undefined) resolve();
      else reject(error);
    };
    origin.setTimeout(IDLE_MS, () => origin.destroy(new ProxyError('timeout')));
    origin.on('error', (error) => {
      if (current === origin) end(refusalOf(error, active));
    });
    origin.once('response', (reply) => {
      current = reply;
      agent.responded(reply);
      const { statusCode: status = 502, statusMessage: phrase = '', rawHeaders } = reply;
      const refusal =
        early > EARLY_MOST ? unreadable(active) : answer({ status, phrase, rawHeaders }, res, active, via);
      if (refusal === null) return relay(reply, req.socket, res, end);
      reply.destroy();
      end(refusal);
    });
    // A site may answer 101 although the gateway did not ask to upgrade. Without this listener Node would wait for ever.
    origin.once('upgrade', (_reply, socket) => {
      socket.destroy();
      end(unreadable(active));
    });
    origin.on('information', ({ statusCode, rawHeaders }) => {
      if (++early > EARLY_MOST) origin.destroy(unreadable(active));
      else answerEarly(statusCode, rawHeaders, req, res, via);
    });
    if (hasBody(req.headers)) {
      origin.flushHeaders();
      req.pipe(origin);
    } else origin.end();
  });
}

/**
 * Relays the response's body. A body that breaks off breaks the client's connection, so that it cannot look complete. Not
 * `pipeline`, which costs a sixth of a short request.
 */
function relay(reply: IncomingMessage, client: Duplex, res: ServerResponse, end: () => void): void {
  if (res.closed) {
    reply.destroy();
    return end();
  }
  // Every 'error' is followed by 'close'.
  reply.on('error', () => {});
  res.on('error', () => {});
  const cut = () => {
    client.destroy();
    res.destroy();
  };
  reply.once('close', () => reply.complete || cut());
  reply.once('end', () => (endsWithReset(reply) ? cut() : res.end()));
  res.once('close', () => {
    if (!reply.readableEnded) reply.destroy();
    end();
  });
  const share = new ReadShare();
  reply.on('data', (bytes: Buffer) => {
    if (!share.exceeded(bytes.length)) return;
    reply.pause();
    // When the client's buffer is full, `pipe` itself resumes the response after 'drain'.
    atNextTurn(() => res.writableNeedDrain || reply.resume());
  });
  reply.pipe(res, { end: false });
}

/** Whether a reset ended a body that is delimited by the connection's end (RFC 9112 section 8). */
function endsWithReset({ headers, socket, statusCode }: IncomingMessage): boolean {
  const isDelimited = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (isDelimited || statusCode === 204 || statusCode === 304) return false;
  return socket.errored !== null || reset.has(socket);
}
