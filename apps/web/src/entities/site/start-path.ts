import { startPathOf } from '@propusk/access/probe-path';
import { unicodeHost } from '@propusk/contract/unicode-host';

/**
 * Splits a typed site address into the host, which becomes the site, and the path, which becomes a start path of its probe.
 * @returns null for an address without a path
 */
export function splitAddress(typed: string): { host: string; path: string } | null {
  const path = startPathOf(typed);
  const url = typed.trim().replace(/^(?![a-z][a-z0-9+.-]*:\/\/)/i, 'http://');
  if (path === null || !URL.canParse(url)) return null;
  return { host: unicodeHost(new URL(url).host), path: shownPath(path) };
}

/** Decodes a path for display. A path that would be read back as a different one stays percent-encoded. */
export function shownPath(path: string): string {
  try {
    const decoded = decodeURI(path);
    return startPathOf(decoded) === path ? decoded : path;
  } catch {
    return path;
  }
}
