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
    end = 4 + head.readUIntBE(1, 3);
    // Later records, such as early data, are for the site.
    if (end > HELLO_LIMIT) return broken;
  }
  if (have < end) return sent.length > HELLO_LIMIT ? broken : partial;
  return have === end ? readBody(Buffer.concat(fragments).subarray(4)) : broken;
}

function readBody(body: Buffer): ClientHello {
  const hello = new Reader(body);
  hello.skip(2 + 32);
  hello.vector(1);
  hello.vector(2);
  hello.vector(1);
  // A hello of TLS 1.0 may end without extensions.
  if (hello.ended) return hello.failed ? broken : { kind: 'whole', serverName: null };
  const extensions = new Reader(hello.vector(2));
  let named: Buffer | null = null;
  while (!extensions.ended) {
    const type = extensions.number(2);
    const content = extensions.vector(2);
    if (type !== SERVER_NAME) continue;
    // No extension twice (RFC 8446 section 4.2): the site could choose either.
    if (named !== null) return broken;
    named = content;
  }
  if (hello.failed || !hello.ended || extensions.failed) return broken;
  if (named === null) return { kind: 'whole', serverName: null };
  const outer = new Reader(named);
  const list = new Reader(outer.vector(2));
  const type = list.number(1);
  const name = list.vector(2);
  const whole = !outer.failed && outer.ended && !list.failed && list.ended;
  // Exactly one name, of type host_name, in visible ASCII (RFC 6066 section 3).
  if (!whole || type !== HOST_NAME || !/^[\x21-\x7e]+$/.test(name.toString('latin1'))) return broken;
  return { kind: 'whole', serverName: name.toString('latin1') };
}

/** Reads TLS's presentation language (RFC 8446 section 3). A read past the end sets `failed` and returns nothing. */
class Reader {
  failed = false;
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get ended(): boolean {
    return this.#at >= this.#bytes.length;
  }

  skip(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) {
      this.failed = true;
      this.#at = this.#bytes.length;
      return Buffer.alloc(0);
    }
    const skipped = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return skipped;
  }

  number(size: number): number {
    const bytes = this.skip(size);
    return bytes.length === size ? bytes.readUIntBE(0, size) : 0;
  }

  /** A vector with a length prefix of `size` bytes. */
  vector(size: number): Buffer {
    return this.skip(this.number(size));
  }
}
