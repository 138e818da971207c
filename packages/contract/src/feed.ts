import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Id, text } from './fields.ts';
import { ProxyType } from './proxies.ts';

/**
 * The access rights of one company at one version, complete. The api reads it in one statement, so it is consistent. A gateway
 * replaces it in one step and ignores lower versions.
 */
export const CompanySnapshot = z.object({
  companyId: Id,
  version: z.int(),
  /** `epoch` rises to revoke a user's gateway tokens, such as on a password or role change. */
  users: z.array(z.object({ id: Id, epoch: z.int() })),
  /**
   * `claim` orders the sites of all companies by the time since which a policy with a shared egress has named them. Null while no
   * such policy names the site. The company with the lowest claim holds the host on shared egress (ADR 006).
   */
  sites: z.array(z.object({ id: Id, address: z.string(), claim: z.nullable(z.int()) })),
  /** The proxies of the policies, with passwords in clear text: the api sends snapshots only to gateways. */
  proxies: z.array(
    z.object({
      id: Id,
      type: ProxyType,
      direct: z.boolean(),
      host: z.string(),
      port: z.int(),
      username: z.string(),
      password: z.string(),
    }),
  ),
  policies: z.array(
    z.object({ id: Id, proxyId: Id, allSites: z.boolean(), users: z.array(Id), sites: z.array(Id) }),
  ),
});
export type CompanySnapshot = z.infer<typeof CompanySnapshot>;

/**
 * The payloads of the feed's server-sent events by event name. A new connection gets every company, then `ready`: a company not
 * sent before `ready` no longer exists. Before each `heartbeat`, every 15 s, the api compares the sent versions with the database.
 * A gateway closes a connection without a heartbeat for 40 s.
 */
export const feedEvents = {
  company: CompanySnapshot,
  gone: z.object({ companyId: Id }),
  ready: z.object({}),
  heartbeat: z.object({}),
} as const;
export type FeedEventName = keyof typeof feedEvents;

export const FEED_HEARTBEAT_MS = 15_000;

/** The only call that replies with a stream (text/event-stream). */
export const feed = endpoint({
  method: 'GET',
  path: '/feed',
  access: 'gateway',
});

export const acknowledge = endpoint({
  method: 'POST',
  path: '/feed/acknowledge',
  access: 'gateway',
  body: z.object({
    gateway: text(1, 100),
    companyId: Id,
    version: z.int(),
  }),
});
