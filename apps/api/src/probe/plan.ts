import { isIP } from 'node:net';
import { unicodeHost } from '@propusk/contract/unicode-host';
import type { CheckMessage } from '@propusk/phrases/checks';
import type { Sample } from './sample.ts';

/**
 * Plans the steps of a probe, without sending requests:
 * - from outside, to each scheme, host and address: `/`, `/` with spoofed headers, other paths
 * - through each proxy of the site's policies, by each scheme: `/` and the start paths
 */

/** The scheme of a request. A site on an explicit port may use http or https, so a probe requests both. */
export type Scheme = 'https' | 'http';

interface Step {
  readonly title: CheckMessage;
}

/** A request from outside to one address of a host name. */
export interface OutsideStep extends Step {
  readonly vantage: 'outside';
  /** The kind of `path`: the first page (`plain`, `spoofed`), one of `otherPlaces` (`deep`, `acme`), a start path or a sample. */
  readonly kind: 'plain' | 'spoofed' | 'deep' | 'acme' | 'start' | Sample['kind'];
  readonly host: string;
  readonly port: number;
  readonly scheme: Scheme;
  readonly address: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The id of the vantage that sends the request; null for this machine. */
  readonly from: number | null;
}

/** A host name to which the probe sends no request: DNS has no address for it, or the dialer forbids the address. */
interface UnreachableStep extends Step {
  readonly vantage: 'outside';
  readonly kind: 'unresolved' | 'address_refused';
  readonly host: string;
}

/** A request through a proxy to the echo endpoint. The response contains the proxy's egress address. */
export interface EgressStep extends Step {
  readonly vantage: 'through';
  readonly kind: 'egress';
  readonly proxyId: number;
}

/** A request to the site through a proxy of the site's policies. */
export interface ThroughStep extends Step {
  readonly vantage: 'through';
  readonly kind: 'get';
  readonly proxyId: number;
  readonly host: string;
  readonly port: number;
  readonly scheme: Scheme;
  /** The requested path: `/` or a start path. */
  readonly path: string;
}

export type PlannedStep = OutsideStep | UnreachableStep | EgressStep | ThroughStep;

/** The id of the vantage that sends a request; null if this machine sends the request, or if the step has no request. */
export const sourceOf = (step: PlannedStep) => ('address' in step ? step.from : null);

/** Copies this machine's requests as requests of a vantage. */
export function planVantage(
  steps: readonly OutsideStep[],
  { id, name }: { readonly id: number; readonly name: string },
): OutsideStep[] {
  return steps.map(({ title, ...step }) => {
    const params = { ...('params' in title && title.params), vantage: name };
    return { ...step, from: id, title: { ...title, params } as CheckMessage };
  });
}

/** The id of the proxy of a step; 0 for a step without a proxy. */
export const proxyOf = (step: PlannedStep) => ('proxyId' in step ? step.proxyId : 0);

/** A host name with its addresses. */
export interface Resolved {
  readonly host: string;
  readonly addresses: readonly string[];
  /** The first address that the dialer forbids, or null. A forbidden address excludes the name from the probe. */
  readonly refused: string | null;
  /** Whether the probe omits this host if only other names of the site have DNS records. */
  readonly optional: boolean;
}

export interface PlanInput {
  readonly names: readonly Resolved[];
  /** The explicit port of the site; null for 443 and 80. */
  readonly port: number | null;
  /** The proxies of the site's policies. `name` is null for our own gateway. */
  readonly proxies: readonly { readonly id: number; readonly name: string | null }[];
  /** An address that the lock allows. The spoofed headers contain this address. */
  readonly egress: string | null;
  /** A random label, which the made-up paths contain. */
  readonly random: string;
  readonly startPaths: readonly string[];
}

/** At most this many addresses are probed, over all names of a site. */
const MAX_ADDRESSES = 8;

/** Lists the names of a site to probe, in order. */
export function namesOf(
  { host, wildcard }: { host: string; wildcard: boolean },
  random: string,
): { host: string; optional: boolean }[] {
  const names = [{ host, optional: wildcard }];
  if (!host.startsWith('www.')) names.push({ host: `www.${host}`, optional: true });
  if (wildcard) names.push({ host: `${random}.${host}`, optional: true });
  return names;
}

/** Plans the requests to the echo endpoint. Later requests use the egress addresses in spoofed headers. */
export function planEgress(proxies: PlanInput['proxies']): EgressStep[] {
  return proxies.map(({ id, name }) => ({
    vantage: 'through',
    kind: 'egress',
    proxyId: id,
    title: { code: 'through_egress', params: { proxy: name } },
  }));
}

/** Plans the requests to the site, in the order in which the console lists the requests. */
export function planRequests({ names, port, proxies, egress, random, startPaths }: PlanInput): PlannedStep[] {
  const steps: PlannedStep[] = [];
  const found = names.filter(({ addresses }) => addresses.length > 0);
  for (const { host, refused, optional, addresses } of names) {
    const missing = addresses.length === 0 && (!optional || found.length === 0);
    if (refused === null && !missing) continue;
    const kind = refused === null ? 'unresolved' : 'address_refused';
    steps.push({ vantage: 'outside', kind, host, title: { code: 'outside_name', params: { host } } });
  }
  let left = MAX_ADDRESSES;
  for (const { host, addresses } of found.filter(({ refused }) => refused === null)) {
    for (const address of addresses.slice(0, left)) {
      for (const [scheme, at] of portsOf(port)) {
        steps.push(...outsideSteps({ host, address, scheme, port: at }, { egress, random }));
      }
    }
    left = Math.max(0, left - addresses.length);
  }
  const host = found.find(({ refused }) => refused === null)?.host;
  if (host === undefined) return steps;
  for (const { id, name } of proxies) {
    for (const [scheme, at] of portsOf(port)) {
      const place = { vantage: 'through', kind: 'get', proxyId: id, host, port: at, scheme } as const;
      const url = urlOf(scheme, host, at);
      steps.push({ ...place, path: '/', title: { code: 'through_get', params: { proxy: name, url } } });
      for (const path of startPaths)
        steps.push({ ...place, path, title: { code: 'through_path', params: { proxy: name, url, path } } });
    }
  }
  return steps;
}

/** Limits of the requests for start paths and samples. */
const MAX_DIRECT = 250;
const MAX_SAMPLES_ELSEWHERE = 4;
/** The request limit for an address that redirects its first page. Applies only if another address denies its first page. */
const MAX_SAMPLES_OF_REDIRECT = 8;
const MAX_VANTAGE_SAMPLES = 6;

/**
 * Plans direct requests for start paths and samples, to each address whose first page is closed to strangers.
 * @param places the first-page requests that were denied, dropped or redirected
 * @param samples in descending priority
 * @param sent the number of direct requests already planned
 * @returns the steps, and the number of requests omitted at the limit of 250 per probe
 */
export function planSamples(
  places: readonly PlacedFinding[],
  startPaths: readonly string[],
  samples: readonly Sample[],
  sent: number,
): { steps: OutsideStep[]; unfit: number } {
  const all = [...startPaths.map((path) => ({ path, kind: 'start' }) as const), ...samples];
  const closed = places.filter(({ redirects }) => !redirects).map(({ step }) => step);
  const known = closed.length > 0 ? closed : places.map(({ step }) => step);
  /** The first IPv4 and the first IPv6 address whose first page is closed. Other addresses get only a few samples. */
  const main = [4, 6].flatMap((family) => known.find(({ address }) => isIP(address) === family) ?? []);
  const share = ({ step: { host, address }, redirects }: PlacedFinding) => {
    if (!main.some((place) => place.host === host && place.address === address)) return MAX_SAMPLES_ELSEWHERE;
    return redirects && closed.length > 0 ? MAX_SAMPLES_OF_REDIRECT : all.length;
  };
  const ordered = places.toSorted((a, b) => share(b) - share(a));
  const wanted = ordered.flatMap((place) =>
    all.slice(0, share(place)).map(({ path, kind }): OutsideStep => {
      const { step } = place;
      const params = { url: urlOf(step.scheme, step.host, step.port), address: step.address, path };
      return { ...step, kind, path, headers: {}, title: { code: 'outside_path', params } };
    }),
  );
  const steps = wanted.slice(0, Math.max(0, MAX_DIRECT - sent));
  return { steps, unfit: wanted.length - steps.length };
}

/** The request for a first page, and whether the site answered it with a redirect. */
export interface PlacedFinding {
  readonly step: OutsideStep;
  readonly redirects: boolean;
}

/** Selects at most 6 requests of a vantage to each scheme, host and address. At most 3 of these requests are for start paths. */
export const forVantage = (steps: readonly OutsideStep[]) =>
  [...Map.groupBy(steps, placeOf).values()].flatMap((own) => {
    const isStart = ({ kind }: OutsideStep) => kind === 'start';
    const starts = own.filter(isStart).slice(0, MAX_VANTAGE_SAMPLES / 2);
    return [...starts, ...own.filter((step) => !isStart(step))].slice(0, MAX_VANTAGE_SAMPLES);
  });

/** Returns a key of source, scheme, host and address for a request from outside; an empty string for any other step. */
export const placeOf = (step: PlannedStep) =>
  'address' in step ? `${step.from} ${step.scheme} ${step.host} ${step.address}` : '';

/** TLS comes first, because the response to a plain request at a TLS port looks like the response of a broken site. */
function portsOf(port: number | null): [Scheme, number][] {
  return [
    ['https', port ?? 443],
    ['http', port ?? 80],
  ];
}

function urlOf(scheme: Scheme, host: string, port: number): string {
  return `${scheme}://${unicodeHost(host)}${port === (scheme === 'https' ? 443 : 80) ? '' : `:${port}`}`;
}

function outsideSteps(
  place: Pick<OutsideStep, 'host' | 'address' | 'scheme' | 'port'>,
  { egress, random }: Pick<PlanInput, 'egress' | 'random'>,
): OutsideStep[] {
  const params = { url: urlOf(place.scheme, place.host, place.port), address: place.address };
  const common = { ...place, vantage: 'outside', path: '/', headers: {}, from: null } as const;
  return [
    { ...common, kind: 'plain', title: { code: 'outside', params } },
    ...spoofedHeaders(egress).map(
      ([header, value]): OutsideStep => ({
        ...common,
        kind: 'spoofed',
        headers: { [header]: value },
        title: { code: 'outside_spoofed', params: { ...params, header } },
      }),
    ),
    ...otherPlaces(random).map(
      ([place, path]): OutsideStep => ({
        ...common,
        kind: place === 'acme' ? 'acme' : 'deep',
        path,
        title: { code: 'outside_place', params: { ...params, place } },
      }),
    ),
  ];
}

/** Paths that a lock can miss, because many servers configure these paths separately. */
function otherPlaces(random: string) {
  return [
    ['folder', `/${random}/${random}`],
    ['index', '/index.php'],
    ['script', `/${random}.php`],
    ['style', `/${random}.css`],
    ['acme', `/.well-known/acme-challenge/${random}`],
  ] as const;
}

/** Headers from which servers read the client's address (RFC 7239 and its predecessors). */
function spoofedHeaders(egress: string | null): [string, string][] {
  if (egress === null) return [];
  const node = isIP(egress) === 6 ? `"[${egress}]"` : egress;
  return [
    ['X-Forwarded-For', egress],
    ['X-Real-IP', egress],
    ['CF-Connecting-IP', egress],
    ['True-Client-IP', egress],
    ['Forwarded', `for=${node}`],
  ];
}
