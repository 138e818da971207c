import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { coarseNow, type Deadline } from '../deadline.ts';
import type { Meter, Visit } from '../records/visit.ts';
import { OriginSource, readInto } from './origin-source.ts';
import { atNextTurn, ReadShare } from './read-share.ts';
import { readBy, type SocketReader, startReading, stopReading } from './socket-reader.ts';

/**
 * Splices two sockets into a tunnel. All teardown of a tunnel is here.
 *
 *   client ──> remote      a FIN is passed on, and the other direction continues (RFC 9293 section 3.6)
 *   client <── remote      an error, an abort or an idle timeout destroys both
 *
 * A side is not read while a large piece of it waits to be written, or two small ones: a tunnel that stalls holds less than 72 KiB
 * in each direction, whatever the size of its pieces.
 */

/** In bytes: while a piece of at least this size waits to be written, no further piece is read. */
const LARGE = 8_192;
/** In bytes: smaller pieces do not count in the read share (read-share.ts). */
const LEAST_COUNTED = 4_096;
/**
 * Idle time, in milliseconds, after which TCP keep-alive probes are enabled. Most tunnels end earlier and save the eight system calls,
 * which take 5 % of the time of a short tunnel. Probes at this interval keep a connection in the tables of most NATs.
 */
const PROBED_MS = 60_000;
export const nothing = Buffer.alloc(0);

export interface TransferredBytes {
  /** Bytes from the client to the remote, and back. */
  readonly up: number;
  readonly down: number;
}

/** One direction of a tunnel. */
class Direction {
  readonly #from: Duplex;
  readonly #to: Duplex;
  /** Made for the first large piece, as most tunnels send none. */
  #share: ReadShare | null = null;
  #onWritten: (() => void) | null = null;
  #waits = false;
  /** Bytes. */
  sent = 0;
  /** The time of the last transferred bytes, by `coarseNow()`. */
  moved = coarseNow();

  constructor(from: Duplex, to: Duplex) {
    this.#from = from;
    this.#to = to;
  }

  /**
   * Writes a piece, and stops reading its sender while it waits.
   * @param lent the bytes are overwritten by the sender's next read
   * @returns whether the kernel has the piece
   */
  send(bytes: Buffer, lent: boolean): boolean {
    this.sent += bytes.length;
    this.moved = coarseNow();
    const to = this.#to;
    if (bytes.length < LARGE && !lent && to.writableLength === 0) {
      to.write(bytes);
      return to.writableLength === 0;
    }
    this.#onWritten ??= () => this.#written();
    to.write(bytes, this.#onWritten);
    this.#waits = to.writableLength > 0;
    if (this.#waits) stopReading(this.#from);
    else if (bytes.length >= LEAST_COUNTED) {
      this.#share ??= new ReadShare();
      if (!this.#share.exceeded(bytes.length)) return true;
      stopReading(this.#from);
      atNextTurn(() => startReading(this.#from));
    }
    return !this.#waits;
  }

  #written(): void {
    if (!this.#waits || this.#to.writableLength > 0) return;
    this.#waits = false;
    this.moved = coarseNow();
    startReading(this.#from);
  }
}

export class Splice implements SocketReader, Deadline, Meter {
  readonly #client: Socket;
  readonly #remote: Socket;
  readonly #up: Direction;
  readonly #down: Direction;
  /** Null for a remote that emits 'data' instead of being read into the shared buffer. */
  readonly #source: OriginSource | null;
  /** Reads the client once it sends much; undefined before that, null if its socket cannot be read in this way. */
  #uploads: OriginSource | null | undefined;
  readonly #idleMs: number;
  readonly #onEnd: () => void;
  #over = false;
  /** Whether keep-alive probes are on. */
  #probed = false;

  /** @param idle the idle timeout in milliseconds @param onEnd called once: both sockets are destroyed */
  constructor(client: Socket, remote: Socket, source: OriginSource | null, idle: number, onEnd: () => void) {
    this.#client = client;
    this.#remote = remote;
    this.#source = source;
    this.#idleMs = idle;
    this.#onEnd = onEnd;
    this.#up = new Direction(client, remote);
    this.#down = new Direction(remote, client);
  }

  /** Starts. @param up the client's first bytes @param down the remote's @param before bytes that were passed on already */
  start(up: Buffer, down: Buffer, before: TransferredBytes = { up: 0, down: 0 }): void {
    this.#up.sent = before.up;
    this.#down.sent = before.down;
    const [client, remote] = [this.#client, this.#remote];
    if (client.destroyed || remote.destroyed) return this.destroy();
    for (const socket of [client, remote]) {
      readBy(socket, this);
      startReading(socket);
    }
    if (this.#source !== null) this.#source.sink = (bytes, lent) => this.#down.send(bytes, lent);
    if (up.length > 0) this.#up.send(up, false);
    if (down.length > 0) this.#down.send(down, false);
    // A FIN that arrived with the first bytes has been reported already.
    if (client.readableEnded) this.ended(client);
    if (remote.readableEnded) this.ended(remote);
  }

  get transferred(): TransferredBytes {
    return { up: this.#up.sent, down: this.#down.sent };
  }

  measure(visit: Visit): void {
    visit.up = this.#up.sent;
    visit.down = this.#down.sent;
  }

  /** When the last bytes moved, on the clock of the sweep. */
  get moved(): number {
    return Math.max(this.#up.moved, this.#down.moved);
  }

  get deadline(): number {
    if (this.#over) return Number.POSITIVE_INFINITY;
    return this.moved + (this.#probed ? this.#idleMs : Math.min(this.#idleMs, PROBED_MS));
  }

  received(bytes: Buffer, from: Duplex): void {
    if (from !== this.#client) return void this.#down.send(bytes, false);
    this.#up.send(bytes, false);
    if (bytes.length >= LARGE && this.#uploads === undefined) this.#readUploads();
  }

  /** Reads further bytes of the client without new memory for each piece. */
  #readUploads(): void {
    const source = new OriginSource();
    source.sink = (bytes, lent) => this.#up.send(bytes, lent);
    const can = !('encrypted' in this.#client) && !this.#over && readInto(this.#client, source);
    this.#uploads = can ? source : null;
  }

  /** Passes a FIN on. Once both directions have ended and nothing waits, no further FIN has to be waited for. */
  ended(from: Duplex): void {
    const [client, remote] = [this.#client, this.#remote];
    const both = client.readableEnded && remote.readableEnded && remote.writableLength === 0;
    const secure = 'encrypted' in client;
    // Closing a plain socket sends its FIN: without end() a tunnel saves a system call.
    if (both && !secure && client.writableLength === 0) return this.destroy();
    (from === client ? remote : client).end();
    // A client over TLS still gets its close_notify.
    if (both && secure && client.writableFinished) this.destroy();
  }

  /**
   * After an orderly close, all bytes have been passed to the other socket, which may still flush them. After any other close
   * the other socket is destroyed, so that its peer notices.
   */
  closed(from: Duplex): void {
    const other = from === this.#client ? this.#remote : this.#client;
    const orderly = from.errored === null && from.readableEnded && from.writableFinished;
    if (!orderly || other.destroyed) this.destroy();
  }

  late(): void {
    if (this.#probed || this.#idleMs <= PROBED_MS) return this.destroy();
    this.#probed = true;
    // The kernel closes the connection after 9 unanswered probes.
    for (const socket of [this.#client, this.#remote]) socket.setKeepAlive(true, PROBED_MS, 15_000, 9);
  }

  destroy(): void {
    if (this.#over) return;
    this.#over = true;
    this.#source?.end(this.#client.writableLength === 0);
    this.#uploads?.end(this.#remote.writableLength === 0);
    this.#client.destroy();
    this.#remote.destroy();
    this.#onEnd();
  }
}
