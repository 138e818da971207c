import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AbortSignalLike } from '@propusk/dial/dial';
import type { PeekableSource } from './peekable-source.ts';

/**
 * Joins two sockets into a tunnel, and is the only place where one is taken apart.
 *
 *   client ──asked──> remote      an end is passed on and the other direction goes on (RFC 9293 section 3.6)
 *   client <──said─── remote      an error, an abort or silence ends both at once
 */

export interface SpliceOptions {
  /** Both ends are destroyed when it aborts. */
  readonly signal: AbortSignalLike;
  /** Silence in both directions that ends the tunnel. */
  readonly idleMs: number;
}

export interface Carried {
  /** Bytes from the client to the remote end, and back. */
  readonly up: number;
  readonly down: number;
}

/**
 * Joins two open sockets.
 * @param asked where the client's bytes come in @param said the remote's
 * @returns when both are closed
 */
export function join(
  client: Duplex,
  asked: PeekableSource,
  remote: Socket,
  said: PeekableSource,
  { signal, idleMs }: SpliceOptions,
): Promise<Carried> {
  const [readBefore, writtenBefore] = [remote.bytesRead, remote.bytesWritten];
  return new Promise((resolve) => {
    const destroyBoth = () => {
      client.destroy();
      remote.destroy();
    };
    // Bytes in either direction pass the remote socket, so its silence is the tunnel's.
    remote.setTimeout(idleMs, destroyBoth);
    signal.addEventListener('abort', destroyBoth, { once: true });

    let open = 2;
    const onClose = (closed: Duplex, other: Duplex) => () => {
      // Closed in order: read to its end and written to its end; the other was ended behind it and still may
      // have bytes to flush. Any other close is a break, and the other side must see one.
      if (closed.errored !== null || !closed.readableEnded || !closed.writableFinished) other.destroy();
      open -= 1;
      if (open > 0) return;
      signal.removeEventListener('abort', destroyBoth);
      resolve({ up: remote.bytesWritten - writtenBefore, down: remote.bytesRead - readBefore });
    };
    client.once('close', onClose(client, remote));
    remote.once('close', onClose(remote, client));

    client.on('drain', () => remote.resume()).once('end', () => remote.end());
    remote.on('drain', () => client.resume()).once('end', () => client.end());
    asked.flow(client, (bytes, written) => remote.write(bytes, written));
    said.flow(remote, (bytes, written) => client.write(bytes, written));
    // An end that came together with the first bytes has been told of before.
    if (client.readableEnded) remote.end();
    if (remote.readableEnded) client.end();
    // What closed before it came here will say so no more.
    if (signal.aborted || client.destroyed || remote.destroyed) destroyBoth();
  });
}
