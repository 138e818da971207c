import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { HeadSplitter } from './head-splitter.ts';

/**
 * Hands Node's HTTP parser one request of a connection at a time.
 *
 *   socket ── bytes ──> PipelineQueue ── one request ──> Node's parser ──> handler
 *                            │ further bytes wait here, and the socket is paused
 *                            └── next request, once the response is flushed
 *
 * Node alone parses every request of a chunk before it pauses the socket, and starts a handler for each. A client that
 * pipelines (RFC 9112 section 9.3.2) and never reads would fill the heap: 65 KB of requests for a document of 400 KB held
 * 600 MB.
 */

const SWEEP_MS = 5_000;
/** A half-closed connection is destroyed after this time, even without its response. */
const HALF_CLOSED_MS = 30_000;
/** How long a client may go on to send a request body after the response, in milliseconds. */
const REST_MS = 30_000;

const nothing = Buffer.alloc(0);

type Listener = (...args: unknown[]) => void;

/** Bytes that the connections of a server hold. */
export interface WaitingBytes {
  /** Bytes that were received from clients and are not parsed yet. */
  readonly in: number;
  /** Written to clients and not yet in the kernel's buffer. */
  readonly out: number;
}

export interface ServeOptions {
  /** Bytes already read from the socket. */
  readonly first?: Buffer;
  /** Whether a client that half-closes the connection still receives its responses. */
  readonly answersHalfClosed?: boolean;
  /** Adds bytes of an incomplete request head; a negative number removes them. @returns false when the limit is exceeded */
  readonly countHead?: (bytes: number) => boolean;
}

export class PipelineQueue {
  readonly #socket: Socket;
  /** Node's listener for 'data': it feeds the parser. */
  readonly #parse: Listener;
  readonly #splitter = new HeadSplitter();
  /** Received and not parsed: at most one socket read, 64 KiB. Node may hold a second read. */
  #held: Buffer = nothing;
  #request: IncomingMessage | null = null;
  #response: ServerResponse | null = null;
  /** This queue paused the socket and resumes it after the response. */
  #waiting = false;
  /** The bytes of this connection that the counter `pipelined` includes. */
  #counted = 0;
  #feeding = false;
  #detached = false;
  #deadlineSet = false;
  /** Node's listeners for 'end', postponed until the response of a half-closed connection is sent. */
  #lateEnd: Listener[] | null = null;
  #halfClosed: NodeJS.Timeout | undefined;
  #rest: NodeJS.Timeout | undefined;

  readonly #countHead: (bytes: number) => boolean;
  /** The bytes of the current head while it is not complete. */
  #head = 0;

  /** @param listen attaches Node's HTTP server to the socket */
  constructor(
    socket: Socket,
    listen: () => void,
    { first = nothing, answersHalfClosed = false, countHead = () => true }: ServeOptions,
  ) {
    this.#socket = socket;
    const [data, end] = [socket.listeners('data'), socket.listeners('end')];
    listen();
    const parse = socket.listeners('data').find((listener) => !data.includes(listener)) as Listener;
    this.#parse = parse;
    this.#countHead = countHead;
    // Add before remove: a socket that loses its last 'data' listener stops flowing.
    socket.on('data', this.#onData).off('data', parse);
    socket.on('resume', this.#feed).once('close', this.#onClose);
    this.#held = first;
    if (!answersHalfClosed) return;
    this.#lateEnd = (socket.listeners('end') as Listener[]).filter((listener) => !end.includes(listener));
    for (const listener of this.#lateEnd) socket.off('end', listener);
    if (socket.readableEnded) this.#onEnd();
    else socket.once('end', this.#onEnd);
  }

  /** The current response, or the last one. */
  get response(): ServerResponse | null {
    return this.#response;
  }

  /** Bytes received and not parsed. */
  get held(): number {
    return this.#held.length;
  }

  /** Called for each parsed request, with its response. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#forgetHead();
    this.#request = request;
    this.#response = response;
    this.#splitter.expectBody(request.headers);
    response.once('close', this.#onResponseClose);
  }

  /**
   * Lets the client send the rest of a request body after the response. Closing a socket with unread data sends a reset, and the
   * client could lose the response (RFC 9112 section 9.6).
   */
  acceptRest(request: IncomingMessage): void {
    const socket = this.#socket;
    // Node calls this method to close the socket. After end() this queue discards what arrives.
    socket.destroySoon = () => {
      if (request.complete) return Socket.prototype.destroySoon.call(socket);
      socket.end();
      request.resume();
    };
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => request.complete || socket.destroy(), REST_MS);
  }

  /** Hands the socket to another reader. @returns the unparsed bytes */
  detach(): Buffer {
    this.#detached = true;
    this.#forgetHead();
    clearTimeout(this.#halfClosed);
    this.#socket.off('data', this.#onData).off('resume', this.#feed).off('end', this.#onEnd);
    const rest = this.#held;
    this.#held = nothing;
    return rest;
  }

  /** Parses the next request, after the previous response. */
  proceed(): void {
    this.#waiting = false;
    this.#count(0);
    if (!this.#socket.destroyed) this.#socket.resume();
  }

  /** Starts or clears the deadline of a client that does not read its response. */
  sweep(stalledMs: number): void {
    const stalls = this.#busy() && this.#socket.writableLength > 0;
    if (stalls === this.#deadlineSet) return;
    this.#deadlineSet = stalls;
    // The kernel taking bytes restarts this timeout. Node's HTTP server destroys the socket when it fires: after up to twice
    // the time, since the first firing only records how many bytes wait.
    this.#socket.setTimeout(stalls ? stalledMs : 0);
  }

  #count(bytes: number): void {
    pipelined += bytes - this.#counted;
    this.#counted = bytes;
  }

  #busy(): boolean {
    return this.#response !== null && !this.#response.closed;
  }

  readonly #onData = (bytes: Buffer): void => {
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    this.#feed();
  };

  readonly #feed = (): void => {
    // Reentrant: Node's parser may resume the socket from within #parse.
    if (this.#feeding) return;
    this.#feeding = true;
    try {
      while (this.#held.length > 0 && this.#mayParse()) {
        const piece = this.#splitter.next(this.#held);
        this.#held = this.#held.subarray(piece.length);
        const last = this.#request;
        const isBody = last?.complete === false;
        this.#parse(piece);
        if (!this.#detached && !isBody && this.#request === last) this.#holdHead(piece.length);
      }
    } finally {
      this.#feeding = false;
    }
  };

  #holdHead(bytes: number): void {
    this.#head += bytes;
    if (!this.#countHead(bytes)) this.#socket.destroy();
  }

  #forgetHead(): void {
    if (this.#head > 0) this.#countHead(-this.#head);
    this.#head = 0;
  }

  #mayParse(): boolean {
    const socket = this.#socket;
    if (this.#detached) return false;
    if (socket.destroyed || socket.writableEnded) {
      this.#held = nothing;
      return false;
    }
    if (this.#busy() && this.#request?.complete === true) {
      this.#waiting = true;
      socket.pause();
      this.#count(this.#held.length);
      // Only pipelining clients reach this line: others have nothing in #held.
      if (pipelined > PIPELINED_BYTES) socket.destroy();
      return false;
    }
    // Node pauses the socket while the handler does not read the body, or while its own response buffer is full.
    return !socket.isPaused() && !isPausedByNode(socket);
  }

  readonly #onResponseClose = (): void => {
    this.#deadlineSet = false;
    if (this.#waiting && !this.#socket.destroyed) schedule(this);
    if (this.#halfClosed !== undefined && this.#held.length === 0) this.#end();
  };

  readonly #onEnd = (): void => {
    if (!this.#busy() && this.#held.length === 0) return this.#end();
    this.#halfClosed = setTimeout(() => this.#socket.destroy(), HALF_CLOSED_MS);
  };

  #end(): void {
    clearTimeout(this.#halfClosed);
    this.#halfClosed = undefined;
    for (const listener of this.#lateEnd ?? []) listener.call(this.#socket);
  }

  readonly #onClose = (): void => {
    clearTimeout(this.#halfClosed);
    clearTimeout(this.#rest);
    this.#forgetHead();
    this.#held = nothing;
    this.#count(0);
  };
}

/**
 * Limit of waiting pipelined bytes over all connections of the process. A connection that exceeds it is closed. Node's own
 * socket buffers hold as much again.
 */
const PIPELINED_BYTES = 16 * 1024 * 1024;
let pipelined = 0;

/** Pipelined requests parsed in one iteration of the event loop, over all connections. */
const REQUESTS_PER_TICK = 2;

/** Connections that wait to parse their next request, each at most once. */
// Grows with pipelined requests of clients. Bound: SOCKETS connections, 8 bytes each. At the bound: further connections are reset
const backlog: PipelineQueue[] = [];

/**
 * Schedules a connection's next request. Most responses are flushed synchronously: without this queue one chunk of pipelined
 * requests would run all its handlers before any other client is served.
 */
function schedule(queue: PipelineQueue): void {
  backlog.push(queue);
  if (backlog.length === 1) setImmediate(runScheduled);
}

function runScheduled(): void {
  for (const queue of backlog.splice(0, REQUESTS_PER_TICK)) queue.proceed();
  if (backlog.length > 0) setImmediate(runScheduled);
}

/** Node's parser asserts that it receives no byte while it has set this flag. */
function isPausedByNode(socket: Socket): boolean {
  return (socket as Socket & { _paused?: boolean })._paused === true;
}

/** The queues of one server's connections. */
export interface PipelineQueues {
  /** Attaches the HTTP server to a connection and resumes it. @returns null when it is destroyed already */
  serve(socket: Duplex, options?: ServeOptions): PipelineQueue | null;
  waiting(): WaitingBytes;
}

const queues = new WeakMap<Duplex, PipelineQueue>();

/** For `createServer({ ServerResponse: TrackedResponse })`: reports each response to its connection's queue. */
export class TrackedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  constructor(request: Request, ...options: []) {
    super(request, ...options);
    queues.get(request.socket)?.begin(request, this);
  }

  /** Called by Node after the last byte of each response, and before Node closes the socket. */
  override detachSocket(socket: Socket): void {
    super.detachSocket(socket);
    if (!this.req.complete) queues.get(socket)?.acceptRest(this.req);
  }
}

/**
 * Puts a queue before the parser of every connection of a server. Call it before the server listens.
 * @param server made with TrackedResponse
 * @param stalledMs a client is disconnected when the kernel takes no byte of its response for this time, and at most twice this
 *   time. A slow reader takes bytes in bursts: the kernel's buffer may hide it for a minute
 * @param ready the event that announces a readable socket
 */
export function queuePipelines(
  server: Server | NetServer,
  stalledMs: number,
  ready: 'connection' | 'secureConnection' = 'connection',
): PipelineQueues {
  const listeners = server.listeners(ready);
  server.removeAllListeners(ready);
  // Grows with connections of clients. Bound: SOCKETS connections. At the bound: further connections are reset
  const open = new Map<Socket, PipelineQueue>();
  const sweeper = setInterval(() => {
    for (const queue of open.values()) queue.sweep(stalledMs);
  }, SWEEP_MS);
  sweeper.unref();
  server.once('close', () => clearInterval(sweeper));

  return {
    serve(duplex, options = {}) {
      const socket = duplex as Socket;
      // A destroyed socket may have emitted 'close' already: nothing would remove it from `open`.
      if (socket.destroyed) return null;
      const listen = () => {
        for (const listener of listeners) listener.call(server, socket);
      };
      const queue = new PipelineQueue(socket, listen, options);
      queues.set(socket, queue);
      open.set(socket, queue);
      socket.once('close', () => open.delete(socket));
      socket.resume();
      return queue;
    },
    waiting() {
      let [received, written] = [0, 0];
      for (const [socket, { held }] of open) {
        received += held;
        written += socket.writableLength;
      }
      return { in: received, out: written };
    },
  };
}
