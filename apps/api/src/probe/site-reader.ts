import { setTimeout as pause } from 'node:timers/promises';
import { patternsCovering } from '@propusk/access/decide';
import { holdsSecret, mayAct, pathOf, staticExtension } from '@propusk/access/probe-path';
import type { SiteAddress } from '@propusk/access/site-address';
import type { CheckMessage } from '@propusk/phrases/checks';
import { cdnOf, classifyThrough, inconclusive, type StepResult } from './classify-response.ts';
import { ConnectError } from './connect-error.ts';
import { type GetResponse, getOver } from './http-get.ts';
import { describeConnectError, type ProbeSignals, resultThrough, STEP_MS } from './http-probe.ts';
import { linksOf, readRobots, readSitemap } from './page-links.ts';
import type { ThroughStep } from './plan.ts';
import { chooseSamples, type Discovered } from './sample.ts';
import { portOf, type Route, refusalWithin, type Transport } from './transport.ts';

/**
 * Opens and reads a site through one proxy of its policies. It sends at most 20 GET requests, only to the site's own hosts and port,
 * without cookies, credentials or Referer. It requests no invented paths, because the site might then ban the proxy, which the
 * company's users need.
 */
export interface SiteReader {
  /**
   * Opens a start path, follows redirects within the site, and classifies the last response.
   * @throws the abort reason of the signal `stop`
   */
  open(step: ThroughStep): Promise<StepResult>;
  /**
   * Reads the pages that `open` reached, robots.txt, the sitemap and two linked pages, for at most 15 s. A page that fails is
   * requested once more.
   */
  read(): Promise<SiteContent>;
}

export interface SiteContent extends Discovered {
  /** Pages that were not requested, because the limit of requests was reached. */
  readonly unread: number;
  /** The first page that failed, whose links are therefore unknown; absent if every page was read. */
  readonly failed?: FailedPage;
}

export interface FailedPage {
  readonly path: string;
  readonly detail: CheckMessage;
}

/** State shared by the readers of one probe. After the first reader has opened the site, only this reader reads page bodies. */
export interface ReaderChoice {
  chosen: SiteReader | null;
}

export interface SiteReaderOptions {
  readonly transport: Transport;
  readonly route: Route;
  readonly site: SiteAddress;
  /** Paths that the owner leaves open. */
  readonly openPaths: readonly string[];
  readonly choice: ReaderChoice;
  readonly signals: ProbeSignals;
  /** Whether every user who can open the site through this proxy can also reach another host and port through this proxy. */
  readonly isCoveredElsewhere: (host: string, port: number) => Promise<boolean>;
  /** Whether another company has the oldest claim to a host on shared egress. If so, the reader sends this host no request. */
  readonly isHeld: (host: string) => Promise<boolean>;
}

const MAX_REQUESTS = 20;
const MAX_REDIRECTS = 5;
const MAX_PAGES = 2;
const MAX_LINKS = 3_000;
/** Messages show at most this many characters of a path or host. */
const MAX_SHOWN = 200;
const READ_MS = 15_000;
/** Milliseconds before a page that failed is requested again. */
const RETRY_MS = 1_000;
const PAGE_BYTES = 512 * 1024;
/** HTTP statuses of temporary failures: a rate limit, or a front server that cannot reach the site. */
const temporary = new Set([429, 502, 503, 504]);
const redirects = new Set([301, 302, 303, 307, 308]);
/** Parameters of a request to a sign-in service (OpenID Connect, OAuth 2.0, SAML 2.0, WS-Federation). */
const signInFields = ['client_id', 'response_type', 'SAMLRequest', 'RelayState', 'wtrealm'];

type Fetched = GetResponse | ConnectError | 'unsent';

export function createSiteReader(options: SiteReaderOptions): SiteReader {
  const { transport, route, site, signals, choice, isCoveredElsewhere, isHeld } = options;
  // Bounded: this structure exists for one probe only, and a probe reads at most 20 pages of 512 KiB
  const seen = new Map<string, Fetched>();
  /** Pages that `read` reads. Pages without a response are included for a second request, except the first page `/`. */
  // Bounded: contains only URLs of `seen`
  const pages = new Map<string, URL>();
  let requests = 0;
  /** The first URL of the site that got a response. */
  let origin: URL | null = null;

  async function get(url: URL, limit: AbortSignal = signals.deadline): Promise<Fetched> {
    const known = seen.get(url.href);
    if (known !== undefined) return known;
    if (limit.aborted) return new ConnectError('site', 'timeout');
    if (requests >= MAX_REQUESTS || !covers(site, url) || (await isHeld(url.hostname))) return 'unsent';
    requests += 1;
    const fetched = await request(url, limit);
    if (!(fetched instanceof ConnectError)) origin ??= url;
    seen.set(url.href, fetched);
    return fetched;
  }

  async function request(url: URL, limit: AbortSignal): Promise<GetResponse | ConnectError> {
    const signal = AbortSignal.any([signals.stop, signals.deadline, limit, AbortSignal.timeout(STEP_MS)]);
    const [host, port, tls] = [url.hostname, portOf(url), url.protocol === 'https:'];
    try {
      const stream = await transport.open(route, { host, port }, signal);
      const bodyLimit = choice.chosen === null || choice.chosen === reader ? PAGE_BYTES : 0;
      const asked = { host, port, tls, verify: false, path: url.pathname, bodyLimit, cut: true };
      const response = await getOver(stream, asked, signal);
      return refusalWithin(route, response) ?? response;
    } catch (error) {
      signals.stop.throwIfAborted();
      return error instanceof ConnectError ? error : new ConnectError('site', 'timeout');
    }
  }

  async function open(step: ThroughStep): Promise<StepResult> {
    const { host, port, scheme, path } = step;
    let url = new URL(`${scheme}://${host}:${port}${path}`);
    for (let hops = 0; ; hops += 1) {
      const fetched = await get(url);
      if (signals.deadline.aborted) return inconclusive(step, { code: 'out_of_time' });
      if (fetched === 'unsent') return inconclusive(step, { code: 'out_of_requests' });
      if (fetched instanceof ConnectError) {
        if (hops > 0 || path !== '/') pages.set(url.href, url);
        return resultThrough(step, fetched);
      }
      const { status, headers, certificateFault } = fetched;
      const cdn = cdnOf(headers);
      const at = hops === 0 ? {} : { path: url.pathname.slice(0, MAX_SHOWN) };
      const detail: CheckMessage = { code: 'answered', params: { status, cdn, certificateFault, ...at } };
      const target = redirects.has(status) ? URL.parse(headers.location ?? '', url.href) : null;
      if (target === null) {
        const finding = classifyThrough(fetched);
        pages.set(url.href, url);
        if (finding === 'open') choice.chosen ??= reader;
        return { step, finding, detail, cdn };
      }
      if (!/^https?:$/.test(target.protocol) || hops === MAX_REDIRECTS)
        return { step, finding: 'rejected', detail, cdn };
      if (!covers(site, target)) {
        const left = await leave(target);
        if (left.finding === 'open') choice.chosen ??= reader;
        return { step, cdn, ...left };
      }
      const next = bare(target);
      // A redirect that only adds a query counts as open. Following the redirect would repeat the request, because `bare` removes
      // queries.
      if (next.href === url.href && target.search !== '') {
        choice.chosen ??= reader;
        return { step, finding: 'open', detail, cdn };
      }
      if (!mayRequest(next.pathname)) return { step, finding: 'rejected', detail, cdn };
      url = next;
    }
  }

  /** Classifies a redirect to a host of another site, without a request to this host. */
  async function leave(target: URL): Promise<Pick<StepResult, 'finding' | 'detail'>> {
    const [host, port] = [target.hostname, portOf(target)];
    const name = host.slice(0, MAX_SHOWN);
    const address = port === 80 || port === 443 ? name : `${name}:${port}`;
    if (signInFields.some((field) => target.searchParams.has(field)))
      return { finding: 'open', detail: { code: 'leads_to_sign_in', params: { host: address } } };
    return (await isCoveredElsewhere(host, port))
      ? { finding: 'open', detail: { code: 'leads_to_site', params: { host: address } } }
      : { finding: 'away', detail: { code: 'leads_away', params: { host: address } } };
  }

  async function read(): Promise<SiteContent> {
    const limit = AbortSignal.timeout(READ_MS);
    let unread = 0;
    let failed: FailedPage | undefined;
    const fetch = async (url: URL) => {
      let fetched = await get(url, limit);
      if (fetched === 'unsent') unread += 1;
      const detail = failureOf(fetched);
      if (detail !== null) {
        const signal = AbortSignal.any([signals.stop, limit]);
        await pause(RETRY_MS, null, { signal }).catch(() => signals.stop.throwIfAborted());
        seen.delete(url.href);
        const again = await get(url, limit);
        if (again === 'unsent' || failureOf(again) !== null)
          failed ??= { path: url.pathname.slice(0, MAX_SHOWN), detail };
        fetched = again;
      }
      return fetched instanceof ConnectError || fetched === 'unsent' ? null : fetched;
    };
    const fetchText = async (url: URL) => {
      const fetched = await fetch(url);
      return fetched?.status === 200 ? fetched : null;
    };
    const linksIn = async (url: URL, { body, headers }: GetResponse) => {
      const type = headers['content-type'] ?? 'text/html';
      if (!/html|xml/i.test(type)) return [];
      return (await linksOf(body, type, url)).filter((link) => covers(site, link));
    };
    if (origin === null) return { ...chooseSamples([]), unread };
    const links: URL[] = [];
    for (const url of pages.values()) {
      const page = await fetch(url);
      links.push(url, ...(page === null ? [] : await linksIn(url, page)));
    }
    const robots = await fetchText(new URL('/robots.txt', origin));
    const listed = robots === null ? { disallowed: [], sitemaps: [] } : readRobots(robots.body, origin);
    for (const url of nextPages(links, seen)) {
      const page = await fetchText(url);
      if (page !== null) links.push(...(await linksIn(url, page)));
    }
    const map = bare(
      listed.sitemaps.find((url) => covers(site, url) && mayRequest(url.pathname)) ??
        new URL('/sitemap.xml', origin),
    );
    const sitemap = await fetchText(map);
    if (sitemap !== null) links.push(...readSitemap(sitemap.body, map));
    // `Disallow: /private` covers the folder `/private/` too.
    const folders = listed.disallowed.filter(({ pathname }) => !/\.[^/]*$|\/$/.test(pathname));
    const own = [
      ...listed.disallowed,
      ...folders.map(({ origin: at, pathname }) => new URL(`${at}${pathname}/`)),
      ...links,
    ].filter((url) => isMain(site, url));
    return {
      ...chooseSamples(own.slice(0, MAX_LINKS).map(pathOf), options.openPaths),
      unread,
      ...(failed && { failed }),
    };
  }

  const reader: SiteReader = { open, read };
  return reader;
}

/** Describes why the links of a page are unknown: no response, an incomplete body, or a temporary status. */
function failureOf(fetched: Fetched): CheckMessage | null {
  if (fetched === 'unsent') return null;
  if (fetched instanceof ConnectError) return describeConnectError(fetched);
  const { status, broken } = fetched;
  if (broken) return { code: 'unreached', params: { reason: 'broken_off' } };
  return temporary.has(status)
    ? { code: 'answered', params: { status, cdn: null, certificateFault: null } }
    : null;
}

/** The linked pages to read next. The first page of each folder comes before all other pages. */
function nextPages(links: readonly URL[], seen: ReadonlyMap<string, unknown>): URL[] {
  const pages = links
    .map(bare)
    .filter((url) => !seen.has(url.href) && mayRequest(url.pathname) && !staticExtension.test(url.pathname));
  const different = new Map(pages.map((url) => [url.href, url])).values();
  const byFolder = Map.groupBy(different, ({ pathname }) => pathname.slice(0, pathname.lastIndexOf('/')));
  const folders = [...byFolder.values()];
  const firsts = folders.flatMap((own) => own.slice(0, 1));
  return [...firsts, ...folders.flatMap((own) => own.slice(1))].slice(0, MAX_PAGES);
}

/** Returns a URL without credentials, query and fragment. */
function bare(url: URL): URL {
  const copy = new URL(url);
  copy.username = copy.password = copy.search = copy.hash = '';
  return copy;
}

const mayRequest = (path: string) => !mayAct(path) && !holdsSecret(path);

/** Whether a site covers the host and port of a URL, by the rule of `decide()`. */
function covers({ host, wildcard, port }: SiteAddress, url: URL): boolean {
  const at = portOf(url);
  const isPort = port === null ? at === 80 || at === 443 : at === port;
  return isPort && patternsCovering(url.hostname).includes(wildcard ? `*.${host}` : host);
}

/** Whether a site covers a URL, and the host of the URL is the host of the site, with or without `www.`. */
const isMain = (site: SiteAddress, url: URL) =>
  covers(site, url) && (url.hostname === site.host || url.hostname === `www.${site.host}`);
