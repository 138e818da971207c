/** Offset of the first random byte of a ClientHello, which tells the origin the mode of the tunnel. */
export const HELLO_MODE_AT = 11;

export type Mode =
  /** The origin replies once and closes. */
  | 'hello'
  /** The origin sends bytes without end. */
  | 'down'
  /** The origin replies once and counts what it receives. */
  | 'up'
  /** The origin replies once and leaves the tunnel open. */
  | 'idle';

/** The extensions of a current browser, in its order, with the length of each in bytes (RFC 8446 section 4.2). */
const extensions: readonly (readonly [type: number, length: number])[] = [
  [0x0a_0a, 0], // GREASE (RFC 8701)
  [0x00_1b, 3], // compress_certificate
  [0x00_2b, 7], // supported_versions
  [0x00_33, 1_263], // key_share: X25519MLKEM768 and X25519
  [0xff_01, 1], // renegotiation_info
  [0x00_00, 0], // server_name
  [0x00_17, 0], // extended_master_secret
  [0x00_2d, 2], // psk_key_exchange_modes
  [0x00_0d, 18], // signature_algorithms
  [0x00_05, 5], // status_request
  [0x00_12, 0], // signed_certificate_timestamp
  [0x00_0a, 12], // supported_groups
  [0x00_10, 14], // application_layer_protocol_negotiation
  [0xfe_0d, 218], // encrypted_client_hello
  [0x00_23, 0], // session_ticket
  [0x00_0b, 2], // ec_point_formats
];

/** A browser's ClientHello, 1.7 KB: the server name and the mode have meaning, the rest is filled to its length. */
export function clientHello(servername: string, mode: Mode): Buffer {
  const random = Buffer.alloc(32, 7);
  const body = Buffer.concat([
    Buffer.of(3, 3),
    random,
    vector(1, Buffer.alloc(32)),
    vector(2, Buffer.alloc(32)),
    vector(1, Buffer.of(0)),
    vector(2, Buffer.concat(extensions.map(([type, length]) => extension(type, length, servername)))),
  ]);
  const message = Buffer.concat([Buffer.of(1), vector(3, body)]);
  const hello = Buffer.concat([Buffer.of(22, 3, 1), vector(2, message)]);
  hello[HELLO_MODE_AT] = mode.charCodeAt(0);
  return hello;
}

function extension(type: number, length: number, servername: string): Buffer {
  const name = Buffer.concat([Buffer.of(0), vector(2, Buffer.from(servername, 'latin1'))]);
  const content = type === 0 ? vector(2, name) : Buffer.alloc(length);
  return Buffer.concat([Buffer.of(type >> 8, type & 255), vector(2, content)]);
}

/** A vector of TLS's presentation language: its length in `size` bytes, then the bytes. */
function vector(size: number, bytes: Buffer): Buffer {
  const length = Buffer.alloc(size);
  length.writeUIntBE(bytes.length, 0, size);
  return Buffer.concat([length, bytes]);
}
