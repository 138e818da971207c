/**
 * A ClientHello (RFC 8446 section 4.1.2) for the load's tunnels, as long as a browser's without
 * post-quantum keys.
 */

/** Offset of its first random byte, which tells the origin the mode of the tunnel. */
export const HELLO_MODE_AT = 11;

export type Mode =
  /** The origin replies once and closes. */
  | 'hello'
  /** The origin echoes every byte. */
  | 'echo'
  /** The origin sends bytes without end. */
  | 'bulk'
  /** The origin replies once and leaves the tunnel open. */
  | 'idle';

/** Builds a ClientHello with a server name. */
export function clientHello(serverName: string, mode: Mode): Buffer {
  const name = Buffer.from(serverName, 'latin1');
  const list = vector(2, Buffer.concat([Buffer.from([0]), vector(2, name)]));
  const extensions = Buffer.concat([
    extension(0, list),
    // Padding (RFC 7685) to a browser's length.
    extension(21, Buffer.alloc(300)),
  ]);
  const random = Buffer.alloc(32, 1);
  random[0] = mode.charCodeAt(0);
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    random,
    vector(1, Buffer.alloc(32, 2)),
    vector(2, Buffer.from([0x13, 0x01, 0x13, 0x02, 0x13, 0x03])),
    vector(1, Buffer.from([0])),
    vector(2, extensions),
  ]);
  const message = Buffer.concat([Buffer.from([1]), vector(3, body)]);
  return Buffer.concat([Buffer.from([22, 3, 1]), vector(2, message)]);
}

function vector(size: number, content: Buffer): Buffer {
  const length = Buffer.alloc(size);
  length.writeUIntBE(content.length, 0, size);
  return Buffer.concat([length, content]);
}

function extension(type: number, content: Buffer): Buffer {
  const head = Buffer.alloc(2);
  head.writeUInt16BE(type);
  return Buffer.concat([head, vector(2, content)]);
}
