import type { IncomingHttpHeaders } from 'node:http';
import type { ConnectError } from './connect-error.ts';
import type { OutsideStep, PlannedStep } from './plan.ts';

/**
 * What one answer says of the lock, whatever the rest says: pure.
 */
export type Finding =
  /** The server turned the caller away. */
  | 'shut'
  /** No connection came up. Whose doing that is, only other answers tell. */
  | 'silent'
  /** The other side refused the connection. */
  | 'refused'
  /** It took the connection and ended it without a word. */
  | 'dropped'
  /** We did not get out to it ourselves. */
  | 'unsent'
  /** It sent the stranger to another address of the same site, without anything of the site. */
  | 'redirect'
  /** The caller got something of the site. */
  | 'open'
  /** The site failed. */
  | 'server_error'
  /** No TLS came up: the port does not speak it, or speaks one that ours does not. */
  | 'no_tls'
  /** An answer that tells neither. */
  | 'unclear'
  /** Nothing came of it: the proxy, the time, our own place. */
  | 'untold';

/** A step with what came of it. */
export interface StepResult {
  readonly step: PlannedStep;
  readonly finding: Finding;
  /** What came back, in Russian. */
  readonly detail: string;
  readonly cdn: string | null;
}

/** An answer's head. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** A redirect with more behind it than a line of text shows something. */
const BARE_BODY = 4096;

/** What an answer says to somebody who is to get in. */
export function classifyThrough({ status }: Answer): Finding {
  if (status === 403) return 'shut';
  return status >= 500 ? 'server_error' : 'open';
}

/** What a stranger's answer says. */
export function classifyOutside(step: OutsideStep, { status, headers }: Answer): Finding {
  if (status === 403) return 'shut';
  // The one place that a lock leaves to certificate authorities: there may be no such file, but never an answer.
  if (status === 404 && step.kind === 'acme') return 'shut';
  // A strange header or path may upset a server that turns plain requests away.
  if (status >= 500) return step.kind === 'plain' ? 'server_error' : 'unclear';
  if (status >= 300 && status < 400 && status !== 304)
    return toTheSameSite(step, headers) ? 'redirect' : 'open';
  // The server could not read the request, or was too busy for it: nothing of the site.
  if ([400, 408, 421, 429, 431].includes(status)) return 'unclear';
  // 401 and 404 are the site's own word: its programs run for everybody who asks.
  return 'open';
}

function toTheSameSite({ host, scheme, port, path }: OutsideStep, headers: IncomingHttpHeaders): boolean {
  const base = `${scheme}://${host}:${port}${path}`;
  const location = headers.location ?? '';
  if (location === '' || !URL.canParse(location, base)) return false;
  const { hostname, protocol, origin, port: to } = new URL(location, base);
  if (Number(headers['content-length'] ?? 0) > BARE_BODY || protocol !== 'https:') return false;
  // Another port is another site, which this probe does not see.
  if (to !== (port === 80 || port === 443 ? '' : String(port))) return false;
  const bare = (name: string) => name.replace(/^www\./, '');
  if (bare(hostname) !== bare(host)) return false;
  // A redirect within one place leads on to a page of the site, such as its sign-in; the first page was asked itself.
  return origin !== new URL(base).origin || (path !== '/' && new URL(location, base).href === `${origin}/`);
}

/**
 * What it says to a stranger that no answer came.
 * @param first whether nothing was asked there before
 * @param connected whether the connection was up
 */
export function classifyFailure(
  unreached: ConnectError,
  { first, connected }: { first: boolean; connected: boolean },
): Finding {
  const found = classifyConnectError(unreached);
  if (found !== 'silent' && found !== 'refused' && found !== 'unsent') return found;
  if (connected && unreached.reason === 'broken_off') return 'dropped';
  // It hangs, or took connections a moment ago and takes none now, as after too many tries: nothing of this very request.
  return connected || !first ? 'unclear' : found;
}

/** What it says that no answer came. */
export function classifyConnectError({ where, reason }: ConnectError): Finding {
  if (where === 'proxy') return 'untold';
  switch (reason) {
    case 'connect_failed':
    case 'timeout':
    case 'broken_off':
      return 'silent';
    case 'connection_refused':
      return 'refused';
    case 'no_route':
      return 'unsent';
    case 'tls_failed':
      return 'no_tls';
    case 'resolve_failed':
    case 'address_refused':
    case 'credentials':
    case 'refused':
      return 'untold';
  }
}

/** How a service calls itself that stands before sites, by what it leaves in an answer. */
const services: readonly (readonly [string, (headers: IncomingHttpHeaders) => boolean])[] = [
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

/** The CDN that an answer came through, or null. */
export function cdnOf(headers: IncomingHttpHeaders): string | null {
  return services.find(([, left]) => left(headers))?.[0] ?? null;
}
