/**
 * Parses the server name of a TLS ClientHello (RFC 8446 sections 4.1.2 and 5.1, RFC 6066 section 3). With Encrypted ClientHello
 * it is the outer name.
 *
 *   record: type 22 | version 3.x | length | fragment of a handshake message ...
 *   handshake message: type 1 | length (3) | version | random | session id | cipher suites | compressions | extensions
 *
 * Strict: a hello that this parser and the site could read differently is `broken`.
 */

export type ClientHello =
  /** The bytes are the valid beginning of a ClientHello. */
  | { readonly kind: 'partial' }
  /** A complete ClientHello. `serverName` is as sent; null without the extension. */
  | { readonly kind: 'whole'; readonly serverName: string | null }
  | { readonly kind: 'broken' };

/** The record type of a handshake: the first byte of a TLS client. */
export const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const HOST_NAME = 0;

/** The largest hello, in bytes. Browsers send about 2 KiB with post-quantum keys. */
export const HELLO_LIMIT = 16_384;

const broken: ClientHello = { kind: 'broken' };
const partial: ClientHello = { kind: 'partial' };

/** Parses the bytes that a client has sent so far. */
export function readClientHello(sent: Buffer): ClientHello {
  const length = sent.length > 9 ? (byte(sent, 3) << 8) | byte(sent, 4) : 0;
  // Nearly every hello is one record that came at once: it is read where it is.
  if (sent[0] === HANDSHAKE && sent[1] === 3 && sent[5] === CLIENT_HELLO && sent.length >= 5 + length) {
    if (length <= HELLO_LIMIT && 4 + number(sent, 6, 3) === length) return readBody(sent, 9, 5 + length);
  }
  return readFragments(sent);
}

/** The length of the records that hold a complete hello. */
export function helloLength(sent: Buffer): number {
  let [at, have] = [0, 0];
  // The head of the message may be in several records too.
  const head: number[] = [];
  do {
    const length = (byte(sent, at + 3) << 8) | byte(sent, at + 4);
    for (let i = 0; head.length < 4 && i < length; i++) head.push(byte(sent, at + 5 + i));
    have += length;
    at += 5 + length;
  } while (at < sent.length && have < 4 + number(Buffer.from(head), 1, 3));
  return at;
}

/** Parses a hello in several records, or an incomplete one. */
function readFragments(sent: Buffer): ClientHello {
  const fragments: Buffer[] = [];
  let have = 0;
  /** The message's end, known once its head of 4 bytes is complete. */
  let end = HELLO_LIMIT;
  for (let at = 0; at < sent.length && have < end; ) {
    if (sent[at] !== HANDSHAKE || (at + 1 < sent.length && sent[at + 1] !== 3)) return broken;
    if (at + 5 > sent.length) break;
    const length = sent.readUInt16BE(at + 3);
    // RFC 8446 section 5.1: no empty fragments of handshake messages, none above 2^14.
    if (length === 0 || length > 16_384) return broken;
    const fragment = sent.subarray(at + 5, at + 5 + length);
    const headWasThere = have >= 4;
    fragments.push(fragment);
    have += fragment.length;
    at += 5 + length;
    if (headWasThere || have < 4) continue;
    const head = Buffer.concat(fragments);
    if (head[0] !== CLIENT_HELLO) return broken;
    end = 4 + number(head, 1, 3);
    // Later records, such as early data, are for the site.
    if (end > HELLO_LIMIT) return broken;
  }
  if (have < end) return sent.length > HELLO_LIMIT ? broken : partial;
  return have === end ? readBody(Buffer.concat(fragments), 4, end) : broken;
}

/** Reads the fields of a hello, from its version to its last extension. */
function readBody(bytes: Buffer, from: number, to: number): ClientHello {
  const hello = new Reader(bytes, from, to);
  hello.skip(2 + 32);
  hello.skip(hello.number(1));
  hello.skip(hello.number(2));
  hello.skip(hello.number(1));
  // A hello of TLS 1.0 may end without extensions.
  if (hello.ended) return hello.failed ? broken : { kind: 'whole', serverName: null };
  const length = hello.number(2);
  if (hello.failed || hello.at + length !== to) return broken;
  let named: Reader | null = null;
  while (!hello.ended) {
    const type = hello.number(2);
    const content = hello.number(2);
    if (type === SERVER_NAME) {
      // No extension twice (RFC 8446 section 4.2): the site could choose either.
      if (named !== null) return broken;
      named = new Reader(bytes, hello.at, hello.at + content);
    }
    hello.skip(content);
  }
  if (hello.failed) return broken;
  return named === null ? { kind: 'whole', serverName: null } : readName(named, bytes);
}

/** Reads the one name of a server_name extension, of type host_name and in visible ASCII (RFC 6066 section 3). */
function readName(extension: Reader, bytes: Buffer): ClientHello {
  const list = extension.number(2);
  if (extension.at + list !== extension.end) return broken;
  const type = extension.number(1);
  const length = extension.number(2);
  const { at, end, failed } = extension;
  if (failed || at + length !== end || type !== HOST_NAME) return broken;
  const name = bytes.toString('latin1', at, end);
  return /^[\x21-\x7e]+$/.test(name) ? { kind: 'whole', serverName: name } : broken;
}

/** Reads TLS's presentation language (RFC 8446 section 3) between two offsets. A read past the end sets `failed`. */
class Reader {
  failed = false;
  at: number;
  readonly end: number;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer, at: number, end: number) {
    this.#bytes = bytes;
    this.at = at;
    this.end = end;
  }

  get ended(): boolean {
    return this.at >= this.end;
  }

  skip(length: number): void {
    this.at += length;
    if (this.at <= this.end) return;
    this.failed = true;
    this.at = this.end;
  }

  /** An unsigned number of one or two bytes. */
  number(size: 1 | 2): number {
    const { at } = this;
    this.skip(size);
    return this.failed ? 0 : number(this.#bytes, at, size);
  }
}

function number(bytes: Buffer, at: number, size: 1 | 2 | 3): number {
  let value = 0;
  for (let i = 0; i < size; i++) value = (value << 8) | byte(bytes, at + i);
  return value;
}

function byte(bytes: Buffer, at: number): number {
  return bytes[at] ?? 0;
}
