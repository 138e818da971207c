import { randomBytes } from 'node:crypto';
import { limits } from '@propusk/contract/limits';

// Crockford's base32: no letter of it looks like another or like a digit when it is read from paper.
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 5 bits each: a code has 80, so that a plain keyed hash of it is enough. */
const LENGTH = 16;

/** A set of recovery codes as a person keeps them: `7K3M-Q9XT-2HVD-W5PA`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: limits.recoveryCodes }, () => {
    const code = Array.from(randomBytes(LENGTH), (byte) => LETTERS[byte & 31]).join('');
    return code.replace(/.{4}(?=.)/g, '$&-');
  });
}

/** What was typed as one spelling: `o` is 0 and `l` is 1 there, and spaces and hyphens are nothing. */
export function plainCode(typed: string): string {
  return typed.replace(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replace(/[IL]/g, '1');
}
