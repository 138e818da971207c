import * as z from 'zod/mini';
import { shownEmails } from './shown-email.ts';

/** Writes control characters, and those that reorder text, as escapes: `\u202e`. Tabs and line ends stay. */
export function visible(text: string): string {
  return text.replace(
    /(?![\t\n\r])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * A name in a reply. Releases up to 0.2 stored names with characters that `text` now refuses; they are escaped. A user without
 * names has the mail address in their place: its domain is in Unicode.
 */
export const ShownText = z.string().check(z.overwrite(visible), z.overwrite(shownEmails));

/** Returns the name to store: the stored one if `given` is the stored name as replies show it, or else `given`. */
export const keptName = (given: string, stored: string) =>
  given === shownEmails(visible(stored)) ? stored : given;
