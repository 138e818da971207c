import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { IsoDate, text, versioned } from './fields.ts';
import { limits } from './limits.ts';
import { Verdict } from './protection.ts';

/** A path of a site, without query and fragment: at most 200 characters, percent-encoded. @example /base/ */
const Path = text(1, 6 * limits.startPath).check(z.regex(/^\/[^?#\s]*$/));

/** The paths of a site that its probe treats specially. They do not affect who can reach the site. */
export const ProbePaths = z.object({
  /** Paths that the probe requests besides the first page, directly from outside and through the proxies. @example ["/base/"] */
  startPaths: z.array(Path).check(z.maxLength(limits.startPaths)),
  /**
   * Exact URLs that may be open to everybody. They do not cause the verdict `open`.
   * @example ["/favicon.ico"]
   */
  openPaths: z.array(Path).check(z.maxLength(limits.openPaths)),
});
export type ProbePaths = z.infer<typeof ProbePaths>;

/** The paths that a site's probe treats specially, and the version of the site. */
export const VersionedPaths = z.extend(ProbePaths, { ...versioned });
export type VersionedPaths = z.infer<typeof VersionedPaths>;

/** Get the start paths of a site, and the URLs of the site that may be open to everybody. */
export const getProbePaths = endpoint('GET /domain-allowed/:id/paths', {
  access: ['CREATOR', 'ADMIN'],
  reply: VersionedPaths,
  versioned: true,
  errors: ['not_found'],
});

/**
 * Replace the start paths of a site, and the URLs of the site that may be open to everybody. A path that does not begin
 * with `/` is refused. The next probe selects new sample pages.
 */
export const setProbePaths = endpoint('PUT /domain-allowed/:id/paths', {
  access: ['CREATOR', 'ADMIN'],
  body: ProbePaths,
  reply: VersionedPaths,
  versioned: true,
  errors: ['not_found'],
});

/** One request of a probe and its outcome. */
export const ProbeStep = z.object({
  /** The request, in Russian: route, scheme, spoofed headers. */
  title: z.string(),
  /** The route of the request: directly from outside, or through a proxy of the site's policies. */
  vantage: z.enum(['outside', 'through']),
  /** The outcome of the request. `passed`: the site responded as a locked site must. @example passed */
  outcome: z.enum(['waiting', 'passed', 'failed', 'skipped']),
  /** The result of the request, in Russian: an HTTP status or a connection error. @example "403" */
  detail: z.string(),
  /** The remedy, in Russian; null when the step needs no action. */
  advice: z.nullable(z.string()),
});
export type ProbeStep = z.infer<typeof ProbeStep>;

/** The counts of one part of a probe, either of requests or of proxies. Redirects and redundant requests are not counted. */
export const Tally = z.object({
  /** How many of the counted requests, or of the counted proxies, had the expected outcome. @example 11 */
  passed: z.int(),
  /** The number of counted requests, or of counted proxies. @example 11 */
  of: z.int(),
});

/** The counts of both parts of a probe: requests from outside, and access through proxies. */
export const LockProof = z.object({
  /** The requests from outside, and how many of them the site refused. */
  outside: Tally,
  /** The proxies of the site's policies, and how many of them reached the site. */
  through: Tally,
});

/** A probe of a site. Steps are added while the probe runs; the verdict follows at the end. */
export const SiteCheck = z.object({
  /** The state of the probe. @example done */
  state: z.enum(['running', 'done']),
  /** The verdict over all steps; null while the probe runs. */
  verdict: z.nullable(Verdict),
  /** The meaning of the verdict for this site, in Russian. */
  meaning: z.nullable(z.string()),
  /** The remedy for the owner, in Russian; null when there is nothing to do. */
  advice: z.nullable(z.string()),
  /** The requests of the probe, in order. */
  steps: z.array(ProbeStep),
  proof: LockProof,
  /**
   * A host to which the site redirects, but which users of the site cannot reach; null if there is no such host.
   * @example romashka.ru
   */
  leadsTo: z.nullable(z.string()),
  /** The time when the probe was requested. */
  startedAt: IsoDate,
  /** The time when the probe ended; null while it runs. */
  finishedAt: z.nullable(IsoDate),
});
export type SiteCheck = z.infer<typeof SiteCheck>;

/**
 * Start a probe, which tests whether the site is closed to strangers and open through its proxies. If a probe
 * is already running, the reply shows that probe. Poll the steps with GET.
 */
export const checkSite = endpoint('POST /domain-allowed/:id/check', {
  access: ['CREATOR', 'ADMIN'],
  reply: SiteCheck,
  status: 202,
  errors: ['not_found', 'company_unconfirmed', 'too_many_requests'],
});

/** Get the running or the last probe of the site. */
export const getSiteCheck = endpoint('GET /domain-allowed/:id/check', {
  access: ['CREATOR', 'ADMIN'],
  reply: z.nullable(SiteCheck),
  errors: ['not_found'],
});

/** Get the caller's source address. Through a proxy this is the egress address of the proxy. */
export const echo = endpoint('GET /echo', {
  access: 'public',
  reply: z.object({
    /** An IPv4 or IPv6 address. @example 203.0.113.5 */
    address: z.string(),
  }),
});
