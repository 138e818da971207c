import type { OnReadOpts } from 'node:net';
import type { Duplex } from 'node:stream';
import { exceedsReadBudget } from './read-budget.ts';

/**
 * Where the bytes of one side of a tunnel come in: they are looked at first, and then carried. By itself Node reads each
 * socket into memory of its own and leaves that to the collector: at full speed collecting took half of the core. So all
 * connections to sites read into one buffer, and what comes is copied into blocks that are used again once written.
 */
export interface PeekableSource {
  /** Tells all that has come so far, and again with each piece more, for as long as the listener wants more. */
  peek(listener: Peek): void;
  /** Forgets the beginning of what was told. */
  skip(length: number): void;
  /** Bytes go to `sink` from now on, those that were told first. Once it returns false none come until `from.resume()`. */
  flow(from: Duplex, sink: Sink): void;
}

/** @returns whether more is wanted */
type Peek = (said: Buffer) => boolean;

/** @param written to be called once the bytes are needed no more */
type Sink = (bytes: Buffer, written?: (error?: Error | null) => void) => boolean;

const BLOCK = 65_536;
/** What is smaller Node cuts from a block of its own. */
const SMALL = 4_096;
const FREE_MOST = 64;

/** All sockets read into this one: whoever reads has copied it before the next one does. */
const shared = Buffer.allocUnsafeSlow(BLOCK);
// grows: by traffic; bound: 64 blocks of 64 KiB, 4 MiB; at the bound: further blocks are left to the garbage
// collector; test: none
const free: Buffer[] = [];
const nothing = Buffer.alloc(0);

function pass(bytes: Buffer, sink: Sink): boolean {
  if (bytes.length <= SMALL) return sink(Buffer.from(bytes));
  const block = free.pop() ?? Buffer.allocUnsafeSlow(BLOCK);
  bytes.copy(block);
  return sink(block.subarray(0, bytes.length), (error) => {
    // What a broken connection had in hand is left to the collector: nobody else's bytes may ever come into its place.
    if (!error && free.length < FREE_MOST) free.push(block);
  });
}

/** What has come and is not carried yet. */
class Held implements PeekableSource {
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

  /** @returns whether more may come */
  protected hold(bytes: Buffer): boolean {
    this.held = this.held.length === 0 ? bytes : Buffer.concat([this.held, bytes]);
    return this.#listener?.(this.held) ?? false;
  }
}

/** The intake of a connection that is not open yet: `onread` is for whoever connects it. */
export class SocketSource extends Held {
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

/** The intake of a stream. It reads from the first moment on, so that a reader who leaves is noticed. */
export class StreamSource extends Held {
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
    // Before the listener is told: it may give the stream to another reader, who has his own pace.
    this.#stream.pause();
    if (this.hold(bytes)) this.#stream.resume();
  };

  /** @param first what was read before */
  constructor(stream: Duplex, first: Buffer = nothing) {
    super();
    this.held = first;
    this.#stream = stream;
    stream.on('data', this.#onData);
  }

  protected override more(): void {
    this.#stream.resume();
  }

  /** Leaves the stream to another reader, paused. @returns the bytes that it has to read first */
  take(): Buffer {
    this.#stream.off('data', this.#onData).pause();
    const first = this.held;
    this.held = nothing;
    return first;
  }

  /** Leaves the stream to another reader, who has to resume it: paused, with what was told put back. */
  release(): void {
    const first = this.take();
    if (first.length > 0 && !this.#stream.destroyed) this.#stream.unshift(first);
  }
}
