import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { posix } from 'node:path';
import { page, type Tree } from './layout.ts';
import { contentsOf, typeOf } from './servers.ts';
import type { Target } from './truth.ts';

/** A random site: classes of folder and extension, some of which are open to strangers as a whole. */
export interface RandomTree {
  readonly tree: Tree;
  /** The open classes, as a folder and an extension such as `/files/ .pdf`. */
  readonly open: ReadonlySet<string>;
}

const FOLDERS = [
  '/',
  '/assets/',
  '/bitrix/templates/main/',
  '/files/2026/',
  '/media/',
  '/static/js/',
  '/static/img/icons/',
  '/upload/docs/',
  '/wp-content/uploads/',
  '/wiki/',
  '/отчёты/',
  '/Общие документы/',
  '/a/b/c/d/',
];
const EXTENSIONS = [
  '.js',
  '.css',
  '.png',
  '.jpg',
  '.svg',
  '.pdf',
  '.zip',
  '.xml',
  '.woff2',
  '.docx',
  '.mp4',
  '',
  '.html',
  '.php',
];
const NAMES = [
  'main',
  'list',
  'plan',
  'act-17',
  'photo_2',
  'отчёт',
  'Прайс лист',
  'v1.2.3',
  'index2',
  'UPPER',
  'z',
];

/** A generator of numbers from 0 to 1 (mulberry32): the same seed gives the same tree. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const classOf = (path: string) =>
  `${path.slice(0, path.lastIndexOf('/') + 1)} ${posix.extname(path).toLowerCase()}`;

/**
 * Generates a site of at most 60 linked URLs. At least one URL of each class is linked from the first page or from at most two
 * pages that the first page links.
 * @param classes the largest number of classes
 */
export function randomTree(seed: number, classes = 12): RandomTree {
  const random = generator(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <T>(from: readonly T[]) => from[below(from.length)] as T;
  const all = new Map<string, string[]>();
  for (const wanted = 1 + below(classes); all.size < wanted; ) {
    const [folder, extension] = [pick(FOLDERS), pick(EXTENSIONS)];
    const members = Array.from({ length: 1 + below(5) }, () =>
      encodeURI(`${folder}${pick(NAMES)}${extension}`),
    );
    all.set(classOf(members[0] ?? ''), [...new Set(members)]);
  }
  const linked = [...all.values()].flatMap((members) => members.slice(0, 1 + below(members.length)));
  // Files may be linked from two inner pages only, if the first page links no other pages.
  const hubs = random() < 0.5 ? [] : ['/razdel/one', '/razdel/two'].slice(0, 1 + below(2));
  const pages = [[...hubs], ...hubs.map((): string[] => [])];
  for (const path of linked) {
    const isPage = ['', '.html', '.php'].includes(posix.extname(path));
    const place = hubs.length > 0 && (isPage || random() < 0.5) ? 1 + below(hubs.length) : 0;
    pages[place]?.push(random() < 0.2 ? decodeURI(path) : path);
  }
  const tree = Object.fromEntries([
    ...[...all.values()].flat().map((path) => [path, 'content\n'] as const),
    ...['/', ...hubs].map((path, index) => [path, page('Раздел', ...(pages[index] ?? []))] as const),
  ]);
  const isClosed = random() < 0.15;
  const open = new Set([...all.keys()].filter(() => !isClosed && random() < 0.4));
  return { tree, open };
}

/**
 * Serves a random site: strangers get 403 outside the open classes.
 * @param address the loopback address to listen on
 * @param user the address that the lock admits
 */
export async function startTree({ tree, open }: RandomTree, name: string, address: string, user: string) {
  let contents: ReadonlyMap<string, Buffer> = new Map();
  const listener: RequestListener = (request, response) => {
    const path = (request.url ?? '/').replace(/[?#].*$/s, '');
    const isAllowed = request.socket.remoteAddress === user || open.has(classOf(path));
    const body = isAllowed ? contents.get(path) : undefined;
    response.writeHead(isAllowed ? (body === undefined ? 404 : 200) : 403, { 'content-type': typeOf(path) });
    response.end(body ?? 'refused\n');
  };
  const server = createServer(listener);
  await once(server.listen(0, address), 'listening');
  const site = `${name}:${(server.address() as AddressInfo).port}`;
  contents = contentsOf(tree, `http://${site}`);
  const target: Target = { scheme: 'http', site, addresses: [address], tree, startPaths: [] };
  return {
    target,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
