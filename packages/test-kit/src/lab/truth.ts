import { Client, type Visitor } from './client.ts';
import { discover, isMadeUp, type Reason } from './discoverable.ts';
import { marker, type Tree } from './layout.ts';

/** The ground truth of a layout, measured by an independent client. */
export interface Truth {
  /** URLs that are open to strangers and that a probe can discover by its rules. */
  readonly discoverable: ReadonlyMap<string, Reason>;
  /** URLs that are open to strangers and that no rule of the probe discovers. */
  readonly hidden: readonly string[];
  /** Whether `/` or a start path opens for users. */
  readonly opens: boolean;
  /** URLs of the tree whose content users do not get: a mistake of the layout, unless users are refused. */
  readonly missing: readonly string[];
  /** The number of URLs that were requested. */
  readonly requested: number;
}

/** A site whose truth is measured. */
export interface Target {
  readonly scheme: 'http' | 'https';
  /** Host and port. */
  readonly site: string;
  /** The addresses of the host name; users use the first. */
  readonly addresses: readonly [string, ...string[]];
  readonly tree: Tree;
  readonly startPaths: readonly string[];
}

/** The headers in which a stranger claims an allowed address. */
const CLAIMS = ['X-Forwarded-For', 'X-Real-IP', 'CF-Connecting-IP', 'True-Client-IP', 'X-Client-IP'];

/**
 * Requests all URLs of a site as a user and as a stranger.
 * @param stranger the address of a stranger
 * @param user an address that the lock admits
 */
export async function measure(
  { scheme, site, addresses, tree, startPaths }: Target,
  { stranger, user }: { stranger: string; user: string },
): Promise<Truth> {
  const client = new Client(site, scheme);
  const asUser = (path: string) => client.get(addresses[0], path, { from: user });
  try {
    // The requests of users precede those of strangers, so that a cache in front already holds the content.
    const missing: string[] = [];
    for (const path of Object.keys(tree)) {
      const { body } = await asUser(path);
      if (!body.includes(marker(path))) missing.push(path);
    }
    const found = await discover(
      async (path) => {
        const { status, headers, body } = await asUser(path);
        return { status, type: headers['content-type'] ?? '', location: headers.location, body };
      },
      `${scheme}://${site}`,
      startPaths,
    );
    const all = new Set([...Object.keys(tree), ...found.keys()]);
    const visitors: Visitor[] = [{ from: stranger }];
    const opened = new Set<string>();
    for (const address of addresses) {
      // A balancer alternates between its servers, so each URL is requested twice.
      for (const visitor of [...visitors, ...visitors]) {
        for (const path of all) if (await isOpen(client, address, path, visitor)) opened.add(path);
      }
      for (const path of ['/', ...startPaths]) {
        for (const claim of CLAIMS) {
          const visitor = { from: stranger, headers: { [claim]: user } };
          if (await isOpen(client, address, path, visitor)) opened.add(path);
        }
      }
    }
    return {
      discoverable: new Map([...found].filter(([path]) => opened.has(path))),
      hidden: [...opened].filter((path) => !found.has(path)),
      opens: await opensFor(asUser, `${scheme}://${site}`, ['/', ...startPaths]),
      missing,
      requested: all.size,
    };
  } finally {
    client.close();
  }
}

/** A URL is open if a stranger gets its content, or if a made-up name gets 404 instead of a refusal. */
async function isOpen(client: Client, address: string, path: string, visitor: Visitor): Promise<boolean> {
  const { status, body } = await client.get(address, path, visitor);
  if (isMadeUp(path)) return (status >= 200 && status < 300) || [404, 405, 410].includes(status);
  return (status >= 200 && status < 300) || body.includes(marker(path));
}

async function opensFor(
  read: (path: string) => Promise<{ status: number; headers: { location?: string | undefined } }>,
  origin: string,
  paths: readonly string[],
): Promise<boolean> {
  for (const start of paths) {
    let path = start;
    for (let redirects = 0; redirects <= 5; redirects++) {
      const { status, headers } = await read(path);
      if ((status >= 200 && status < 300) || status === 401) return true;
      if (headers.location === undefined) break;
      const next = new URL(headers.location, `${origin}${path}`);
      // A redirect to a sign-in service counts as access, because users return from it.
      if (next.searchParams.has('client_id')) return true;
      if (next.origin !== origin) break;
      path = next.pathname;
    }
  }
  return false;
}
