import { createHmac, timingSafeEqual } from 'node:crypto';

/** The parts that a signed call covers: the call's name, the id of the vantage, its call counter, and the content of the call. */
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

/** Whether a signature fits. It compares in constant time. @param signature 64 hex digits */
export function verify(key: string, parts: SignedParts, signature: string): boolean {
  return timingSafeEqual(Buffer.from(sign(key, parts), 'hex'), Buffer.from(signature, 'hex'));
}
