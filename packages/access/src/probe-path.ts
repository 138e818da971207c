import { limits } from '@propusk/contract/limits';
import { actionWords } from '@propusk/phrases/access';

/**
 * The rules for paths that a probe requests. A path is absolute, percent-encoded as URLs are, and has neither query nor fragment.
 */

/** File name extensions of static files. */
export const staticExtension =
  /\.(?:avif|bmp|css|csv|docx?|eot|gif|html?|ico|jpe?g|js|json|map|mjs|mp3|mp4|ogg|otf|pdf|png|pptx?|rar|rtf|svg|tar|gz|tgz|ttf|txt|wasm|webm|webp|woff2?|xlsx?|xml|zip|7z)$/i;

/** Words that name an action. A request for a path with such a word may change something on the site. */
const acting = new Set([
  ...(
    'logout logoff signout exit delete remove destroy unsubscribe confirm activate approve cancel pay buy cart order ' +
    'checkout cron run install update backup restore reset reboot shutdown send hook callback token'
  ).split(' '),
  ...actionWords,
]);

const uuid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i;
/**
 * A segment is a secret if it has a UUID, or 20 or more base64url characters in a row. Lower-case words
 * joined by hyphens or underscores are not a secret.
 */
const isSecret = (segment: string) =>
  uuid.test(segment) || (segment.match(/[\w-]{20,}/g) ?? []).some((run) => /[A-Z]|^[^-_]*$/.test(run));

/** At most this many nested percent-encodings are decoded. A path with more encodings is undecodable. */
const DECODINGS = 4;

/** Decodes a path completely. @returns null for a path that is not UTF-8, or has too many nested encodings */
function decoded(path: string): string | null {
  let text = path;
  try {
    for (let i = 0; i < DECODINGS; i += 1) {
      const next = decodeURIComponent(text);
      if (next === text) return text.normalize('NFC');
      text = next;
    }
  } catch {
    // After at least one decoding, a `%` that begins no escape is an ordinary character, so the decoding is complete.
    return text === path ? null : text.normalize('NFC');
  }
  return null;
}

/** The length of a path in decoded characters. */
export const pathLength = (path: string) => decoded(path)?.length ?? path.length;

/**
 * Whether a request for a path may change something, because a word of the path names an action: `logout`, `SignOut`, `delete-item`.
 * Also true for a path that cannot be decoded.
 */
export function mayAct(path: string): boolean {
  const text = decoded(path);
  return (
    text === null || text.split('/').some((segment) => wordsOf(segment).some((word) => acting.has(word)))
  );
}

/** Splits a path segment into lower-case words, and adds each two adjacent words as one word: `sign`, `out`, `signout`. */
function wordsOf(segment: string): string[] {
  const words = segment
    .split(/[^\p{L}]+|(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u)
    .filter(Boolean)
    .map((word) => word.toLowerCase());
  return [...words, ...words.slice(1).map((word, index) => `${words[index]}${word}`)];
}

/**
 * Whether a segment of a path looks like a secret. The last segment does not count if it is a static file,
 * because the names of static files may contain long hashes.
 */
export function holdsSecret(path: string): boolean {
  const segments = (decoded(path) ?? path).split('/').filter(Boolean);
  const last = segments.at(-1) ?? '';
  return segments.some((segment) => isSecret(segment) && !(segment === last && staticExtension.test(last)));
}

/** The path of a URL, with its percent-encodings in upper case. */
export const pathOf = ({ pathname }: URL) =>
  pathname.replace(/%[0-9a-f]{2}/gi, (escape) => escape.toUpperCase());

/**
 * Reads the start path of a pasted address or of typed text: `https://1c.example.ru/base/?x` gives `/base/`.
 * @returns null for `/`, for text without a path, and for a path longer than 200 characters
 */
export function startPathOf(raw: string): string | null {
  const rest = raw.trim().replace(/^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/?#\\]*/i, '');
  if (!rest.startsWith('/') || !URL.canParse(rest, 'http://site.invalid')) return null;
  // The prefix `http://site.invalid` makes the URL parser read a leading `//host` as a path, not as a host.
  const path = pathOf(new URL(`http://site.invalid${rest}`));
  return path === '/' || pathLength(path) > limits.startPath ? null : path;
}
