import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AbortSignalLike } from '@propusk/dial/dial';
import type { PeekableSource } from './peekable-source.ts';

/**
 * Splices two sockets into a tunnel. All teardown of a tunnel is here.
 *
 *   client ──> remote      a FIN is passed on, and the other direction continues (RFC 9293 section 3.6)
 *   client <── remote      an error, an abort or an idle timeout destroys both
 */

export interface SpliceOptions {
  /** Destroys both sockets when it aborts. */
  readonly signal: AbortSignalLike;
  /** The tunnel ends after this time without bytes in either direction. */
  readonly idleMs: number;
}

export interface TransferredBytes {
  /** Bytes from the client to the remote, and back. */
  readonly up: number;
  readonly down: number;
}

/**
 * Splices two open sockets.
 * @returns the bytes transferred, once both sockets are closed
 */
export function splice(
  client: Duplex,
  clientSource: PeekableSource,
  remote: Socket,
  remoteSource: PeekableSource,
  { signal, idleMs }: SpliceOptions,
): Promise<TransferredBytes> {
  const [readBefore, writtenBefore] = [remote.bytesRead, remote.bytesWritten];
  return new Promise((resolve) => {
    const destroyBoth = () => {
      client.destroy();
      remote.destroy();
    };
    // Bytes of either direction pass the remote socket: its idle timeout is the tunnel's.
    remote.setTimeout(idleMs, destroyBoth);
    signal.addEventListener('abort', destroyBoth, { once: true });

    let open = 2;
    const onClose = (closed: Duplex, other: Duplex) => () => {
      // An orderly close has read and written everything; the other socket may still flush. Any other close is a break, and
      // the other side must see a break.
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
    clientSource.flow(client, (bytes, written) => remote.write(bytes, written));
    remoteSource.flow(remote, (bytes, written) => client.write(bytes, written));
    // A FIN that arrived with the first bytes has emitted 'end' already.
    if (client.readableEnded) remote.end();
    if (remote.readableEnded) client.end();
    // A socket that closed before this call does not emit 'close' again.
    if (signal.aborted || client.destroyed || remote.destroyed) destroyBoth();
  });
}
