import type { Server, Socket } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The PROXY protocol, version 2 (HAProxy's proxy-protocol.txt, section 2.2): a TCP balancer tells the client's address in the
 * first bytes of a connection.
 *
 *   signature (12 bytes) | version and command | family and transport | size (2 bytes) | addresses | TLVs, which are skipped
 */

const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const FIXED_BYTES = 16;
/** The largest `size`: addresses, and more TLVs than HAProxy sends. */
const MAX_SIZE = 536;
/** Version 2 with its commands: LOCAL is a connection of the balancer's own, such as a health check. */
const LOCAL = 0x20;
const PROXY = 0x21;
/** By family with the transport TCP: the bytes of one address, and those of both with their ports. */
const families: ReadonlyMap<number, { readonly one: number; readonly both: number }> = new Map([
  [0x11, { one: 4, both: 12 }],
  [0x21, { one: 16, both: 36 }],
]);

/** A balancer must send the whole header within this time. */
const HEADER_MS = 5_000;
const SWEEP_MS = 1_000;

export interface ProxyHeader {
  /** The bytes of the header. */
  readonly length: number;
  /** The client's address; null for LOCAL, whose client is the balancer. */
  readonly client: string | null;
}

/**
 * Parses the first bytes of a connection.
 * @returns `partial` while they may become a header, `invalid` when they cannot: also for version 1, UDP and UNIX sockets
 */
export function parseProxyHeader(bytes: Buffer): ProxyHeader | 'partial' | 'invalid' {
  const known = Math.min(bytes.length, SIGNATURE.length);
  if (bytes.compare(SIGNATURE, 0, known, 0, known) !== 0) return 'invalid';
  if (bytes.length < FIXED_BYTES) return 'partial';
  const command = bytes[12];
  // A receiver ignores the family of LOCAL.
  const family = command === PROXY ? families.get(bytes[13] ?? 0) : undefined;
  if (command !== LOCAL && family === undefined) return 'invalid';
  const size = bytes.readUInt16BE(14);
  if (size > MAX_SIZE || size < (family?.both ?? 0)) return 'invalid';
  const length = FIXED_BYTES + size;
  if (bytes.length < length) return 'partial';
  if (family === undefined) return { length, client: null };
  const address = bytes.subarray(FIXED_BYTES, FIXED_BYTES + family.one);
  // An IPv4 address mapped into IPv6 is the IPv4 address (RFC 4291 section 2.5.5.2).
  return { length, client: ipaddr.process(ipaddr.fromByteArray([...address]).toString()).toString() };
}

/** The connections of a server that have not sent their whole header. */
export interface ProxyHeaders {
  readonly waiting: number;
  /** Waits for a connection's header. The connection needs no listeners yet. */
  read(socket: Socket): void;
}

interface Waiting {
  bytes: Buffer;
  /** On the clock of performance.now(), in ms. */
  readonly deadline: number;
}

/**
 * Reads the PROXY protocol header of each connection of a server. Connections that still wait for their header end with the
 * server.
 * @param onClient gets a connection whose header was read; the bytes after the header are back in the stream
 * @param onInvalid gets a connection whose first bytes are no header, or whose header did not come in time
 */
export function readProxyHeaders(
  server: Server,
  onClient: (socket: Socket, client: string | null) => void,
  onInvalid: (socket: Socket) => void,
): ProxyHeaders {
  // Grows with connections of balancers. Bound: SOCKETS connections, with less than 552 bytes each. At the bound: further
  // connections are reset, and those without a whole header after 5 s
  const waiting = new Map<Socket, Waiting>();
  const sweeper = setInterval(() => {
    const now = performance.now();
    for (const [socket, { deadline }] of waiting) {
      if (!server.listening) socket.destroy();
      else if (deadline <= now) refuse(socket);
    }
  }, SWEEP_MS);
  sweeper.unref();
  server.once('close', () => clearInterval(sweeper));

  function onReadable(this: Socket): void {
    const chunk: Buffer | null = this.read();
    const state = waiting.get(this);
    if (chunk === null || state === undefined) return;
    state.bytes = Buffer.concat([state.bytes, chunk]);
    const header = parseProxyHeader(state.bytes);
    if (header === 'partial') return;
    if (header === 'invalid') return refuse(this);
    forget(this);
    // Without a 'readable' listener the stream neither flows nor is paused: a 'data' listener starts it, and a TLSSocket takes
    // its buffered bytes.
    if (state.bytes.length > header.length) this.unshift(state.bytes.subarray(header.length));
    onClient(this, header.client);
  }

  function onEnd(this: Socket): void {
    // A connection without a byte is a plain check of the port.
    if (waiting.get(this)?.bytes.length === 0) this.destroy();
    else refuse(this);
  }

  function onClose(this: Socket): void {
    waiting.delete(this);
  }

  function forget(socket: Socket): void {
    waiting.delete(socket);
    socket.off('readable', onReadable).off('end', onEnd).off('close', onClose);
  }

  function refuse(socket: Socket): void {
    forget(socket);
    onInvalid(socket);
  }

  return {
    get waiting() {
      return waiting.size;
    },
    read(socket) {
      waiting.set(socket, { bytes: Buffer.alloc(0), deadline: performance.now() + HEADER_MS });
      socket.on('error', ignore).on('readable', onReadable).on('end', onEnd).on('close', onClose);
    },
  };
}

function ignore(): void {}
