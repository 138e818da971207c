import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Dial } from '@propusk/dial/dial';
import type { Client, Dispatcher } from 'undici';
import { type ActiveRequest, clientLeft } from './active-requests.ts';
import { valueOf } from './headers.ts';
import { connectNextHop } from './origin-connect.ts';
import {
  answer,
  HEAD_MOST,
  IDLE_MS,
  type OriginRequest,
  originKey,
  refusalOf,
  unreadable,
} from './origin-request.ts';
import { ProxyError } from './proxy-error.ts';
import { exceedsReadBudget } from './read-budget.ts';

/**
 * Requests that only read: GET and HEAD without a body, nearly all that browsers send. They go onward by undici, whose
 * parser is Node's own and strict too, and who takes a third of the time that node:http's client does (decision 016).
 * What it cannot do, wait with a body until it is wanted, such requests do not need.
 */

/** Connections onward that are kept for one client connection. */
const KEPT_MOST = 4;
const KEPT_MS = 60_000;
/** How long before the time that a site says it is closed. */
const EARLIER_MS = 500;
const PHRASE_MOST = 1_024;
/** Answers before the answer (RFC 9110 section 15.2). */
const EARLY_MOST = 16;

/** A connection onward: open, or opened anew when it is needed. */
interface OriginConnection {
  readonly client: Client;
  socket: Socket | null;
  /** Nothing was asked on it yet. */
  fresh: boolean;
  /** For whom it would be opened. */
  active: ActiveRequest;
  dropped: boolean;
  /** Ends it, whatever goes on there. */
  drop(): void;
}

/** Loaded with the first request that needs it: loading takes ten times as long as the gateway's start. */
let undici: Promise<typeof import('undici')> | undefined;

/** The connections to origins that one client connection keeps. */
export class UndiciPool {
  readonly #dial: Dial;
  // grows: by users, by origins that they read from; bound: 4 origins for each connection of a client; at the
  // bound: the oldest connection to an origin is closed; test: apps/gateway/src/origin-undici.net.test.ts
  readonly #kept = new Map<string, OriginConnection>();
  #closed = false;

  constructor(dial: Dial) {
    this.#dial = dial;
  }

  /** The connection for a request, perhaps not open yet. */
  async get(active: ActiveRequest): Promise<OriginConnection> {
    const key = originKey(active);
    const known = this.#kept.get(key);
    if (known !== undefined && !known.dropped) {
      known.active = active;
      return known;
    }
    undici ??= import('undici');
    const { Client } = await undici;
    const made = open(Client, this.#dial, active);
    // The client may have disconnected during the import.
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
 * Sends a request without a body and its response back.
 * @param via this gateway's name in Via
 * @throws ProxyError while nothing of the response is sent
 */
export async function sendByUndici(
  pool: UndiciPool,
  active: ActiveRequest,
  request: OriginRequest,
  client: Duplex,
  res: ServerResponse,
  via: string,
): Promise<void> {
  const connection = await pool.get(active);
  await new Promise<void>((resolve, reject) => {
    const end = (error?: Error) => (error === undefined ? resolve() : reject(error));
    new Exchange(connection, active, request, client, res, via, end).send();
  });
}

function open(Made: typeof Client, dial: Dial, first: ActiveRequest): OriginConnection {
  // The name is never looked up, nor sent: every request brings its own Host.
  const client = new Made('http://origin.invalid', {
    connect: (_options, done) => {
      connectNextHop(dial, connection.active).then(
        (socket) => {
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
    drop() {
      connection.dropped = true;
      client.destroy(null, () => {});
    },
  };
  return connection;
}

/** One request, its answer, and how they end: by the answer's end, a fault, an abort, or because the client has left. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #connection: OriginConnection;
  readonly #active: ActiveRequest;
  readonly #request: OriginRequest;
  readonly #client: Duplex;
  readonly #res: ServerResponse;
  readonly #via: string;
  readonly #end: (refusal?: Error) => void;
  /** Null until the request is on its way. */
  #controller: Dispatcher.DispatchController | null = null;
  /** What it stands at: nothing has come, the client's answer has begun, the whole of it has come, it is over. */
  #at: 'asked' | 'begun' | 'whole' | 'over' = 'asked';
  #early = 0;
  /** Something of an answer has come. */
  #told = false;
  #reused = false;
  #repeated = false;
  /** What the site said of the body, and what came of it. */
  #length = '';
  #came = 0;
  #stalled: NodeJS.Timeout | undefined;

  constructor(
    connection: OriginConnection,
    active: ActiveRequest,
    request: OriginRequest,
    client: Duplex,
    res: ServerResponse,
    via: string,
    end: (refusal?: Error) => void,
  ) {
    this.#connection = connection;
    this.#active = active;
    this.#request = request;
    this.#client = client;
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
    // By itself undici has the site close behind every HEAD.
    this.#connection.client.dispatch({ ...this.#request, reset: false }, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#reused = !this.#connection.fresh;
    this.#connection.fresh = false;
    if (this.#at === 'over') controller.abort(clientLeft);
  }

  onResponseStarted(): void {
    this.#told = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    phrase = '',
  ): void {
    if (status >= 100 && status < 200 && ++this.#early <= EARLY_MOST) return;
    if (status < 200) return controller.abort(unreadable(this.#active));
    const rawHeaders = (controller.rawHeaders as Buffer[]).map(text);
    this.#length = valueOf(rawHeaders, 'content-length') ?? '';
    const reply = { status, phrase: asWritten(status, phrase), rawHeaders };
    const refusal = answer(reply, this.#res, this.#active, this.#via);
    if (refusal !== null) return controller.abort(refusal);
    this.#at = 'begun';
    // Each is followed by 'close'.
    this.#res.on('error', () => {}).once('close', this.#onClosed);
    if (this.#res.closed) this.#onClosed();
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    this.#came += bytes.length;
    if (controller.paused) return void this.#res.write(bytes);
    if (this.#res.write(bytes)) {
      if (!exceedsReadBudget(bytes.length)) return;
      controller.pause();
      setImmediate(() => controller.resume());
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
    // A connection that was reset is no end of a body that ends with its connection.
    if (this.#connection.socket?.errored) this.#cut();
    else this.#whole();
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#at === 'begun') {
      // It takes white space behind a length for a part of it, and has given the whole body by then.
      const miscounted = error.name === 'ResponseContentLengthMismatchError';
      if (miscounted && this.#length === String(this.#came)) this.#whole();
      // That it broke off can only be told by a cut.
      else this.#cut();
    }
    if (this.#at !== 'asked') return;
    // A kept connection may be closed by the other side just as it is used again (RFC 9112 section 9.3.1).
    if (this.#reused && !this.#repeated && !this.#told && isBreak(error)) {
      this.#repeated = true;
      this.#controller = null;
      // Not at once: undici is still clearing up behind the connection, and holds that nothing is asked meanwhile.
      setImmediate(() => this.#at === 'asked' && this.#dispatch());
      return;
    }
    this.#settle(this.#refusalOf(error));
  }

  #whole(): void {
    this.#at = 'whole';
    clearTimeout(this.#stalled);
    this.#res.end();
  }

  /**
   * Ends the client's connection, and not its answer alone: one that stands behind others has no connection yet, and would be sent,
   * as far as it came, when its turn comes.
   */
  readonly #cut = (): void => {
    this.#client.destroy();
    this.#settle();
    this.#controller?.abort(clientLeft);
  };

  readonly #onAbort = (): void => {
    if (this.#at !== 'asked') return this.#cut();
    const { reason = clientLeft } = this.#active.signal;
    this.#settle(reason);
    this.#controller?.abort(reason);
  };

  readonly #onClosed = (): void => {
    const whole = this.#at === 'whole';
    this.#settle();
    if (!whole) this.#controller?.abort(clientLeft);
  };

  #settle(refusal?: Error): void {
    if (this.#at === 'over') return;
    this.#at = 'over';
    clearTimeout(this.#stalled);
    this.#active.signal.removeEventListener('abort', this.#onAbort);
    // Whoever asks next must not wait for a connection that is opened in this one's name, nor behind this one.
    if (this.#controller === null) this.#connection.drop();
    this.#end(refusal);
  }

  #refusalOf(error: Error): Error {
    if (error.name === 'HeadersTimeoutError') return refusalOf(new ProxyError('timeout'), this.#active);
    return refusalOf(breaksRules(error) ? unreadable(this.#active) : error, this.#active);
  }
}

/** The connection broke, and nothing else went wrong. */
function isBreak(error: Error): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return /^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/.test(code) && !breaksRules(error);
}

/** undici's words for what is not HTTP, and for an answer in a place where none may be: unasked for, or a 100 or 101. */
function breaksRules({ name, message }: Error): boolean {
  return rules.has(name) || /^bad (?:response|upgrade)$/.test(message);
}

const rules = new Set(['HTTPParserError', 'HeadersOverflowError', 'ResponseContentLengthMismatchError']);

/** A name or value, without the white space behind it, which is no part of one (RFC 9112 section 5). */
function text(bytes: Buffer): string {
  let end = bytes.length;
  while (end > 0 && (bytes[end - 1] === 0x20 || bytes[end - 1] === 0x09)) end--;
  return bytes.toString('latin1', 0, end);
}

/** A phrase that undici has read as UTF-8, in bytes again. What it cannot be read as gives way to the usual one. */
function asWritten(status: number, phrase: string): string {
  if (phrase.length > PHRASE_MOST || phrase.includes('\ufffd')) return STATUS_CODES[status] ?? '';
  return Buffer.from(phrase).toString('latin1');
}
