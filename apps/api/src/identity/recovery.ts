import { randomBytes } from 'node:crypto';
import { limits } from '@propusk/contract/limits';

// Crockford's base32 omits look-alike characters, because users type codes from paper.
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** The number of characters in a code, of 5 random bits each. With 80 random bits, a keyed hash is safe without argon2id. */
const LENGTH = 16;

/** A set of recovery codes such as `7K3M-Q9XT-2HVD-W5PA`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: limits.recoveryCodes }, () => {
    const code = Array.from(randomBytes(LENGTH), (byte) => LETTERS[byte & 31]).join('');
    return code.replace(/.{4}(?=.)/g, '$&-');
  });
}

/** Normalises user input: `o` reads as 0, `i` and `l` as 1; spaces and hyphens are dropped. */
export function plainCode(typed: string): string {
  return typed.replace(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replace(/[IL]/g, '1');
}
