import type { Duplex } from 'node:stream';

/**
 * Who reads a socket. A socket has one set of handlers for its life, the same functions for all sockets: they find its reader,
 * which changes with the phase of the connection.
 */
export interface SocketReader {
  received(bytes: Buffer, from: Duplex): void;
  /** The other side has ended its direction. */
  ended(from: Duplex): void;
  closed(from: Duplex): void;
}

const readerOf = Symbol('reader');
const stopped = Symbol('stopped');

type Read = Duplex & { [readerOf]?: SocketReader | undefined; [stopped]?: boolean };

/** Starts to read a stream. @param reader gets its bytes, its end and its close */
export function readBy(socket: Duplex, reader: SocketReader): void {
  const read = socket as Read;
  const first = read[readerOf] === undefined;
  read[readerOf] = reader;
  if (first) socket.on('error', ignore).on('data', onData).on('end', onEnd).once('close', onClose);
}

/** Detaches the handlers, and leaves the stream paused for another reader. */
export function release(socket: Duplex): void {
  socket.pause().off('data', onData).off('end', onEnd).off('close', onClose);
  startReading(socket);
  (socket as Read)[readerOf] = undefined;
}

/** The handle of a socket in Node: of TCP or TLS. */
interface Handle {
  readStart(): void;
  readStop(): void;
}

const handleOf = (socket: Duplex) => (socket as unknown as { _handle: Handle | null })._handle;

/**
 * Stops reading. `pause()` lets Node read on until 64 KiB wait: in pieces of one byte they take 20 MB. Node believes that the
 * handle still reads, and does not start it again by itself. A sender that leaves meanwhile is not noticed.
 */
export function stopReading(socket: Duplex): void {
  const read = socket as Read;
  if (read[stopped] === true) return;
  read[stopped] = true;
  handleOf(socket)?.readStop();
}

/** Reads on after stopReading(). */
export function startReading(socket: Duplex): void {
  const read = socket as Read;
  if (read[stopped] !== true) return;
  read[stopped] = false;
  handleOf(socket)?.readStart();
}

function onData(this: Read, bytes: Buffer): void {
  this[readerOf]?.received(bytes, this);
}

function onEnd(this: Read): void {
  this[readerOf]?.ended(this);
}

function onClose(this: Read): void {
  this[readerOf]?.closed(this);
}

function ignore(): void {}
