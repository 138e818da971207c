import { HANDSHAKE } from './client-hello.ts';

/**
 * Recognizes a HelloRetryRequest (RFC 8446 section 4.1.4): a ServerHello with a fixed random. The client answers it with a second
 * ClientHello, which some servers accept with another server name.
 *
 *   record: type 22 | version | length | handshake message: type 2 | length (3) | version | random (32) ...
 */

const SERVER_HELLO = 2;
/** The SHA-256 of "HelloRetryRequest" (RFC 8446 section 4.1.3). */
const RETRY_RANDOM = Buffer.from('cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c', 'hex');
const RANDOM_AT = 5 + 4 + 2;
const RANDOM_END = RANDOM_AT + RETRY_RANDOM.length;

/**
 * Classifies the first bytes of a TLS server.
 * @returns `broken` for a ServerHello whose first record ends before its random, which no server sends
 */
export function readServerHello(sent: Buffer): 'partial' | 'retry' | 'other' | 'broken' {
  if (sent.length > 0 && sent[0] !== HANDSHAKE) return 'other';
  if (sent.length < 6) return 'partial';
  if (sent[5] !== SERVER_HELLO) return 'other';
  if (5 + sent.readUInt16BE(3) < RANDOM_END) return 'broken';
  if (sent.length < RANDOM_END) return 'partial';
  return sent.subarray(RANDOM_AT, RANDOM_END).equals(RETRY_RANDOM) ? 'retry' : 'other';
}
