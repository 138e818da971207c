import type { OnReadOpts, Socket } from 'node:net';

/**
 * Where a tunnel's bytes from the site come in. By itself Node reads each socket into memory of its own and leaves that to
 * the collector: at full speed collecting took half of the core. Here all connections to sites read into one buffer, and
 * what comes is copied into blocks that are used again once they are written.
 */
export interface Intake {
  /** Tells what came before `flow`, which still flows; nothing more comes until then. */
  peek(listener: (said: Buffer) => void): void;
  /** From now on bytes go to `sink`. When it returns false nothing more comes until `remote.resume()`. */
  flow(remote: Socket, sink: Sink): void;
}

/** @param written to be called once the bytes are needed no more */
export type Sink = (bytes: Buffer, written?: (error?: Error | null) => void) => boolean;

/** An intake for a connection that is not open yet: `onread` is for whoever connects it. */
export interface RawIntake extends Intake {
  readonly onread: OnReadOpts;
}

const BLOCK = 65_536;
/** What is smaller Node cuts from a block of its own. */
const SMALL = 4_096;
const FREE_MOST = 64;

/** All sockets read into this one: whoever reads has copied it before the next one does. */
const shared = Buffer.allocUnsafeSlow(BLOCK);
const free: Buffer[] = [];

function pass(bytes: Buffer, sink: Sink): boolean {
  if (bytes.length <= SMALL) return sink(Buffer.from(bytes));
  const block = free.pop() ?? Buffer.allocUnsafeSlow(BLOCK);
  bytes.copy(block);
  return sink(block.subarray(0, bytes.length), (error) => {
    // What a broken connection had in hand is left to the collector: nobody else's bytes may ever come into its place.
    if (!error && free.length < FREE_MOST) free.push(block);
  });
}

/** Makes one for `connect()`. */
export function rawIntake(): RawIntake {
  let kept: Buffer | null = null;
  let peeking: ((said: Buffer) => void) | null = null;
  let sinking: Sink | null = null;
  return {
    onread: {
      buffer: shared,
      callback(length, buffer) {
        const bytes = (buffer as Buffer).subarray(0, length);
        if (sinking !== null) return pass(bytes, sinking);
        kept = Buffer.from(bytes);
        peeking?.(kept);
        return false;
      },
    },
    peek(listener) {
      peeking = listener;
      if (kept !== null) listener(kept);
    },
    flow(remote, sink) {
      sinking = sink;
      peeking = null;
      const first = kept;
      kept = null;
      if (first !== null && sink(first)) remote.resume();
    },
  };
}

/** One for a connection that was opened otherwise, and has been read as a stream. */
export function streamIntake(remote: Socket): Intake {
  let onReadable: (() => void) | null = null;
  return {
    peek(listener) {
      onReadable = () => {
        const said: Buffer | null = remote.read();
        if (said === null || onReadable === null) return;
        // What is put back is told of again.
        remote.off('readable', onReadable);
        remote.unshift(said);
        listener(said);
      };
      remote.on('readable', onReadable);
    },
    flow(_, sink) {
      if (onReadable !== null) remote.off('readable', onReadable);
      remote.on('data', (bytes: Buffer) => {
        if (!sink(bytes)) remote.pause();
      });
    },
  };
}
