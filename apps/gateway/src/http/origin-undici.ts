import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Dial } from '@propusk/dial/dial';
import type { Client, Dispatcher } from 'undici';
import { type ActiveRequest, clientLeft } from '../policy/active-requests.ts';
import { ProxyError } from '../proxy-error.ts';
import { connectNextHop } from '../tunnel/origin-connect.ts';
import { atNextTurn, ReadShare } from '../tunnel/read-share.ts';
import { valueOf } from './headers.ts';
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

/**
 * GET and HEAD without a body, nearly all requests of browsers, sent by undici. Its parser is llhttp, strict as in Node, and it
 * takes a third of the time of node:http's client (decision 016). It cannot send `Expect: 100-continue`, which needs a body.
 */

/** The most origin connections of one client connection. */
const KEPT_MOST = 4;
const KEPT_MS = 10_000;
/** The gateway closes an idle connection this many ms before the timeout in the site's Keep-Alive header. */
const EARLIER_MS = 500;
const PHRASE_MOST = 1_024;

/** An origin connection; undici opens it again when it is closed. */
interface OriginConnection {
  readonly client: Client;
  socket: Socket | null;
  /** Whether no request has been sent on this connection. */
  fresh: boolean;
  /** The request that the connection is opened for. */
  active: ActiveRequest;
  dropped: boolean;
  /** Destroys an idle connection when the process holds too many. */
  dropIfMany(): void;
  /** Destroys the connection, with any request in progress. */
  drop(): void;
}

/** Imported at the first request that needs undici: the import takes ten times as long as the rest of the gateway's start. */
let undici: Promise<typeof import('undici')> | undefined;
/**
 * During an update, while the old process still serves, the new one imports undici before it accepts connections: the import
 * blocks the event loop for 50 ms.
 */
export const loadUndici = (): Promise<typeof import('undici')> => (undici ??= import('undici'));

/** The origin connections that the pools of one process hold open. */
export interface KeptConnections {
  open: number;
  /** Beyond this number a connection closes after its response. */
  readonly most: number;
}

/** The connections to origins that one client connection keeps. */
export class UndiciPool {
  readonly #dial: Dial;
  readonly #all: KeptConnections;
  // Grows with the origins of users' requests. Bound: 4 origin connections for each client connection. At the bound: the
  // oldest one is closed
  readonly #kept = new Map<string, OriginConnection>();
  #closed = false;

  constructor(dial: Dial, all: KeptConnections) {
    this.#dial = dial;
    this.#all = all;
  }

  /** The connection for a request, perhaps not open yet. */
  async get(active: ActiveRequest): Promise<OriginConnection> {
    const key = originKey(active);
    const known = this.#kept.get(key);
    if (known !== undefined && !known.dropped) {
      known.active = active;
      return known;
    }
    const { Client } = await loadUndici();
    const made = open(Client, this.#dial, active, this.#all);
    // The client may have disconnected while undici was imported.
    if (this.#closed) made.drop();
    for (const [oldest, connection] of this.#kept) {
      if (this.#kept.size < KEPT_MOST) break;
      this.#kept.delete(oldest);
      connection.drop();
    }
    this.#kept.set(key, made);
    return made;
  }

  close(): void {
    this.#closed = true;
    for (const connection of this.#kept.values()) connection.drop();
  }
}

/**
 * Sends a request without a body to its origin, and the response to the client.
 * @param via this gateway's name in Via
 * @returns false for a response that begins with 100 Continue, which undici refuses: the request must be sent again
 * @throws ProxyError while nothing of the response is sent
 */
export async function sendByUndici(
  pool: UndiciPool,
  active: ActiveRequest,
  request: OriginRequest,
  req: IncomingMessage,
  res: ServerResponse,
  via: string,
): Promise<boolean> {
  const connection = await pool.get(active);
  return new Promise((resolve, reject) => {
    const end = (error?: Error) =>
      error === undefined || error === continued ? resolve(error === undefined) : reject(error);
    new Exchange(connection, active, request, req, res, via, end).send();
  });
}

/** The outcome of a response that begins with 100 Continue. */
const continued = new Error('100 Continue');

function open(Made: typeof Client, dial: Dial, first: ActiveRequest, all: KeptConnections): OriginConnection {
  // undici neither resolves nor sends this name: connect() dials, and every request has its own Host.
  const client = new Made('http://origin.invalid', {
    connect: (_options, done) => {
      connectNextHop(dial, connection.active).then(
        (socket) => {
          all.open += 1;
          socket.once('close', () => (all.open -= 1));
          connection.socket = socket;
          connection.fresh = true;
          done(null, socket);
        },
        (error: Error) => done(error, null),
      );
    },
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: HEAD_MOST,
    headersTimeout: IDLE_MS,
    bodyTimeout: IDLE_MS,
    keepAliveTimeout: KEPT_MS,
    keepAliveMaxTimeout: KEPT_MS,
    keepAliveTimeoutThreshold: EARLIER_MS,
  });
  const connection: OriginConnection = {
    client,
    socket: null,
    fresh: true,
    active: first,
    dropped: false,
    dropIfMany() {
      if (all.open > all.most) connection.drop();
    },
    drop() {
      connection.dropped = true;
      client.destroy(null, () => {});
    },
  };
  return connection;
}

/** One request and its response. It ends with the response, an error, an abort, or the client's connection. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #connection: OriginConnection;
  readonly #active: ActiveRequest;
  readonly #request: OriginRequest;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #via: string;
  readonly #end: (refusal?: Error) => void;
  /** Null until undici sends the request. */
  #controller: Dispatcher.DispatchController | null = null;
  /** `waiting` for the head, `begun` to answer the client, `complete` from the origin, `over`. */
  #state: 'waiting' | 'begun' | 'complete' | 'over' = 'waiting';
  #early = 0;
  /** The first byte of a response arrived. */
  #answered = false;
  #reused = false;
  #repeated = false;
  /** The body's Content-Length as sent, and the bytes received. */
  #length = '';
  #came = 0;
  #stalled: NodeJS.Timeout | undefined;
  readonly #share = new ReadShare();

  constructor(
    connection: OriginConnection,
    active: ActiveRequest,
    request: OriginRequest,
    req: IncomingMessage,
    res: ServerResponse,
    via: string,
    end: (refusal?: Error) => void,
  ) {
    this.#connection = connection;
    this.#active = active;
    this.#request = request;
    this.#req = req;
    this.#res = res;
    this.#via = via;
    this.#end = end;
  }

  send(): void {
    const { signal } = this.#active;
    if (signal.reason !== undefined) return this.#settle(signal.reason);
    signal.addEventListener('abort', this.#onAbort);
    this.#reused = !this.#connection.fresh;
    this.#dispatch();
  }

  #dispatch(): void {
    // Without `reset: false` undici makes the site close the connection after every HEAD.
    this.#connection.client.dispatch({ ...this.#request, reset: false }, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#reused = !this.#connection.fresh;
    this.#connection.fresh = false;
    if (this.#state === 'over') controller.abort(clientLeft);
  }

  onResponseStarted(): void {
    this.#answered = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    phrase = '',
  ): void {
    const rawHeaders = (controller.rawHeaders as Buffer[]).map(text);
    if (status >= 100 && status < 200 && status !== 101 && ++this.#early <= EARLY_MOST)
      return answerEarly(status, rawHeaders, this.#req, this.#res, this.#via);
    this.#length = valueOf(rawHeaders, 'content-length') ?? '';
    const reply = { status, phrase: asWritten(status, phrase), rawHeaders };
    const refusal = answer(reply, this.#res, this.#active, this.#via);
    if (refusal !== null) return controller.abort(refusal);
    this.#state = 'begun';
    // Every 'error' is followed by 'close'.
    this.#res.on('error', () => {}).once('close', this.#onClosed);
    if (this.#res.closed) this.#onClosed();
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    this.#came += bytes.length;
    if (controller.paused) return void this.#res.write(bytes);
    if (this.#res.write(bytes)) {
      if (!this.#share.exceeded(bytes.length)) return;
      controller.pause();
      atNextTurn(() => controller.resume());
      return;
    }
    controller.pause();
    this.#stalled = setTimeout(this.#cut, IDLE_MS);
    this.#res.once('drain', () => {
      clearTimeout(this.#stalled);
      controller.resume();
    });
  }

  onResponseEnd(): void {
    // A reset must not count as the end of a body that is delimited by the connection's end.
    if (this.#connection.socket?.errored) this.#cut();
    else this.#complete();
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#state === 'begun') {
      // undici counts white space after the length as part of it, and reports a mismatch for a complete body.
      const miscounted = error.name === 'ResponseContentLengthMismatchError';
      if (miscounted && this.#length === String(this.#came)) this.#complete();
      // Only a broken connection marks the response as incomplete.
      else this.#cut();
    }
    if (this.#state !== 'waiting') return;
    if (error.message === 'bad response' && this.#early === 0) return this.#settle(continued);
    // The origin may close an idle connection just as we reuse it (RFC 9112 section 9.3.1).
    if (this.#reused && !this.#repeated && !this.#answered && isBreak(error)) {
      this.#repeated = true;
      this.#controller = null;
      // Deferred: undici asserts that no request is sent while it cleans up the connection.
      setImmediate(() => this.#state === 'waiting' && this.#dispatch());
      return;
    }
    this.#settle(this.#refusalOf(error));
  }

  #complete(): void {
    this.#state = 'complete';
    clearTimeout(this.#stalled);
    this.#res.end();
  }

  /** Destroys the client's connection: ending the response alone would make it look complete. */
  readonly #cut = (): void => {
    this.#req.socket.destroy();
    this.#settle();
    this.#controller?.abort(clientLeft);
  };

  readonly #onAbort = (): void => {
    if (this.#state !== 'waiting') return this.#cut();
    const { reason = clientLeft } = this.#active.signal;
    this.#settle(reason);
    this.#controller?.abort(reason);
  };

  readonly #onClosed = (): void => {
    const complete = this.#state === 'complete';
    this.#settle();
    if (!complete) this.#controller?.abort(clientLeft);
  };

  #settle(refusal?: Error): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    clearTimeout(this.#stalled);
    this.#active.signal.removeEventListener('abort', this.#onAbort);
    // The next request must not wait for a dial that belongs to this one.
    if (this.#controller === null) this.#connection.drop();
    else this.#connection.dropIfMany();
    this.#end(refusal);
  }

  #refusalOf(error: Error): Error {
    if (error.name === 'HeadersTimeoutError') return refusalOf(new ProxyError('timeout'), this.#active);
    return refusalOf(breaksRules(error) ? unreadable(this.#active) : error, this.#active);
  }
}

/** Whether an error is a broken connection, not invalid HTTP. */
function isBreak(error: Error): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return /^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/.test(code) && !breaksRules(error);
}

/** undici's errors for invalid HTTP and for a response that is not allowed there: unsolicited, 100 or 101. */
function breaksRules({ name, message }: Error): boolean {
  return rules.has(name) || /^bad (?:response|upgrade)$/.test(message);
}

const rules = new Set(['HTTPParserError', 'HeadersOverflowError', 'ResponseContentLengthMismatchError']);

/** A header's name or value without trailing white space (RFC 9112 section 5). */
function text(bytes: Buffer): string {
  let end = bytes.length;
  while (end > 0 && (bytes[end - 1] === 0x20 || bytes[end - 1] === 0x09)) end--;
  return bytes.toString('latin1', 0, end);
}

/** The reason phrase in its original bytes: undici decodes it as UTF-8. Falls back to the standard phrase. */
function asWritten(status: number, phrase: string): string {
  if (phrase.length > PHRASE_MOST || phrase.includes('\ufffd')) return STATUS_CODES[status] ?? '';
  return Buffer.from(phrase).toString('latin1');
}
