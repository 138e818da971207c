import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { IsoDate, Named, text } from './fields.ts';

/**
 * The lock of a site: configuration of its server that allows only the egress addresses of the site's policies. A probe tests
 * the lock.
 */

/**
 * The kind of server that a snippet is for. The suffix `-cdn` means a server behind Cloudflare.
 * @example nginx
 */
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

/** Configuration that locks a site on one kind of server. */
export const Snippet = z.object({
  kind: LockKind,
  /** The display name of this kind of server. @example nginx */
  title: z.string(),
  /** A Russian description of the file, or the part of a file, into which the text is pasted. */
  place: z.string(),
  /** The text to paste. @example geo $propusk { default 0; 203.0.113.5 1; } */
  text: z.string(),
  /** Notes to read before pasting the text, as Russian sentences. */
  notes: z.array(z.string()),
});
export type Snippet = z.infer<typeof Snippet>;

/** The egress addresses of one proxy, as our echo endpoint saw them. */
export const EgressOfProxy = z.object({
  /** The proxy; `name` is its host. @example {"id": 3, "name": "proxy.romashka.ru"} */
  proxy: Named,
  /** Whether the proxy is the platform's gateway itself. @example false */
  direct: z.boolean(),
  /** The site's policies that use this proxy. */
  politics: z.array(Named),
  /** The source addresses of the proxy, as sites see them; empty while unknown. @example ["203.0.113.5"] */
  addresses: z.array(z.string()),
  /** The time of the last successful request to the echo endpoint; null before the first one. */
  learnedAt: z.nullable(IsoDate),
  /**
   * Whether the proxy's current addresses can differ from those in the site's lock: the addresses were last seen more than
   * a day ago, or have changed since the last probe that found the site protected.
   * @example false
   */
  stale: z.boolean(),
  /** The failure of the last request to the echo endpoint, as a Russian sentence; null if it succeeded. */
  problem: z.nullable(z.string()),
});
export type EgressOfProxy = z.infer<typeof EgressOfProxy>;

/** The configuration that locks a site to the egress addresses of its policies. */
export const SiteLock = z.object({
  /** The site. @example {"id": 11, "name": "crm.romashka.ru"} */
  site: Named,
  /** The egress addresses of each proxy of the site's policies. */
  egress: z.array(EgressOfProxy),
  /**
   * Sites whose locks may deny one of the proxies that `egress` lists. The proxy got a new egress address after the last
   * probe that found the site protected.
   * @example []
   */
  breaks: z.array(Named),
  /**
   * The configuration for each kind of server. Empty while no egress address is known, because a lock without
   * addresses would refuse everybody.
   */
  snippets: z.array(Snippet),
});
export type SiteLock = z.infer<typeof SiteLock>;

/** Get the configuration that locks the site to the egress addresses of its policies. */
export const getSiteLock = endpoint('GET /domain-allowed/:id/lock', {
  access: ['CREATOR', 'ADMIN'],
  reply: SiteLock,
  errors: ['not_found'],
});

/**
 * Find the egress addresses of the site's proxies with our echo endpoint, and return the lock with them. The call takes up to ten
 * seconds per proxy.
 */
export const learnEgress = endpoint('POST /domain-allowed/:id/lock/learn', {
  access: ['CREATOR', 'ADMIN'],
  reply: SiteLock,
  replySeconds: 120,
  errors: ['not_found', 'company_unconfirmed', 'too_many_requests'],
});

/** A link to the lock of one site. Viewing the lock needs no account. */
export const LockLink = z.object({
  /** The lock link; its fragment is the secret. @example https://pass.propusk.example/lock#bG9jay1saW5rLXRoYXQtbGl2ZXMtYS13ZWVr */
  url: z.string(),
  /** The expiry of the lock link. */
  expiresAt: IsoDate,
});

/**
 * Create a link to the lock of a site. The link works for seven days, needs no account and shows only the configuration.
 * Each call creates another link.
 */
export const shareLock = endpoint('POST /domain-allowed/:id/lock/link', {
  access: ['CREATOR', 'ADMIN'],
  reply: LockLink,
  errors: ['not_found'],
});

/** The lock of a site, as a lock link shows it. */
export const SharedLock = z.object({
  /** The site. */
  address: z.string(),
  /** The current configuration for each kind of server; empty while no egress address is known. */
  snippets: z.array(Snippet),
  /** The expiry of the lock link. */
  expiresAt: IsoDate,
});
export type SharedLock = z.infer<typeof SharedLock>;

/** Get the lock that a link shows. The token is in the fragment of the link, so that no server logs it. */
export const openLockLink = endpoint('POST /lock', {
  access: 'public',
  body: z.object({
    /** The token from the fragment of the lock link. */
    token: text(1),
  }),
  reply: SharedLock,
  errors: ['lock_link_dead', 'too_many_requests'],
});
