import type { IncomingHttpHeaders } from 'node:http';
import type { CheckMessage } from '@propusk/phrases/checks';
import type { ConnectError, ConnectErrorReason } from './connect-error.ts';
import type { ResponseHead } from './connect-tunnel.ts';
import type { OutsideStep, PlannedStep } from './plan.ts';

/** The conclusion of a probe from the response to one of its requests, or from a missing response. */
export type Finding =
  /** The server denied access, or our gateway has no address of the site's family (IPv4 or IPv6). */
  | 'denied'
  /** No connection was established. Other results decide whether the site or our network failed. */
  | 'no_connection'
  /** The peer refused the connection. */
  | 'refused'
  /** The peer accepted the connection and closed it without a response. */
  | 'dropped'
  /** The machine that sent the request has no confirmed internet access by the address family (IPv4 or IPv6) of the request. */
  | 'no_egress'
  /** A redirect to another URL of the same site, without any content. */
  | 'redirect'
  /** The site answered with content, or its application handled the request. */
  | 'open'
  /** Strangers can open the path, and the owner has declared the path open. */
  | 'allowed'
  /** Only for requests through a proxy: the site has no page at this path. */
  | 'missing'
  /** Only for requests through a proxy: the site returned no page, and no other finding describes the status. */
  | 'rejected'
  /** Only for requests through a proxy: the site redirects to a host that the users of the site's policies cannot reach. */
  | 'away'
  /** The site failed. */
  | 'server_error'
  /** The TLS handshake failed: the port speaks no TLS, or no version that we support. */
  | 'no_tls'
  /** A response that shows neither an open nor a closed site. */
  | 'unclear'
  /** No result: the proxy failed, the time limit was reached, or the request was not sent. */
  | 'inconclusive';

export interface StepResult {
  readonly step: PlannedStep;
  readonly finding: Finding;
  /** Describes the response or the error; null if an earlier result made the request unnecessary. */
  readonly detail: CheckMessage | null;
  readonly cdn: string | null;
}

/** The result of an inconclusive request. @param detail null if an earlier result made the request unnecessary */
export function inconclusive(step: PlannedStep, detail: CheckMessage | null): StepResult {
  return { step, finding: 'inconclusive', detail, cdn: null };
}

/** The largest body, in bytes, of a redirect without content. A redirect with a larger body may show content of the site. */
const REDIRECT_BODY = 4096;

/** Classifies the response to a request that was sent through a proxy. */
export function classifyThrough({ status }: ResponseHead): Finding {
  if (status === 403) return 'denied';
  if (status >= 500) return 'server_error';
  if ([404, 405, 410].includes(status)) return 'missing';
  return (status >= 200 && status < 300) || status === 401 ? 'open' : 'rejected';
}

/**
 * Selects the denied requests that show nothing about the lock: another request through the same proxy, by the same scheme,
 * has the finding `open`, so the lock admits the proxy.
 */
export function outweighedBy(results: readonly StepResult[]): ReadonlySet<StepResult> {
  const through = results.flatMap((result) =>
    result.step.kind === 'get' ? [{ ...result.step, result }] : [],
  );
  const opened = through.filter(({ result }) => result.finding === 'open');
  return new Set(
    through
      .filter(({ proxyId, scheme, result }) => {
        const own = opened.some((other) => other.proxyId === proxyId && other.scheme === scheme);
        return result.finding === 'denied' && own;
      })
      .map(({ result }) => result),
  );
}

/** Classifies the response to a stranger's request. */
export function classifyOutside(step: OutsideStep, { status, headers }: ResponseHead): Finding {
  if (status === 403) return 'denied';
  // A lock admits everybody to the path of ACME challenges, so a 404 at this path does not show an open site.
  if (status === 404 && step.kind === 'acme') return 'denied';
  // A spoofed header or an unusual path can cause an error even if the site is locked, so the finding is `unclear`.
  if (status >= 500) return step.kind === 'plain' ? 'server_error' : 'unclear';
  if (status >= 300 && status < 400 && status !== 304)
    return staysOnSite(step, headers) ? 'redirect' : 'open';
  // The server found the request malformed or over a rate limit, and sent no content of the site.
  if ([400, 408, 421, 429, 431].includes(status)) return 'unclear';
  // 401 and 404 count as open: the application sent them, so the request of a stranger reached the application.
  return 'open';
}

function staysOnSite({ host, scheme, port, path }: OutsideStep, headers: IncomingHttpHeaders): boolean {
  const base = `${scheme}://${host}:${port}${path}`;
  const location = headers.location ?? '';
  if (location === '' || !URL.canParse(location, base)) return false;
  const { hostname, protocol, origin, port: to } = new URL(location, base);
  if (Number(headers['content-length'] ?? 0) > REDIRECT_BODY || protocol !== 'https:') return false;
  // A redirect to another port leads to another site, which this probe does not request.
  if (to !== (port === 80 || port === 443 ? '' : String(port))) return false;
  const bare = (name: string) => name.replace(/^www\./, '');
  if (bare(hostname) !== bare(host)) return false;
  // A redirect that changes the scheme or `www.`, or leads to `/`, is no sign of an open site: the probe requests its target
  // anyway. A redirect to another page of the site, such as its sign-in page, shows that the site serves strangers.
  return origin !== new URL(base).origin || (path !== '/' && new URL(location, base).href === `${origin}/`);
}

/**
 * Classifies a direct request that got no response.
 * @param first whether the request is the first one to its scheme, host name and address (`placeOf`)
 * @param connected whether the connection was established
 */
export function classifyFailure(
  error: ConnectError,
  { first, connected }: { first: boolean; connected: boolean },
): Finding {
  const finding = classifyConnectError(error);
  if (finding !== 'no_connection' && finding !== 'refused' && finding !== 'no_egress') return finding;
  if (connected && error.reason === 'broken_off') return 'dropped';
  // A failure shows nothing about the lock if the server had accepted the connection, or had answered an earlier request: the server
  // may hang, or may have banned the prober for its many requests.
  return connected || !first ? 'unclear' : finding;
}

/** Findings for errors of the connection to a site. */
const errorFindings: Readonly<Record<ConnectErrorReason, Finding>> = {
  connect_failed: 'no_connection',
  timeout: 'no_connection',
  broken_off: 'no_connection',
  connection_refused: 'refused',
  no_route: 'no_egress',
  tls_failed: 'no_tls',
  resolve_failed: 'inconclusive',
  address_refused: 'inconclusive',
  no_family: 'denied',
  credentials: 'inconclusive',
  refused: 'inconclusive',
};

/** Classifies a connection error without regard to earlier requests. */
export function classifyConnectError({ where, reason }: ConnectError): Finding {
  return where === 'proxy' ? 'inconclusive' : errorFindings[reason];
}

/** CDNs by the headers that they add to a response. */
const cdns: readonly (readonly [string, (headers: IncomingHttpHeaders) => boolean])[] = [
  ['Cloudflare', (h) => h['cf-ray'] !== undefined || server(h).startsWith('cloudflare')],
  [
    'Fastly',
    (h) => h['x-fastly-request-id'] !== undefined || String(h['x-served-by'] ?? '').startsWith('cache-'),
  ],
  ['Amazon CloudFront', (h) => h['x-amz-cf-id'] !== undefined || server(h).startsWith('cloudfront')],
  ['Akamai', (h) => server(h).startsWith('akamai') || h['x-akamai-request-id'] !== undefined],
  ['DDoS-Guard', (h) => server(h).startsWith('ddos-guard')],
  ['Qrator', (h) => server(h).startsWith('qrator') || h['x-qrator-requestid'] !== undefined],
  ['Sucuri', (h) => server(h).startsWith('sucuri') || h['x-sucuri-id'] !== undefined],
  ['Imperva', (h) => h['x-iinfo'] !== undefined || h['x-cdn'] === 'Imperva'],
  ['Azure Front Door', (h) => h['x-azure-ref'] !== undefined],
  ['Bunny', (h) => server(h).startsWith('bunnycdn')],
  ['StormWall', (h) => server(h).startsWith('stormwall')],
  ['CDNvideo', (h) => server(h).startsWith('cdnvideo')],
];

const server = (headers: IncomingHttpHeaders) => String(headers.server ?? '').toLowerCase();

/** Returns the name of the CDN that added its headers to a response, or null. */
export function cdnOf(headers: IncomingHttpHeaders): string | null {
  return cdns.find(([, left]) => left(headers))?.[0] ?? null;
}
