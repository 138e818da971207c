import { createHmac, timingSafeEqual } from 'node:crypto';

/** The parts of a call that its signature covers: name, vantage id, the vantage's call counter, and content. */
export type SignedParts = readonly [
  call: 'work' | 'report',
  vantage: number,
  count: number,
  ...rest: (string | number)[],
];

/** The signature of a call: HMAC-SHA256 (RFC 2104) in hex over the parts, joined by spaces. No part contains a space. */
export function sign(key: string, parts: SignedParts): string {
  return createHmac('sha256', Buffer.from(key, 'hex')).update(parts.join(' ')).digest('hex');
}

/** Verifies the signature of a call in constant time. @param signature 64 hex digits */
export function verify(key: string, parts: SignedParts, signature: string): boolean {
  return timingSafeEqual(Buffer.from(sign(key, parts), 'hex'), Buffer.from(signature, 'hex'));
}
