import { holdsSecret, mayAct, pathLength, staticExtension } from '@propusk/access/probe-path';
import { limits } from '@propusk/contract/limits';

/** Chooses paths that a probe requests from outside, to find parts of a site that the lock does not cover. */

/** A path that the probe requests from outside, without the gateway. */
export interface Sample {
  readonly path: string;
  /**
   * `file`: a linked static file. `page`: a made-up name beside a linked page. `guess`: a made-up name with a usual extension.
   */
  readonly kind: 'file' | 'page' | 'guess';
}

/** The paths found by reading a site through a proxy. */
export interface Discovered {
  /**
   * At most 16 paths for the probe to request, from different folders and with different file extensions. The probe replaces `{}` in
   * a path by a random name.
   */
  readonly paths: readonly string[];
  /** At most 4 folders in which the probe requests made-up names with usual file extensions. */
  readonly folders: readonly string[];
  /** The number of pairs of folder and file extension that have no path in `paths`. */
  readonly left: number;
}

const MAX_PATHS = 16;
const MAX_FOLDERS = 4;
const MAX_DEPTH = 8;
/** The placeholder of a made-up name. The path of a URL contains no braces, so the placeholder is unambiguous. */
export const MADE_UP = '{}';
/**
 * Extensions of static files. Hosting panels let the front server serve such files, so a lock in the back server may not apply.
 */
const usual = ['js', 'png', 'pdf', 'zip', 'xml', 'woff2'];

/**
 * Chooses at most 16 paths and at most 4 folders from the links of a site. The paths cover many folders and file extensions. The
 * choice depends only on the links. A static file is requested by its own URL. A page is replaced by a made-up name in its
 * folder, because a request for the page may change data.
 * @param links paths of the site's own host, from pages and robots.txt
 * @param open paths that the owner leaves open, which are not chosen
 */
export function chooseSamples(links: readonly string[], open: readonly string[] = []): Discovered {
  const paths = [...new Set(links)].filter((path) => !open.includes(path));
  const classes = Map.groupBy(
    paths.flatMap((path) => candidatesOf(path)),
    (candidate) => `${folderOf(candidate)} ${extensionOf(candidate)}`,
  );
  const forbidden = new Set(
    paths.filter((path) => mayAct(path)).map((path) => `${folderOf(path)} ${extensionOf(path)}`),
  );
  // Omits the root folder, because every probe requests made-up names in the root folder anyway.
  classes.delete('/ ');
  const waiting = [...classes.values()].map((members) => [...new Set(members)].slice(0, MAX_PATHS));
  const chosen: string[] = [];
  // Bounded: at most two keys for each of MAX_PATHS chosen paths
  const used = new Map<string, number>();
  const cost = (path: string) => (used.get(folderOf(path)) ?? 0) + (used.get(extensionOf(path)) ?? 0);
  // Takes one path of each class (folder and file extension), then a second path of each class, and so on.
  for (
    let turn = 0;
    chosen.length < MAX_PATHS && waiting.some((members) => members.length > turn);
    turn += 1
  ) {
    const round = waiting.flatMap((members) => members[turn] ?? []);
    while (round.length > 0 && chosen.length < MAX_PATHS) {
      const costs = round.map(cost);
      const [path = ''] = round.splice(costs.indexOf(Math.min(...costs)), 1);
      chosen.push(path);
      for (const key of [folderOf(path), extensionOf(path)]) used.set(key, (used.get(key) ?? 0) + 1);
    }
  }
  const unseen = [...forbidden].filter((key) => !classes.has(key)).length;
  return {
    paths: chosen,
    folders: foldersOf([...classes.values()].flat()),
    left: Math.max(0, waiting.length - MAX_PATHS) + unseen,
  };
}

/** Lists the sample paths of a site in descending priority. @param random the made-up name that replaces `{}` in `paths` */
export function samplesOf(
  { paths, folders }: Pick<Discovered, 'paths' | 'folders'>,
  random: string,
): Sample[] {
  const sampled = paths.map(
    (path): Sample => ({
      path: path.replace(MADE_UP, random),
      kind: path.includes(MADE_UP) ? 'page' : 'file',
    }),
  );
  const guesses = ['/', ...folders].flatMap((folder) =>
    usual.map((extension): Sample => ({ path: `${folder}${random}.${extension}`, kind: 'guess' })),
  );
  return [...sampled, ...guesses];
}

/** Returns the sample paths for a link: the linked static file, or made-up names in the folder of the linked page. */
function candidatesOf(path: string): string[] {
  if (mayAct(path)) return [];
  const extension = extensionOf(path);
  const name = `${MADE_UP}${extension === '' ? '' : `.${extension}`}`;
  const isClean = !holdsSecret(path) && pathLength(path) <= limits.startPath;
  if (isClean && staticExtension.test(path)) return [path];
  // The made-up name is placed in the nearest parent folder whose path is short enough and does not look like a secret.
  let folder = folderOf(path);
  while (folder !== '/' && (holdsSecret(folder) || pathLength(folder) > limits.startPath))
    folder = folderOf(folder.slice(0, -1));
  // A link to `/base` may mean the folder `/base/`, so a made-up name in `/base/` is requested too.
  const isFolder = isClean && folder === '/' && path !== '/' && extension === '';
  return isFolder ? [`${folder}${name}`, `${path}/${MADE_UP}`] : [`${folder}${name}`];
}

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1);
const extensionOf = (path: string) => /\.([^./]+)$/.exec(path)?.[1] ?? '';

/** The folders with the most links. */
function foldersOf(paths: readonly string[]): string[] {
  // Bounded: at most MAX_DEPTH folders for each path; discarded after the call
  const counts = new Map<string, number>();
  for (const path of paths) {
    let folder = folderOf(path);
    for (let depth = 0; folder !== '/' && depth < MAX_DEPTH; depth += 1) {
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
      folder = folderOf(folder.slice(0, -1));
    }
  }
  return [...counts]
    .toSorted(([a, many], [b, more]) => more - many || a.length - b.length || (a < b ? -1 : 1))
    .slice(0, MAX_FOLDERS)
    .map(([folder]) => folder);
}
