import { randomBytes } from 'node:crypto';
import { limits } from '@propusk/contract/limits';

// Codes use Crockford's base32, which omits look-alike characters, because users type the codes from paper.
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Characters per recovery code, with 5 random bits each. A keyed hash of 80 random bits is safe without argon2id. */
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
