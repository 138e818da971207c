import type { LockKind } from '@propusk/contract/lock';

/**
 * A server layout as data. The laboratory starts its servers, measures which URLs strangers can read, and compares the result
 * with the verdict of a probe.
 */
export interface Layout {
  /** The unique name; it is also the first label of the site's host name. */
  readonly name: string;
  readonly cause: Cause;
  /** The servers in the order of a request, such as `nginx → Apache`. */
  readonly software: string;
  /** The path of the address that the owner pastes; without it the owner pastes the host alone. */
  readonly pastedPath?: string;
  /** The scheme that the port speaks; by default http. */
  readonly scheme?: 'https';
  /** Whether the owner adds the site as `www.` and its host name. */
  readonly www?: boolean;
  /** The other addresses of the host name in DNS. */
  readonly otherAddresses?: readonly ('second' | 'ipv6')[];
  /** The only right verdict, where the truth alone would allow several. */
  readonly wanted?: string;
  /** All URLs that the layout serves. */
  readonly tree: Tree;
  /** Folders on disk by URL prefix; all other URLs are in `site`. */
  readonly mounts?: Readonly<Record<string, string>>;
  /** The behaviour of the application; by default it serves the tree. */
  readonly application?: Application;
  servers(place: Place): readonly Server[];
}

/**
 * Content by URL path. `{origin}` is replaced by the site's origin. The laboratory adds a marker to each content, by which a
 * response proves access.
 */
export type Tree = Readonly<Record<string, string | Buffer>>;

export interface Application {
  /** Responses that replace the content of the tree, by URL path. */
  readonly answers?: Readonly<
    Record<string, { readonly status: number; readonly headers?: Readonly<Record<string, string>> }>
  >;
  /** The URL whose content answers every path that the tree lacks. */
  readonly fallback?: string;
}

/** The addresses, ports and texts of one run of a layout. */
export interface Place {
  /** A folder that holds `site` and the other folders of the tree. */
  readonly folder: string;
  /** The host name of the site, without `www.`. */
  readonly host: string;
  /** The loopback address of the host name. */
  readonly address: string;
  /** A second address, for layouts whose host name has two. */
  readonly secondAddress: string;
  /** The public port. */
  readonly port: number;
  /** Ports of two servers behind the public one. */
  readonly behind: number;
  readonly alsoBehind: number;
  /** The port of the application, which serves the tree without a lock. */
  readonly application: number;
  /** The text of the lock that the console generates. `admitted` are further addresses. */
  lock(kind: LockKind, admitted?: readonly string[]): string;
}

/** The files of the certificate in the place's folder, for layouts with HTTPS. */
export const CERTIFICATE = { cert: 'cert.pem', key: 'key.pem' } as const;

export type Program = 'apache' | 'nginx' | 'caddy' | 'lighttpd' | 'haproxy' | 'squid';

export interface Server {
  readonly program: Program;
  readonly port: number;
  /** Renders the configuration; all files that the server writes are in `folder`. */
  configuration(folder: string): string;
  /** Files that the server reads, by path below the place's folder. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Causes of an opening or of a site that does not open; `none` are correctly locked layouts. */
export const causes = {
  none: 'the lock covers the whole site',
  'static offload': 'the server in front serves files by extension, before the locked server',
  'folder offload': 'the server in front serves a folder itself, before the locked server',
  'lock only behind': 'the server in front serves the first page, and only the server behind is locked',
  alias: 'an alias maps a path to a folder outside the locked document root',
  'proxied path': 'Apache passes a path to an application before it reads .htaccess',
  'granted by If': 'an <If> of a nested .htaccess grants access after the lock',
  'htaccess ignored': 'Apache does not read the .htaccess of the lock',
  'lock in a subfolder': 'the lock is in one folder of the site',
  'nested rewrite rules': 'a nested .htaccess with its own rewrite rules drops the rules of the lock',
  'lock in one location': 'the lock is in one location of nginx instead of in its server',
  'rewrite before the lock': 'a rewrite rule of nginx ends the processing before the lock',
  'handle before the lock': 'a directive of Caddy outside the route of the lock runs first',
  'routed past the lock': 'the balancer sends a path to a server without a lock',
  'file types before the proxy': 'lighttpd serves a folder or file types itself and passes the rest',
  'unlocked backend': 'one of two servers behind a balancer has no lock',
  'fallback on refusal': 'the server in front answers a refusal of the locked server from another source',
  cache: 'a cache answers before the lock',
  'forged address': 'the server accepts the address that a visitor names in a header',
  'front admitted': 'the lock admits the address of the server in front, so it admits every visitor',
  'other address': 'another address of the host name has no lock',
  'challenge page': 'a challenge page answers strangers before the lock',
  'users refused': 'users do not reach the site: a wrong address, a missing certificate or an error',
  'redirect away': 'users are redirected to a host that is no site of the company',
} as const;
export type Cause = keyof typeof causes;

/** The marker that a content proves access with. */
export const marker = (path: string) => `content of ${path} in the laboratory`;

/** Renders a page that links to URLs. The extension of each URL selects the element. */
export function page(title: string, ...links: readonly string[]): string {
  return `<!doctype html>
<html lang="ru"><head><meta charset="utf-8"><title>${title}</title>
${links
  .filter((link) => isHead(link))
  .map(element)
  .join('\n')}
</head><body><h1>${title}</h1>
${links
  .filter((link) => !isHead(link))
  .map(element)
  .join('\n')}
</body></html>
`;
}

const extension = (link: string) => /\.([a-z0-9]+)(?:[?#].*)?$/.exec(link)?.[1] ?? '';
const isHead = (link: string) => ['css', 'js', 'woff2', 'ico', 'webmanifest'].includes(extension(link));

function element(link: string): string {
  switch (extension(link)) {
    case 'css':
      return `<link rel="stylesheet" href="${link}">`;
    case 'js':
      return `<script src="${link}" defer></script>`;
    case 'woff2':
      return `<link rel="preload" as="font" href="${link}" crossorigin>`;
    case 'ico':
      return `<link rel="icon" href="${link}">`;
    case 'webmanifest':
      return `<link rel="manifest" href="${link}">`;
    case 'png':
    case 'jpg':
    case 'gif':
    case 'svg':
    case 'webp':
      return `<img src="${link}" alt="">`;
    default:
      return `<a href="${link}">${link}</a>`;
  }
}
