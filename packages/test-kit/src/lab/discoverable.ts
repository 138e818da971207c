import { posix } from 'node:path';
import { linksOf } from './links.ts';

/**
 * Computes which URLs of a site a probe can discover by its rules. All other URLs are hidden. The author of a layout does not
 * decide this.
 */

export type Reason = 'start path' | 'link' | 'robots.txt' | 'sitemap' | 'made-up name';

/** A response that a user of the site gets. */
export interface ReadPage {
  readonly status: number;
  readonly type: string;
  readonly location: string | undefined;
  readonly body: Buffer;
}

/** Words of a path segment that exclude the URL from all requests of a probe. */
const NEVER = new Set(
  (
    'logout signout exit выход delete remove unsubscribe confirm activate approve cancel pay buy cart order cron run install ' +
    'update backup restore reset send hook callback token'
  ).split(' '),
);
/** Extensions of pages: a probe does not request such URLs as a stranger, but made-up names beside them. */
const PAGES = new Set(['', '.html', '.htm', '.php', '.asp', '.aspx', '.jsp', '.cgi', '.pl']);
/** Extensions of made-up names. */
const USUAL = ['js', 'png', 'pdf', 'zip', 'xml', 'woff2', 'css', 'php', 'html'];
const MADE_UP = 'lab0absent';

const SECRET =
  /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{20,}|(?=.*\d)[A-Za-z0-9_-]{20,})$/i;

/** Whether the rules forbid to request a path. */
export function isForbidden(path: string): boolean {
  const segments = decodeURIComponent(path).split('/');
  return segments.some((segment, index) => {
    const isFileName = index === segments.length - 1 && !PAGES.has(posix.extname(segment).toLowerCase());
    if (!isFileName && SECRET.test(segment)) return true;
    return wordsOf(segment).some((word) => NEVER.has(word));
  });
}

/** The words of a segment in lower case; `deleteItem` has two. */
const wordsOf = (segment: string) =>
  segment
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u);

const isPagePath = (path: string) => PAGES.has(posix.extname(path).toLowerCase());

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1);

/**
 * Returns every discoverable URL with its reason.
 * @param read requests a path as a user of the site does
 * @param origin the site's origin, such as `http://crm.example.test:8080`
 */
export async function discover(
  read: (path: string) => Promise<ReadPage>,
  origin: string,
  startPaths: readonly string[],
): Promise<Map<string, Reason>> {
  const found = new Map<string, Reason>();
  const folders = new Set(['/']);
  const pages = new Set<string>();
  const note = (path: string, reason: Reason) => {
    if (isForbidden(path)) return;
    folders.add(folderOf(path));
    if (isPagePath(path)) {
      pages.add(path);
      found.set(`${folderOf(path)}${MADE_UP}${posix.extname(path)}`, 'made-up name');
    } else if (!found.has(path)) found.set(path, reason);
  };
  const linksAt = async (start: string) => {
    let path = start;
    for (let redirects = 0; redirects <= 5; redirects++) {
      const { status, type, location, body } = await read(path);
      const base = `${origin}${path}`;
      if (status >= 300 && status < 400 && location !== undefined) {
        const next = insideSite(location, base, origin);
        if (next === null || isForbidden(next)) return [];
        note(next, 'link');
        path = next;
      } else {
        if (!type.startsWith('text/html')) return [];
        return linksOf(body, type, base).flatMap((link) => insideSite(link, base, origin) ?? []);
      }
    }
    return [];
  };

  for (const path of ['/', ...startPaths]) {
    found.set(path, 'start path');
    note(path, 'start path');
  }
  for (const path of ['/', ...startPaths]) for (const link of await linksAt(path)) note(link, 'link');
  for (const path of [...pages]) for (const link of await linksAt(path)) note(link, 'link');
  for (const [path, reason] of await listed(read, origin)) note(path, reason);
  for (const folder of folders) {
    for (const extension of USUAL) {
      const path = `${folder}${MADE_UP}.${extension}`;
      if (!found.has(path)) found.set(path, 'made-up name');
    }
  }
  return found;
}

export const isMadeUp = (path: string) => path.includes(MADE_UP);

/** The paths that robots.txt and the sitemaps name. */
async function listed(
  read: (path: string) => Promise<ReadPage>,
  origin: string,
): Promise<[path: string, reason: Reason][]> {
  const paths: [string, Reason][] = [];
  const robots = await read('/robots.txt');
  const base = `${origin}/`;
  const sitemaps = new Set(['/sitemap.xml']);
  for (const line of robots.status === 200 ? robots.body.toString().split('\n') : []) {
    const [, name = '', value = ''] = /^\s*(disallow|sitemap)\s*:\s*(\S+)/i.exec(line) ?? [];
    if (name.toLowerCase() === 'sitemap') {
      const path = insideSite(value, base, origin);
      if (path !== null) sitemaps.add(path);
    } else if (value.startsWith('/')) {
      // A pattern counts up to its first wildcard.
      paths.push([value.replace(/[*?$].*$/, ''), 'robots.txt']);
    }
  }
  for (const sitemap of sitemaps) {
    const { status, body } = await read(sitemap);
    if (status !== 200) continue;
    for (const [, url = ''] of body.toString().matchAll(/<loc>\s*([^<\s]+)\s*<\/loc>/g)) {
      const path = insideSite(url, base, origin);
      if (path !== null) paths.push([path, 'sitemap']);
    }
  }
  return paths;
}

/** The path of a URL without its query, or null when the URL is not on the site. */
function insideSite(link: string, base: string, origin: string): string | null {
  if (!URL.canParse(link, base)) return null;
  const url = new URL(link, base);
  return url.origin === origin ? url.pathname : null;
}
