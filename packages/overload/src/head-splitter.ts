import type { IncomingHttpHeaders } from 'node:http';

/**
 * Cuts a client's bytes so that no piece holds parts of two requests. It interprets nothing: a stream may be cut anywhere,
 * and the parser alone decides what the bytes mean (RFC 9112 section 2.2). A wrong cut would cost memory and no safety.
 */

const BLANK_LINE = Buffer.from('\r\n\r\n');

export class HeadSplitter {
  /** How many bytes of a blank line ended the last piece. */
  #matched = 0;
  /** What remains of a body whose length is known, in bytes. */
  #body = 0;

  /** A request was parsed whose body follows its head. A chunked body ends with a blank line, as heads do. */
  expectBody(headers: IncomingHttpHeaders): void {
    const length = Number(headers['content-length'] ?? 0);
    this.#body = headers['transfer-encoding'] === undefined && Number.isSafeInteger(length) ? length : 0;
    this.#matched = 0;
  }

  /** @returns the beginning of `bytes`, at least one byte, through the next end of a head or body */
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

  /** How much of a blank line the bytes so far end with; none when it is whole. */
  #tail(piece: Buffer): number {
    for (let length = BLANK_LINE.length; length > 0; length--) {
      if (length <= piece.length) {
        if (piece.subarray(-length).equals(BLANK_LINE.subarray(0, length))) return length % BLANK_LINE.length;
      } else if (this.#matched === length - piece.length) {
        // A piece of a byte or two may go on with what the piece before ended with.
        if (piece.equals(BLANK_LINE.subarray(this.#matched, length))) return length % BLANK_LINE.length;
      }
    }
    return 0;
  }
}
