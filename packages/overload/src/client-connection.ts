import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { HeadSplitter } from './head-splitter.ts';

/**
 * One client connection of an HTTP/1.1 server: it hands the parser one request at a time.
 *
 *   socket ── bytes ──> ClientConnection ── one request ──> Node's parser ──> handler
 *                            │ the rest waits here, and the socket is paused
 *                            └── next request, once the response is flushed
 *
 * Node parses every request of a chunk before it pauses the socket, and starts a handler for each. A client that pipelines
 * (RFC 9112 section 9.3.2) and reads nothing would fill the heap: 65 KB of requests for a document of 400 KB held 600 MB.
 */

const SWEEP_MS = 5_000;
/** How long a client that half-closed its connection may wait for its response. */
const HALF_CLOSED_MS = 30_000;

const nothing = Buffer.alloc(0);

type Listener = (...args: unknown[]) => void;

/** What a server's connections hold, in bytes. */
export interface WaitingBytes {
  /** Received from clients, not parsed yet. */
  readonly in: number;
  /** Written for clients, not taken by them yet. */
  readonly out: number;
}

export interface ServeOptions {
  /** Bytes that were read from the socket before. */
  readonly first?: Buffer;
  /** Whether a client that ends its side of the connection gets the responses to its requests. */
  readonly answersHalfClosed?: boolean;
}

export class ClientConnection {
  readonly #socket: Socket;
  /** Node's own listener for 'data', which feeds the parser. */
  readonly #parse: Listener;
  readonly #splitter = new HeadSplitter();
  /** Received, and not parsed yet: at most one read of the socket, 64 KiB; Node may hold a second one. */
  #held: Buffer = nothing;
  #request: IncomingMessage | null = null;
  #response: ServerResponse | null = null;
  /** This object paused the socket, and resumes it after the response. */
  #waiting = false;
  /** The part of `pipelined` that this connection holds. */
  #counted = 0;
  #feeding = false;
  #detached = false;
  #deadlineSet = false;
  /** Node's own listeners for 'end', called late on a connection that may be half-closed. */
  #lateEnd: Listener[] | null = null;
  #halfClosed: NodeJS.Timeout | undefined;

  /** @param listen makes Node's HTTP server take the socket */
  constructor(
    socket: Socket,
    listen: () => void,
    { first = nothing, answersHalfClosed = false }: ServeOptions,
  ) {
    this.#socket = socket;
    const [data, end] = [socket.listeners('data'), socket.listeners('end')];
    listen();
    const parse = socket.listeners('data').find((listener) => !data.includes(listener)) as Listener;
    this.#parse = parse;
    // In this order: a socket whose last listener for data goes stops flowing.
    socket.on('data', this.#onData).off('data', parse);
    socket.on('resume', this.#feed).once('close', this.#onClose);
    this.#held = first;
    if (!answersHalfClosed) return;
    this.#lateEnd = (socket.listeners('end') as Listener[]).filter((listener) => !end.includes(listener));
    for (const listener of this.#lateEnd) socket.off('end', listener);
    if (socket.readableEnded) this.#onEnd();
    else socket.once('end', this.#onEnd);
  }

  /** The response that the client is being given, or was given last. */
  get response(): ServerResponse | null {
    return this.#response;
  }

  /** Bytes received and not parsed yet. */
  get held(): number {
    return this.#held.length;
  }

  /** A request was parsed, and its response begins. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#request = request;
    this.#response = response;
    this.#splitter.expectBody(request.headers);
    response.once('close', this.#onResponseClose);
  }

  /** Gives the socket to another reader. @returns the bytes that were not parsed */
  detach(): Buffer {
    this.#detached = true;
    clearTimeout(this.#halfClosed);
    this.#socket.off('data', this.#onData).off('resume', this.#feed).off('end', this.#onEnd);
    const rest = this.#held;
    this.#held = nothing;
    return rest;
  }

  /** Parses the next request, which waited for the response before it. */
  proceed(): void {
    this.#waiting = false;
    this.#count(0);
    if (!this.#socket.destroyed) this.#socket.resume();
  }

  /** Starts or clears the deadline of a client that does not read. */
  sweep(stalledMs: number): void {
    const stalls = this.#busy() && this.#socket.writableLength > 0;
    if (stalls === this.#deadlineSet) return;
    this.#deadlineSet = stalls;
    // Node defers this timeout while the kernel takes bytes, and its HTTP server destroys the socket when it fires: after up to
    // twice this time, since the first look only notes what waits.
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
    // Node's parser may resume the socket from within the call below.
    if (this.#feeding) return;
    this.#feeding = true;
    try {
      while (this.#held.length > 0 && this.#mayParse()) {
        const piece = this.#splitter.next(this.#held);
        this.#held = this.#held.subarray(piece.length);
        this.#parse(piece);
      }
    } finally {
      this.#feeding = false;
    }
  };

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
      // Only clients that pipeline are here: clients that wait for a response hold nothing.
      if (pipelined > PIPELINED_BYTES) socket.destroy();
      return false;
    }
    // Node paused it: the handler takes no more of the body, or Node's own buffer for responses is full.
    return !socket.isPaused() && !isPausedByNode(socket);
  }

  readonly #onResponseClose = (): void => {
    this.#deadlineSet = false;
    if (this.#waiting && !this.#socket.destroyed) takeTurn(this);
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
    this.#held = nothing;
    this.#count(0);
  };
}

/**
 * Bytes of pipelined requests that wait, over all connections of the process: beyond it a connection that would add some is
 * closed. The sockets hold as much again in Node's own buffers.
 */
const PIPELINED_BYTES = 16 * 1024 * 1024;
let pipelined = 0;

/** Pipelined requests that are parsed in one turn of the event loop, over all connections. */
const PIPELINED_A_TURN = 2;

/** Connections whose next request has come already: each is here once. */
// grows: by strangers, by pipelined requests; bound: SOCKETS connections, 8 bytes each; at the bound: further connections are reset; test: packages/overload/src/client-connection.net.test.ts
const turns: ClientConnection[] = [];

/**
 * Queues a connection for its next request. Responses are flushed at once while the kernel takes them, so that without a
 * queue one chunk of pipelined requests would hold up every other client for as long as all its handlers run.
 */
function takeTurn(connection: ClientConnection): void {
  turns.push(connection);
  if (turns.length === 1) setImmediate(giveTurns);
}

function giveTurns(): void {
  for (const connection of turns.splice(0, PIPELINED_A_TURN)) connection.proceed();
  if (turns.length > 0) setImmediate(giveTurns);
}

/** Node's parser asserts that no byte comes while this flag of its own is set. */
function isPausedByNode(socket: Socket): boolean {
  return (socket as Socket & { _paused?: boolean })._paused === true;
}

/** The connections of one server. */
export interface ClientConnections {
  /** Lets the HTTP server serve a connection, and resumes it. */
  serve(socket: Duplex, options?: ServeOptions): void;
  of(socket: Duplex): ClientConnection | undefined;
  waiting(): WaitingBytes;
}

const connections = new WeakMap<Duplex, ClientConnection>();

/** For `createServer({ ServerResponse: TrackedResponse })`: tells a connection which response it is being given. */
export class TrackedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  constructor(request: Request, ...options: []) {
    super(request, ...options);
    connections.get(request.socket)?.begin(request, this);
  }
}

/**
 * Takes over a server's connections, before it listens.
 * @param server made with TrackedResponse
 * @param stalledMs after so long, and at most twice as long, a client of whose response the kernel takes no byte is disconnected.
 *   A slow reader takes bytes in bursts: the kernel's buffer may hide it for a minute
 * @param ready the event with which the server's sockets are ready to be read
 */
export function trackConnections(
  server: Server | NetServer,
  stalledMs: number,
  ready: 'connection' | 'secureConnection' = 'connection',
): ClientConnections {
  const listeners = server.listeners(ready);
  server.removeAllListeners(ready);
  // grows: by strangers, by connections; bound: SOCKETS connections; at the bound: further connections are reset; test:
  // packages/overload/src/client-connection.net.test.ts
  const open = new Map<Socket, ClientConnection>();
  const sweeper = setInterval(() => {
    for (const connection of open.values()) connection.sweep(stalledMs);
  }, SWEEP_MS);
  sweeper.unref();
  server.once('close', () => clearInterval(sweeper));

  return {
    serve(duplex, options = {}) {
      const socket = duplex as Socket;
      // Its 'close' may be over, and would remove nothing.
      if (socket.destroyed) return;
      const listen = () => {
        for (const listener of listeners) listener.call(server, socket);
      };
      const connection = new ClientConnection(socket, listen, options);
      connections.set(socket, connection);
      open.set(socket, connection);
      socket.once('close', () => open.delete(socket));
      socket.resume();
    },
    of: (socket) => connections.get(socket),
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
