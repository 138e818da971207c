import { type OnReadOpts, Socket } from 'node:net';

/** In bytes. */
const BLOCK = 65_536;
/** Node's own pool serves copies up to this size. A larger read announces more. */
const SMALL = 4_096;
const FREE_MOST = 64;

/** All sites are read into this buffer: each read is copied. */
const shared = Buffer.allocUnsafeSlow(BLOCK);
// Grows with traffic. Bound: 64 blocks of 64 KiB, 4 MiB. At the bound: further blocks are garbage collected
const free: Buffer[] = [];

/**
 * Reads the connection of a tunnel to its site. Node allocates memory for each read: at full speed garbage collection took half of
 * a core. All sites are read into one buffer, and copied. A site that sends much is read into a block of its own, which is written
 * without a copy.
 */
export class OriginSource {
  /** For net.connect(). */
  readonly onread: OnReadOpts = {
    buffer: () => this.#next(),
    callback: (length) => {
      this.#received(length);
      return true;
    },
  };
  /**
   * Takes the bytes; `lent` ones are overwritten by the next read.
   * @returns whether they are written; otherwise the sink has stopped the reading of the site
   */
  sink: (bytes: Buffer, lent: boolean) => boolean = () => false;
  /** The block into which the site is read while it sends much; null while it is read into the shared buffer. */
  #block: Buffer | null = null;
  #much = false;
  #written = true;

  /**
   * Gives the block back. @param written whether the kernel has copied its bytes; otherwise the block is not used again, because
   * a pending write may still read it
   */
  end(written: boolean): void {
    if (written && this.#block !== null && free.length < FREE_MOST) free.push(this.#block);
    this.#block = null;
  }

  /** The buffer of the next read. */
  #next(): Buffer {
    if (!this.#much && this.#written) this.end(true);
    return this.#block ?? shared;
  }

  #received(length: number): void {
    this.#much = length > SMALL;
    if (this.#block === null && this.#much) {
      this.#block = free.pop() ?? Buffer.allocUnsafeSlow(BLOCK);
      shared.copy(this.#block, 0, 0, length);
    }
    const lent = this.#block !== null;
    const bytes = this.#block?.subarray(0, length) ?? Buffer.from(shared.subarray(0, length));
    this.#written = this.sink(bytes, lent);
  }
}

/** The fields of a socket in which Node keeps the option `onread`. */
const fields = Object.getOwnPropertySymbols(new Socket());
const field = (name: string): symbol | undefined => fields.find(({ description }) => description === name);
const [buffer, callback, generator] = [field('kBuffer'), field('kBufferCb'), field('kBufferGen')];

/**
 * Makes an open socket read as with the option `onread`. A server cannot set that option for the sockets that it accepts.
 * @returns false, and changes nothing, if this version of Node keeps the option elsewhere
 */
export function readInto(socket: Socket, { onread }: OriginSource): boolean {
  if (buffer === undefined || callback === undefined || generator === undefined) return false;
  const read = socket as unknown as Record<symbol, unknown> & {
    readonly _handle: { useUserBuffer?(bytes: Uint8Array): void } | null;
  };
  if (read._handle?.useUserBuffer === undefined) return false;
  const first = (onread.buffer as () => Uint8Array)();
  read[buffer] = first;
  read[callback] = onread.callback;
  read[generator] = onread.buffer;
  read._handle.useUserBuffer(first);
  return true;
}
