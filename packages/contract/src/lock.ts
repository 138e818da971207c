import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { IdParams, IsoDate, Named, text } from './fields.ts';
import { Verdict } from './protection.ts';

/** A site's lock: lines in its server's configuration that allow only the egress addresses of its policies; and its probe. */

/** Servers with a lock text; `-cdn`: behind Cloudflare. */
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

/** Text to paste, complete. */
export const Snippet = z.object({
  kind: LockKind,
  /** The server's name, such as `nginx`. */
  title: z.string(),
  /** The file, or the place in it, in Russian. */
  place: z.string(),
  text: z.string(),
  /** What to know before pasting: Russian sentences. */
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
  /** Not confirmed for a day, or changed: a lock with these addresses may deny users. */
  stale: z.boolean(),
  /** Why the last call of the echo failed: a Russian sentence. */
  problem: z.nullable(z.string()),
});
export type EgressOfProxy = z.infer<typeof EgressOfProxy>;

export const SiteLock = z.object({
  site: Named,
  egress: z.array(EgressOfProxy),
  /** Sites of the company, this one included, whose lock is older than a new egress address. */
  breaks: z.array(Named),
  /** Empty while no address is known: a lock without addresses would deny everybody. */
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
  /** What the request was, in Russian: from outside, over https, with a spoofed X-Forwarded-For. */
  title: z.string(),
  vantage: z.enum(['outside', 'through']),
  outcome: z.enum(['waiting', 'passed', 'failed', 'skipped']),
  /** What came back, in Russian: a status, or the failure of the connection. */
  detail: z.string(),
  /** What to do about it, in Russian; null when the step needs no action. */
  advice: z.nullable(z.string()),
});
export type ProbeStep = z.infer<typeof ProbeStep>;

/** Successful attempts, and all that count. */
export const Tally = z.object({ passed: z.int(), of: z.int() });

/** The two halves of a probe: strangers' requests that were refused, and proxies that open the site. */
export const LockProof = z.object({ outside: Tally, through: Tally });

/** A probe of a site. The steps appear while it runs; the verdict follows. */
export const SiteCheck = z.object({
  state: z.enum(['running', 'done']),
  verdict: z.nullable(Verdict),
  /** The meaning of the verdict for this site, and what to do: Russian sentences. */
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

/** The caller's address as this server sees it: through a proxy, the proxy's egress address. */
export const echo = endpoint({
  method: 'GET',
  path: '/echo',
  access: 'public',
  reply: z.object({ address: z.string() }),
});
