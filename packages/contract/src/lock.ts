import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { IdParams, IsoDate, Named, text } from './fields.ts';
import { Verdict } from './protection.ts';

/**
 * The lock of a site: configuration of its server that allows only the egress addresses of the site's policies. A probe tests
 * the lock.
 */

/** The servers that locks are written for; `-cdn`: behind Cloudflare. */
export const LockKind = z.enum([
  'htaccess',
  'apache',
  'nginx',
  'caddy',
  'litespeed',
  'htaccess-cdn',
  'apache-cdn',
  'nginx-cdn',
  'caddy-cdn',
]);
export type LockKind = z.infer<typeof LockKind>;

/** Configuration for one kind of server, ready to paste. */
export const Snippet = z.object({
  kind: LockKind,
  /** The display name of the server. */
  title: z.string(),
  /** The file, or the place in it, in Russian. */
  place: z.string(),
  text: z.string(),
  /** Notes to read before pasting: Russian sentences. */
  notes: z.array(z.string()),
});
export type Snippet = z.infer<typeof Snippet>;

/** The egress addresses of one proxy, as our echo saw them. */
export const EgressOfProxy = z.object({
  proxy: Named,
  /** The proxy is the platform's gateway itself. */
  direct: z.boolean(),
  /** The site's policies with this proxy. */
  politics: z.array(Named),
  addresses: z.array(z.string()),
  learnedAt: z.nullable(IsoDate),
  /** Older than a day, or changed since the lock was proved: a lock with these addresses may refuse users. */
  stale: z.boolean(),
  /** The failure of the last call to our echo: a Russian sentence. */
  problem: z.nullable(z.string()),
});
export type EgressOfProxy = z.infer<typeof EgressOfProxy>;

export const SiteLock = z.object({
  site: Named,
  egress: z.array(EgressOfProxy),
  /** Sites of the company, this one included, whose lock is older than a new egress address. */
  breaks: z.array(Named),
  /** Empty while no address is known: a lock without addresses would refuse everybody. */
  snippets: z.array(Snippet),
});
export type SiteLock = z.infer<typeof SiteLock>;

export const getSiteLock = endpoint({
  method: 'GET',
  path: '/domain-allowed/:id/lock',
  access: ['CREATOR', 'ADMIN'],
  params: IdParams,
  reply: SiteLock,
  errors: ['not_found'],
});

export const learnEgress = endpoint({
  method: 'POST',
  path: '/domain-allowed/:id/lock/learn',
  access: ['CREATOR', 'ADMIN'],
  params: IdParams,
  reply: SiteLock,
  errors: ['not_found', 'company_unconfirmed', 'too_many_requests'],
});

/** A link that shows one site's lock without an account. */
export const LockLink = z.object({ url: z.string(), expiresAt: IsoDate });
export type LockLink = z.infer<typeof LockLink>;

export const shareLock = endpoint({
  method: 'POST',
  path: '/domain-allowed/:id/lock/link',
  access: ['CREATOR', 'ADMIN'],
  params: IdParams,
  reply: LockLink,
  errors: ['not_found'],
});

export const SharedLock = z.object({
  address: z.string(),
  snippets: z.array(Snippet),
  expiresAt: IsoDate,
});
export type SharedLock = z.infer<typeof SharedLock>;

export const openLockLink = endpoint({
  method: 'POST',
  path: '/lock',
  access: 'public',
  body: z.object({ token: text(1) }),
  reply: SharedLock,
  errors: ['lock_link_dead', 'too_many_requests'],
});

/** One request of a probe and its outcome. */
export const ProbeStep = z.object({
  /** The request, in Russian: route, scheme, spoofed headers. */
  title: z.string(),
  vantage: z.enum(['outside', 'through']),
  outcome: z.enum(['waiting', 'passed', 'failed', 'skipped']),
  /** The response, in Russian: a status, or a connection error. */
  detail: z.string(),
  /** The remedy, in Russian; null when the step needs no action. */
  advice: z.nullable(z.string()),
});
export type ProbeStep = z.infer<typeof ProbeStep>;

/** The number of requests with the expected outcome, of all that count. */
export const Tally = z.object({ passed: z.int(), of: z.int() });

/** The two halves of a probe: strangers' requests that were refused, and proxies that open the site. */
export const LockProof = z.object({ outside: Tally, through: Tally });

/** A probe of a site. It adds steps while it runs; the verdict follows at the end. */
export const SiteCheck = z.object({
  state: z.enum(['running', 'done']),
  verdict: z.nullable(Verdict),
  /** The meaning of the verdict for this site, and the remedy: Russian sentences. */
  meaning: z.nullable(z.string()),
  advice: z.nullable(z.string()),
  steps: z.array(ProbeStep),
  proof: LockProof,
  startedAt: IsoDate,
  finishedAt: z.nullable(IsoDate),
});
export type SiteCheck = z.infer<typeof SiteCheck>;

export const checkSite = endpoint({
  method: 'POST',
  path: '/domain-allowed/:id/check',
  access: ['CREATOR', 'ADMIN'],
  params: IdParams,
  reply: SiteCheck,
  status: 202,
  errors: ['not_found', 'company_unconfirmed', 'too_many_requests'],
});

export const getSiteCheck = endpoint({
  method: 'GET',
  path: '/domain-allowed/:id/check',
  access: ['CREATOR', 'ADMIN'],
  params: IdParams,
  reply: z.nullable(SiteCheck),
  errors: ['not_found'],
});

/** Returns the caller's source address: through a proxy, the egress address of the proxy. */
export const echo = endpoint({
  method: 'GET',
  path: '/echo',
  access: 'public',
  reply: z.object({ address: z.string() }),
});
