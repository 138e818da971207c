import type { IncomingHttpHeaders } from 'node:http';

/**
 * Splits a client's bytes so that no piece holds parts of two requests. It only splits: the parser alone interprets the bytes
 * (RFC 9112 section 2.2). A wrong split would cost memory, never correctness.
 */

const BLANK_LINE = Buffer.from('\r\n\r\n');

export class HeadSplitter {
  /** How many bytes of a blank line are at the end of the last piece. */
  #matched = 0;
  /** The rest of a body with Content-Length, in bytes. */
  #body = 0;

  /** Called after a parsed head, whose body follows. A chunked body ends with a blank line, as a head does. */
  expectBody(headers: IncomingHttpHeaders): void {
    const length = Number(headers['content-length'] ?? 0);
    this.#body = headers['transfer-encoding'] === undefined && Number.isSafeInteger(length) ? length : 0;
    this.#matched = 0;
  }

  /** @returns at least one byte of `bytes`, up to the next end of a head or body */
  next(bytes: Buffer): Buffer {
    if (this.#body > 0) {
      const piece = bytes.subarray(0, this.#body);
      this.#body -= piece.length;
      return piece;
    }
    const piece = bytes.subarray(0, this.#end(bytes));
    this.#matched = this.#tail(piece);
    return piece;
  }

  #end(bytes: Buffer): number {
    if (this.#matched > 0) {
      const left = BLANK_LINE.subarray(this.#matched);
      if (bytes.subarray(0, left.length).equals(left)) return left.length;
    }
    const at = bytes.indexOf(BLANK_LINE);
    return at === -1 ? bytes.length : at + BLANK_LINE.length;
  }

  /** The length of a partial blank line at the end; 0 when it is complete. */
  #tail(piece: Buffer): number {
    for (let length = BLANK_LINE.length; length > 0; length--) {
      if (length <= piece.length) {
        if (piece.subarray(-length).equals(BLANK_LINE.subarray(0, length))) return length % BLANK_LINE.length;
      } else if (this.#matched === length - piece.length) {
        // A piece of one or two bytes may continue the blank line of the piece before.
        if (piece.equals(BLANK_LINE.subarray(this.#matched, length))) return length % BLANK_LINE.length;
      }
    }
    return 0;
  }
}
