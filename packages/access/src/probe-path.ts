import { limits } from '@propusk/contract/limits';

/**
 * The rules for paths that a probe requests. A path is absolute, percent-encoded as URLs are, and has neither query nor fragment.
 */

/** Extensions that web servers serve as files, in lower case. */
export const staticExtension =
  /\.(?:avif|bmp|css|csv|docx?|eot|gif|html?|ico|jpe?g|js|json|map|mjs|mp3|mp4|ogg|otf|pdf|png|pptx?|rar|rtf|svg|tar|gz|tgz|ttf|txt|wasm|webm|webp|woff2?|xlsx?|xml|zip|7z)$/i;

/** Words of a path whose request may change something on the site. */
const acting =
  /^(?:log-?out|log-?off|sign-?out|exit|выход|выйти|delete|remove|unsubscribe|confirm|activate|approve|cancel|pay|buy|cart|order|cron|run|install|update|backup|restore|reset|send|hook|callback|token)$/i;

const uuid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i;
/** 20 or more base64url digits, unless they are words in lower case between hyphens. */
const isSecret = (segment: string) =>
  uuid.test(segment) || (segment.match(/[\w-]{20,}/g) ?? []).some((run) => /[A-Z]|^[^-_]*$/.test(run));

/** @returns the segments of a path, decoded */
const segmentsOf = (path: string) =>
  path
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => {
      try {
        return decodeURIComponent(segment);
      } catch {
        return segment;
      }
    });

/** Whether a request for a path may change something: one of its words names an action, such as `logout` or `delete`. */
export function mayAct(path: string): boolean {
  return segmentsOf(path).some((segment) =>
    segment.split(/[^\p{L}\p{N}-]+|(?<=[a-z])(?=[A-Z])/u).some((word) => isAction(word)),
  );
}

const isAction = (word: string) => acting.test(word) || word.split('-').some((part) => acting.test(part));

/** Whether a part of a path looks like a secret. The name of a static file may be a long hash. */
export function holdsSecret(path: string): boolean {
  const segments = segmentsOf(path);
  const last = segments.at(-1) ?? '';
  return segments.some((segment) => isSecret(segment) && !(segment === last && staticExtension.test(last)));
}

/**
 * Reads the start path of a pasted address or of typed text: `https://1c.example.ru/base/?x` gives `/base/`.
 * @returns null for `/`, for text without a path, and for a path longer than 200 characters
 */
export function startPathOf(raw: string): string | null {
  const rest = raw.trim().replace(/^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/?#\\]*/i, '');
  if (!rest.startsWith('/') || !URL.canParse(rest, 'http://site.invalid')) return null;
  // The prefix keeps `//host` a path.
  const { pathname } = new URL(`http://site.invalid${rest}`);
  return pathname === '/' || pathname.length > limits.startPath ? null : pathname;
}
