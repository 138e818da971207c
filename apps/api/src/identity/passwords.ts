import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Actor } from '../core/actor.ts';
import { type Lane, signedIn } from '../core/fair-queue.ts';
import { derive } from './password-threads.ts';

/** argon2id (RFC 9106) with OWASP's first recommendation: 46 MiB, one pass, one lane. `memory` is in KiB. */
const cost = { memory: 47_104, passes: 1, parallelism: 1, tagLength: 32 };

/** The queue for hashes that no request waits for, such as the hash of the first ADMIN's password. */
export const ofProcess: Lane = { known: true, line: 'process' };

/** Hashes passwords and compares them with their hashes. */
export interface Passwords {
  /** @returns a PHC string: `$argon2id$v=19$m=…,t=…,p=…$salt$hash` */
  hash(password: string, lane: Lane): Promise<string>;
  /** Whether the password matches the hash. If the hash is undefined, returns false after the same time. */
  verify(password: string, phc: string | undefined, lane: Lane): Promise<boolean>;
}

/** @param memory the memory cost of a new hash, in KiB. Tests that do not measure time lower it to run faster */
export function createPasswords(memory = cost.memory): Passwords {
  const own = { ...cost, memory };
  const phcOf = (nonce: string, hash: Uint8Array) =>
    `$argon2id$v=19$m=${memory},t=${cost.passes},p=${cost.parallelism}$${nonce}$${b64(hash)}`;
  // `verify` uses this hash for an unknown account, so that the reply takes as long as for a wrong password.
  // No password matches the hash.
  const dummyHash = phcOf(b64(randomBytes(16)), randomBytes(cost.tagLength));
  return {
    async hash(password, lane) {
      const nonce = b64(randomBytes(16));
      return phcOf(nonce, await tag(password, nonce, own, lane));
    },
    async verify(password, phc, lane) {
      const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(phc ?? dummyHash);
      const [, memory, passes, parallelism, nonce, hash] = match ?? [];
      if (nonce === undefined || hash === undefined) return false;
      const expected = Buffer.from(hash, 'base64');
      const stored = {
        memory: Number(memory),
        passes: Number(passes),
        parallelism: Number(parallelism),
        tagLength: expected.length,
      };
      const actual = await tag(password, nonce, stored, lane);
      return timingSafeEqual(actual, expected) && phc !== undefined;
    },
  };
}

/** Hashes a random password that is stored nowhere, so that only the link in the mail gives access to the account. */
export function unknownPassword(passwords: Passwords, { userId }: Actor): Promise<string> {
  return passwords.hash(randomBytes(32).toString('base64url'), signedIn(userId));
}

function tag(password: string, nonce: string, c: typeof cost, lane: Lane): Promise<Uint8Array> {
  // Systems may encode the same characters differently, so the password is normalized (NIST SP 800-63B section 5.1.1.2).
  return derive({ message: password.normalize('NFKC'), nonce, ...c }, lane);
}

const b64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '');
