import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { dirname, extname, join } from 'node:path';
import { lockSnippets } from '@propusk/access/lock/snippets';
import { type Daemon, listenOnLoopback, openFolder, startDaemon } from '../daemon.ts';
import { makeCertificate } from '../gateway/certificate.ts';
import { runApache } from '../locks/apache.ts';
import { runCaddy } from '../locks/caddy.ts';
import { runNginx } from '../locks/nginx.ts';
import { put } from '../locks/site.ts';
import {
  CERTIFICATE,
  type Layout,
  marker,
  type Place,
  type Program,
  type Server,
  type Tree,
} from './layout.ts';
import type { Target } from './truth.ts';

/** The loopback address that a layout's own servers connect from, so that it differs from a stranger's. */
export const FRONT_ADDRESS = '127.0.0.9';

/** A layout whose servers run. */
export interface RunningLayout {
  readonly place: Place;
  /** The address that the owner pastes: host, port and path. */
  readonly pasted: string;
  readonly target: Target;
  stop(): Promise<void>;
}

/** The host names of a layout. */
export const namesOf = (layout: Layout) => {
  const host = `${layout.name}.example.test`;
  return { host, site: layout.www === true ? `www.${host}` : host };
};

/** The loopback addresses of the layout at an index: its host name, and the second address. */
const addressesOf = (index: number) => ({ address: `127.0.2.${index + 1}`, second: `127.0.3.${index + 1}` });

/** The DNS records of the layout at an index. Caddy answers 200 to names that it does not serve, so it has no `www`. */
export function recordsOf(layout: Layout, index: number): [name: string, addresses: [string, ...string[]]][] {
  const { address, second } = addressesOf(index);
  const others = (layout.otherAddresses ?? []).map((other) => (other === 'ipv6' ? '::1' : second));
  const { host } = namesOf(layout);
  const names = layout.software.startsWith('Caddy') ? [host] : [host, `www.${host}`];
  return names.map((name) => [name, [address, ...others]]);
}

/**
 * Starts the application and the servers of a layout.
 * @param egress the addresses that the lock admits
 * @throws Error when a program is missing or refuses its configuration
 */
export async function startLayout(
  layout: Layout,
  index: number,
  egress: readonly string[],
): Promise<RunningLayout> {
  const folder = await openFolder('lab');
  const { host, site: name } = namesOf(layout);
  const { address, second } = addressesOf(index);
  const [port, behind, alsoBehind] = [await lowPort(), await lowPort(), await lowPort()];
  const site = `${name}:${port}`;
  const scheme = layout.scheme ?? 'http';
  const contents = contentsOf(layout.tree, `${scheme}://${site}`);
  const application = await listenOnLoopback(createServer(serve(layout, contents)));
  const place: Place = {
    folder,
    host,
    address,
    secondAddress: second,
    port,
    behind,
    alsoBehind,
    application: application.port,
    lock: (kind, admitted = []) => textOf(kind, site, [...egress, ...admitted]),
  };
  const running: { stop(): Promise<void> }[] = [application];
  const stop = async () => {
    await Promise.all(running.map((each) => each.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await writeTree(layout, folder, contents);
    if (scheme === 'https') await writeCertificate(folder, name);
    const servers = layout.servers(place);
    for (const server of servers) {
      for (const [path, text] of Object.entries(server.files ?? {})) await put(join(folder, path), text);
    }
    // From the last server to the first: squid does not retry a server that was absent at its start.
    for (const server of servers.toReversed()) running.push(await startServer(server));
  } catch (error) {
    await stop();
    throw new Error(`the layout ${layout.name} does not start`, { cause: error });
  }
  const others = (layout.otherAddresses ?? []).map((other) => (other === 'ipv6' ? '::1' : second));
  const startPaths = layout.pastedPath === undefined ? [] : [layout.pastedPath];
  return {
    place,
    pasted: `${site}${layout.pastedPath ?? ''}`,
    target: { scheme, site, addresses: [address, ...others], tree: layout.tree, startPaths },
    stop,
  };
}

async function writeCertificate(folder: string, name: string): Promise<void> {
  const certificate = await makeCertificate(`DNS:${name}`);
  await put(join(folder, CERTIFICATE.cert), certificate.cert);
  await put(join(folder, CERTIFICATE.key), certificate.key);
  await certificate.remove();
}

/**
 * Returns a free port below the range that the kernel assigns to clients. The servers of a layout bind it later, and a client of
 * another test must not take it meanwhile.
 */
async function lowPort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const server = createServer();
    const isFree = await once(server.listen(port, '127.0.0.1'), 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

function textOf(kind: Parameters<Place['lock']>[0], site: string, egress: readonly string[]): string {
  const found = lockSnippets({ address: site, egress }).find((snippet) => snippet.kind === kind);
  if (found === undefined) throw new Error(`no lock for ${kind}`);
  return found.text;
}

/** The contents of a tree with their markers. */
export function contentsOf(tree: Tree, origin: string): Map<string, Buffer> {
  return new Map(
    Object.entries(tree).map(([path, content]) => {
      const body = Buffer.isBuffer(content) ? content : Buffer.from(content.replaceAll('{origin}', origin));
      return [path, Buffer.concat([body, Buffer.from(wrapped(path))])];
    }),
  );
}

function wrapped(path: string): string {
  if (path.endsWith('robots.txt')) return `# ${marker(path)}\n`;
  return isPage(path) || /\.(xml|svg)$/.test(path) ? `<!-- ${marker(path)} -->\n` : `${marker(path)}\n`;
}

const isPage = (path: string) => ['', '.html', '.php'].includes(extname(path));

/** Writes the content of each file URL into the folder that its URL prefix is mapped to. */
async function writeTree(
  layout: Layout,
  folder: string,
  contents: ReadonlyMap<string, Buffer>,
): Promise<void> {
  await mkdir(join(folder, 'site'), { recursive: true });
  const mounts = Object.entries(layout.mounts ?? {}).toSorted(([a], [b]) => b.length - a.length);
  for (const [path, body] of contents) {
    if (!path.endsWith('/') && extname(path) === '') continue;
    const [prefix, root] = mounts.find(([start]) => path.startsWith(start)) ?? ['/', 'site'];
    const below = decodeURIComponent(path.slice(prefix.length));
    const target = join(folder, root, path.endsWith('/') ? `${below}index.html` : below);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, body);
  }
}

/** The Content-Type of a path. */
export const typeOf = (path: string) =>
  isPage(path) ? 'text/html; charset=utf-8' : (types[extname(path)] ?? 'application/octet-stream');

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.xml': 'text/xml',
  '.txt': 'text/plain',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.svg': 'image/svg+xml',
  '.pdf': 'application/pdf',
};

/** The application of a layout: it serves the tree to every visitor. */
function serve({ application = {} }: Layout, contents: ReadonlyMap<string, Buffer>): RequestListener {
  return (request, response) => {
    const path = (request.url ?? '/').replace(/[?#].*$/s, '');
    const answer = application.answers?.[path];
    const known = contents.has(path) ? path : application.fallback;
    const body = known === undefined ? undefined : contents.get(known);
    response.writeHead(answer?.status ?? (body === undefined ? 404 : 200), {
      'content-type': typeOf(known ?? path),
      ...answer?.headers,
    });
    response.end(answer === undefined ? (body ?? 'Not Found\n') : (body ?? ''));
  };
}

const starters: Record<Program, (folder: string, port: number, configuration: string) => Promise<Daemon>> = {
  apache: runApache,
  nginx: runNginx,
  caddy: runCaddy,
  lighttpd: startFrom('/usr/sbin/lighttpd', 'lighttpd.conf', (path) => ['-D', '-f', path]),
  haproxy: startFrom('/usr/sbin/haproxy', 'haproxy.cfg', (path) => ['-db', '-f', path]),
  // The name of the service keeps the shared memory of two squids apart.
  squid: startFrom('/usr/sbin/squid', 'squid.conf', (path, port) => ['-N', '-n', `lab${port}`, '-f', path]),
};

function startFrom(program: string, file: string, args: (path: string, port: number) => string[]) {
  return async (folder: string, port: number, configuration: string) => {
    const path = join(folder, file);
    await put(path, configuration);
    return startDaemon(folder, port, program, args(path, port));
  };
}

async function startServer(server: Server): Promise<Daemon> {
  const folder = await openFolder(`lab-${server.program}`);
  return starters[server.program](folder, server.port, server.configuration(folder));
}
