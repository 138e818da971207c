import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Lane } from './core/fair-queue.ts';
import { derive } from './password-threads.ts';

/** argon2id (RFC 9106) with OWASP's first recommendation: 46 MiB, one pass, one lane. */
const cost = { memory: 47_104, passes: 1, parallelism: 1, tagLength: 32 };

/** The lane of hashes without a caller, such as the one of the first ADMIN. */
export const ofProcess: Lane = { known: true, line: 'process' };

function tag(password: string, nonce: string, c: typeof cost, lane: Lane): Promise<Uint8Array> {
  // Systems may encode the same characters in different Unicode forms (NIST SP 800-63B section 5.1.1.2).
  return derive({ message: password.normalize('NFKC'), nonce, ...c }, lane);
}

const b64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '');
const phcOf = (nonce: string, hash: Uint8Array) =>
  `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${nonce}$${b64(hash)}`;

/** @returns a PHC string: `$argon2id$v=19$m=…,t=…,p=…$salt$hash` */
export async function hashPassword(password: string, lane: Lane): Promise<string> {
  const nonce = b64(randomBytes(16));
  return phcOf(nonce, await tag(password, nonce, cost, lane));
}

// Verified for an unknown account, so that the reply takes as long as for a wrong password. No password has this hash.
const dummyHash = phcOf(b64(randomBytes(16)), randomBytes(cost.tagLength));

/** Whether the password matches the hash. Without a hash it returns false after the same time. */
export async function verifyPassword(
  password: string,
  phc: string | undefined,
  lane: Lane,
): Promise<boolean> {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(phc ?? dummyHash);
  const [, memory, passes, parallelism, nonce, hash] = match ?? [];
  if (nonce === undefined || hash === undefined) return false;
  const expected = Buffer.from(hash, 'base64');
  const own = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  };
  const actual = await tag(password, nonce, own, lane);
  return timingSafeEqual(actual, expected) && phc !== undefined;
}
