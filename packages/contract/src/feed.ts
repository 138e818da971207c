import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Id, text } from './fields.ts';
import { ProxyType } from './proxies.ts';

/**
 * Who may reach what in one company, whole, at one version. Read in one statement, so that it is consistent; a gateway
 * swaps it in one step and ignores a version lower than the one it has.
 */
export const CompanySnapshot = z.object({
  companyId: Id,
  version: z.int(),
  /** `epoch` rises to revoke a user's gateway tokens, such as on a password or role change. */
  users: z.array(z.object({ id: Id, epoch: z.int() })),
  /**
   * `claim` says since when the site stands in a policy with a shared egress, as a number that grows over the whole
   * platform; null while it stands in none. The lowest claim to a host holds it there.
   */
  sites: z.array(z.object({ id: Id, address: z.string(), claim: z.nullable(z.int()) })),
  /** The proxies that the policies name, the platform's too. Secrets in clear: this leaves the api only for a gateway. */
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
 * What the feed says, one server-sent event each, named by the key. After a connection opens: every company, then
 * `ready`; a company that was not mentioned before `ready` is gone. `heartbeat` every 15 s says that nothing was missed:
 * the versions were just compared with the database. No heartbeat for 40 s is a dead connection.
 */
export const feedEvents = {
  company: CompanySnapshot,
  gone: z.object({ companyId: Id }),
  ready: z.object({}),
  heartbeat: z.object({}),
} as const;
export type FeedEventName = keyof typeof feedEvents;

export const FEED_HEARTBEAT_MS = 15_000;

/** The one call whose answer is a stream (text/event-stream) and not a document. */
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
