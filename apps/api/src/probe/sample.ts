import { holdsSecret, mayAct, staticExtension } from '@propusk/access/probe-path';
import { limits } from '@propusk/contract/limits';

/** The choice of the URLs that a probe requests as a stranger. Pure. */

/** A path to request as a stranger. */
export interface Sample {
  readonly path: string;
  /** `file`: a linked static file. `page`: a made-up name beside a linked page. `guess`: one with a usual extension. */
  readonly kind: 'file' | 'page' | 'guess';
}

/** What reading a site through a proxy found, as stored with its last probe. */
export interface Discovered {
  /** Paths that stand for one folder and one kind each; a path with the name `*` stands for a made-up name. At most 16. */
  readonly paths: readonly string[];
  /** Folders for made-up names with usual extensions. At most 4. */
  readonly folders: readonly string[];
}

const MAX_PATHS = 16;
const MAX_FOLDERS = 4;
/** Extensions that hosting panels let the front server serve without asking the server behind it. */
const usual = ['js', 'png', 'pdf', 'zip', 'xml', 'woff2'];

/**
 * Chooses at most 16 paths, spread over different folders and kinds, and at most 4 folders. The same links give the same choice.
 * A static file is requested by its own URL, and a page by a made-up name in its folder, because its request may change something.
 * @param links paths of the site's own host, from pages and robots.txt
 */
export function chooseSamples(links: readonly string[]): Discovered {
  const paths = [...new Set(links)].filter(
    (path) => path.length <= limits.startPath && !mayAct(path) && !holdsSecret(path),
  );
  const classes = Map.groupBy(
    paths.flatMap((path) => candidatesOf(path)),
    (candidate) => `${folderOf(candidate)} ${extensionOf(candidate)}`,
  );
  // The site's root has made-up names of its own.
  classes.delete('/ ');
  const chosen: string[] = [];
  const used = (key: string) => chosen.filter((path) => folderOf(path) === key || extensionOf(path) === key);
  const waiting = [...classes.values()].map((members) => [...new Set(members)]);
  // The first member of every class precedes the second of any.
  for (
    let turn = 0;
    chosen.length < MAX_PATHS && waiting.some((members) => members.length > turn);
    turn += 1
  ) {
    const round = waiting.flatMap((members) => members[turn] ?? []);
    while (round.length > 0 && chosen.length < MAX_PATHS) {
      const cost = (path: string) => used(folderOf(path)).length + used(extensionOf(path)).length;
      const costs = round.map(cost);
      chosen.push(...round.splice(costs.indexOf(Math.min(...costs)), 1));
    }
  }
  return { paths: chosen, folders: foldersOf(paths) };
}

/** The requests of a site's sample, the most telling first. @param random a name that no server knows */
export function samplesOf({ paths, folders }: Discovered, random: string): Sample[] {
  const sampled = paths.map((path): Sample => {
    const isPage = path.slice(path.lastIndexOf('/') + 1).startsWith('*');
    return { path: path.replace('*', random), kind: isPage ? 'page' : 'file' };
  });
  const guesses = ['/', ...folders].flatMap((folder) =>
    usual.map((extension): Sample => ({ path: `${folder}${random}.${extension}`, kind: 'guess' })),
  );
  return [...sampled, ...guesses];
}

/** The paths that stand for a link: a file, or made-up names beside and below a page. */
function candidatesOf(path: string): string[] {
  if (staticExtension.test(path)) return [path];
  const folder = folderOf(path);
  const extension = extensionOf(path);
  const beside = `${folder}*${extension === '' ? '' : `.${extension}`}`;
  // `/base` may be the folder `/base/`, such as an alias of the server.
  const isFolder = folder === '/' && path !== '/' && extension === '';
  return isFolder ? [beside, `${path}/*`] : [beside];
}

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1);
const extensionOf = (path: string) => /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';

/** The folders with the most links, without those whose name is that of an action. */
function foldersOf(paths: readonly string[]): string[] {
  // grows: by the links of one site; bound: 2,000 for each page; lives for one call
  const counts = new Map<string, number>();
  for (const path of paths)
    for (let folder = folderOf(path); folder !== '/'; folder = folderOf(folder.slice(0, -1)))
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
  return [...counts]
    .toSorted(([a, many], [b, more]) => more - many || a.length - b.length || (a < b ? -1 : 1))
    .slice(0, MAX_FOLDERS)
    .map(([folder]) => folder);
}
