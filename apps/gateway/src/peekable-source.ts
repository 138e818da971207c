import type { OnReadOpts } from 'node:net';
import type { Duplex } from 'node:stream';
import { exceedsReadBudget } from './read-budget.ts';

/**
 * The bytes of one side of a tunnel: a sniffer peeks at them first, then they flow to a sink. Node allocates memory for every
 * read: at full speed garbage collection took half of a core. So all origin sockets read into one buffer, and the bytes are
 * copied into blocks that are reused once written.
 */
export interface PeekableSource {
  /** Calls the listener with all bytes so far, again after each read, until it returns false. */
  peek(listener: Peek): void;
  /** Drops the first bytes. */
  skip(length: number): void;
  /** Sends all bytes to `sink`, the peeked ones first. After the sink returns false, reading stops until `from.resume()`. */
  flow(from: Duplex, sink: Sink): void;
}

/** @returns whether to read more */
type Peek = (bytes: Buffer) => boolean;

/** @param written to be called when the bytes may be overwritten */
type Sink = (bytes: Buffer, written?: (error?: Error | null) => void) => boolean;

const BLOCK = 65_536;
/** Node's own pool serves buffers up to this size. */
const SMALL = 4_096;
const FREE_MOST = 64;

/** All sockets read into this buffer: each read is copied synchronously. */
const shared = Buffer.allocUnsafeSlow(BLOCK);
// grows: by traffic; bound: 64 blocks of 64 KiB, 4 MiB; at the bound: further blocks are garbage collected
const free: Buffer[] = [];
const nothing = Buffer.alloc(0);

function pass(bytes: Buffer, sink: Sink): boolean {
  if (bytes.length <= SMALL) return sink(Buffer.from(bytes));
  const block = free.pop() ?? Buffer.allocUnsafeSlow(BLOCK);
  bytes.copy(block);
  return sink(block.subarray(0, bytes.length), (error) => {
    // A broken socket may still use its block: reusing it could send another user's bytes.
    if (!error && free.length < FREE_MOST) free.push(block);
  });
}

/** Holds received bytes until they are forwarded. */
class BufferedSource implements PeekableSource {
  protected held: Buffer = nothing;
  protected sink: Sink | null = null;
  protected from: Duplex | null = null;
  #listener: Peek | null = null;

  peek(listener: Peek): void {
    this.#listener = listener;
    if (this.held.length === 0 || listener(this.held)) this.more();
  }

  skip(length: number): void {
    this.held = this.held.subarray(length);
  }

  flow(from: Duplex, sink: Sink): void {
    this.sink = sink;
    this.from = from;
    const first = this.held;
    this.held = nothing;
    if (first.length === 0 || sink(first)) from.resume();
  }

  protected more(): void {}

  /** @returns whether to read more */
  protected hold(bytes: Buffer): boolean {
    this.held = this.held.length === 0 ? bytes : Buffer.concat([this.held, bytes]);
    return this.#listener?.(this.held) ?? false;
  }
}

/** The source of a socket that is not connected yet: pass `onread` to `net.connect`. */
export class SocketSource extends BufferedSource {
  readonly onread: OnReadOpts = {
    buffer: shared,
    callback: (length, buffer) => {
      const bytes = (buffer as Buffer).subarray(0, length);
      if (this.sink === null) return this.hold(Buffer.from(bytes));
      if (!pass(bytes, this.sink)) return false;
      if (!exceedsReadBudget(length)) return true;
      setImmediate(() => this.from?.resume());
      return false;
    },
  };
}

/** The source of a stream. It reads at once, so that a closed connection is noticed. */
export class StreamSource extends BufferedSource {
  readonly #stream: Duplex;
  readonly #onData = (bytes: Buffer): void => {
    if (this.sink !== null) {
      if (!this.sink(bytes)) this.#stream.pause();
      else if (exceedsReadBudget(bytes.length)) {
        this.#stream.pause();
        setImmediate(() => this.#stream.resume());
      }
      return;
    }
    // Pause first: the listener may hand the stream to another reader.
    this.#stream.pause();
    if (this.hold(bytes)) this.#stream.resume();
  };

  /** @param first bytes already read */
  constructor(stream: Duplex, first: Buffer = nothing) {
    super();
    this.held = first;
    this.#stream = stream;
    stream.on('data', this.#onData);
  }

  protected override more(): void {
    this.#stream.resume();
  }

  /** Detaches from the stream and pauses it. @returns the bytes that the next reader must read first */
  take(): Buffer {
    this.#stream.off('data', this.#onData).pause();
    const first = this.held;
    this.held = nothing;
    return first;
  }

  /** Detaches, puts the bytes back into the stream and leaves it paused: the next reader must resume it. */
  release(): void {
    const first = this.take();
    if (first.length > 0 && !this.#stream.destroyed) this.#stream.unshift(first);
  }
}
