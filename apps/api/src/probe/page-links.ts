import { setImmediate as nextTurn } from 'node:timers/promises';
import { Parser } from 'htmlparser2';

/** Limits for one page, so that a hostile page cannot block the event loop or exhaust memory. */
const MAX_LINKS = 2_000;
const MAX_URL = 2_048;
/** The parser is reset when this many elements are open, because at each closing tag it searches all open elements. */
const MAX_DEPTH = 512;
/** The number of characters that are parsed before other work of the event loop may run. */
const PIECE = 16_384;

/** Link relations to ignore: they name a host to connect to, or pages that crawlers should not follow. */
const hintsOnly = /\b(?:preconnect|dns-prefetch|nofollow)\b/i;

/**
 * Finds the links of an HTML page: anchors, scripts, styles, images, frames and `srcset`. Omits form actions, `download`,
 * `data-method` and `rel=nofollow`, because such requests may change data.
 * @param body the bytes of the page as latin1
 * @param contentType the header, for the charset
 * @returns absolute http and https URLs in the order of the page, at most 2,000
 */
export async function linksOf(body: string, contentType: string, url: URL): Promise<URL[]> {
  // Bounded: the list exists for one call, and holds at most MAX_LINKS links
  const links: URL[] = [];
  let base = url;
  let tried = 0;
  let depth = 0;
  const parse = (text: string, from: URL) => {
    const target = text.length > MAX_URL ? null : URL.parse(text.trim(), from.href);
    return target !== null && target.href.length <= MAX_URL ? target : null;
  };
  const add = (text: string | undefined) => {
    if (text === undefined || (tried += 1) > MAX_LINKS) return;
    const target = parse(text, base);
    if (target !== null && /^https?:$/.test(target.protocol)) links.push(target);
  };
  const parser = new Parser({
    onclosetag: () => void (depth -= 1),
    onopentag(name, given) {
      depth += 1;
      if ('data-method' in given || 'download' in given || hintsOnly.test(given.rel ?? '')) return;
      if (name === 'base') base = parse(given.href ?? '', url) ?? base;
      else if (name === 'a' || name === 'area' || name === 'link') add(given.href);
      else if (name === 'meta' && /^refresh$/i.test(given['http-equiv'] ?? ''))
        add(/url\s*=\s*["']?([^"']+)/i.exec(given.content ?? '')?.[1]);
      else if (name !== 'form' && name !== 'input' && name !== 'button')
        for (const key of ['src', 'data-src', 'data', 'poster']) add(given[key]);
      for (const candidate of (given.srcset ?? given.imagesrcset)?.split(',', MAX_LINKS) ?? [])
        add(candidate.trim().split(/\s/)[0]);
    },
  });
  const text = decode(body, contentType);
  for (let at = 0; at < text.length && links.length < MAX_LINKS; at += PIECE) {
    parser.write(text.slice(at, at + PIECE));
    if (depth > MAX_DEPTH) {
      parser.reset();
      depth = 0;
    }
    await nextTurn();
  }
  return links;
}

/** Reads the `Disallow` folders and files, and the sitemaps, of a robots.txt (RFC 9309). */
export function readRobots(body: string, url: URL): { disallowed: URL[]; sitemaps: URL[] } {
  const values = (field: string) =>
    [...body.matchAll(new RegExp(`^[ \\t]*${field}[ \\t]*:[ \\t]*([^\\s#]{1,${MAX_URL}})`, 'gim'))]
      .slice(0, MAX_LINKS)
      .flatMap(([, value = '']) => URL.parse(value.replace(/[*$].*/, ''), url.href) ?? []);
  return { disallowed: values('disallow'), sitemaps: values('sitemap') };
}

/** Reads the URLs of a sitemap (sitemaps.org), without following nested sitemaps. */
export function readSitemap(body: string, url: URL): URL[] {
  return [...body.matchAll(/<loc>\s*([^<\s]{1,2048})\s*<\/loc>/gi)]
    .slice(0, MAX_LINKS)
    .flatMap(([, value = '']) => URL.parse(value.replaceAll('&amp;', '&'), url.href) ?? []);
}

function decode(body: string, contentType: string): string {
  const declared = /charset\s*=\s*["']?([\w-]+)/i;
  const charset = (declared.exec(contentType) ?? declared.exec(body.slice(0, 1024)))?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(Buffer.from(body, 'latin1'));
  } catch {
    return body;
  }
}
