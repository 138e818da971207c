import * as z from 'zod/mini';
import { shownEmails } from './shown-email.ts';

/** Escapes control characters and characters that reorder text, for example as `\u202e`. Keeps tabs and line ends. */
export function visible(text: string): string {
  return text.replace(
    /(?![\t\n\r])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * A name as replies show it. Control characters, which releases up to 0.2 stored, are escaped. If a user has
 * no name, replies show the mail address instead, with its domain in Unicode.
 */
export const ShownText = z.string().check(z.overwrite(visible), z.overwrite(shownEmails));

/**
 * Returns the name to store after an edit. If `given` is what replies show for the stored name, the user did not
 * edit the name, so `stored` is returned. Otherwise `given` is returned.
 */
export const keptName = (given: string, stored: string) =>
  given === shownEmails(visible(stored)) ? stored : given;
