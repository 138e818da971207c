import * as z from 'zod/mini';
import { unicodeHost } from './unicode-host.ts';

/** Decodes the domains of the mail addresses in a text to Unicode. */
export function shownEmails(text: string): string {
  return text.replace(/@[a-z0-9.-]+/gi, unicodeHost);
}

/** An email address in a reply, with the domain in Unicode. @example anna@romashka.ru */
export const ShownEmail = z.string().check(z.overwrite(shownEmails));
