import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Id } from './fields.ts';
import { ProxyType } from './proxies.ts';
import { StoredAddresses } from './record-settings.ts';
import { Windows } from './times.ts';

const policy = {
  id: Id,
  /** Id of the proxy that carries the policy's traffic. */
  proxyId: Id,
  /** Whether the policy allows every public site. */
  allSites: z.boolean(),
  /** Ids of the users of the policy. */
  users: z.array(Id),
  /** Ids of the sites that the policy allows. */
  sites: z.array(Id),
  /**
   * Whether the policy allows no site, because its proxy is paid and the company's plan no longer includes
   * paid proxies. An older api does not send this field.
   */
  ended: z.optional(z.boolean()),
};

/** The times of a right: an interval of instants in ms since 1970, and weekly windows in the local time of a zone. */
export const RightTimes = z.object({
  /** The right begins at this moment. */
  from: z.nullable(z.int()),
  /** The right ends before this moment. */
  until: z.nullable(z.int()),
  /** An IANA time zone. @example Europe/Moscow */
  zone: z.string(),
  /** Null for always; an empty list means never. */
  windows: z.nullable(Windows),
});
export type RightTimes = z.infer<typeof RightTimes>;

/**
 * The data of the event `company`: all access rights of one company at one version. The api reads them in one statement, so they
 * are consistent. A gateway replaces them in one step.
 */
export const CompanySnapshot = z.object({
  /** The id of the company. */
  companyId: Id,
  /** The policy version, which rises with every change. Gateways ignore a snapshot with a lower version. */
  version: z.int(),
  /**
   * How the gateway stores client addresses in access records. If the field is absent, the gateway stores
   * them in full. An older api does not send this field.
   */
  addresses: z.optional(StoredAddresses),
  /** The users of the company. */
  users: z.array(
    z.object({
      id: Id,
      /** A higher epoch revokes the user's gateway tokens, for example after a password or role change. */
      epoch: z.int(),
    }),
  ),
  /** The sites of the company. */
  sites: z.array(
    z.object({
      id: Id,
      /** The host of the site, with the port if the owner has set a port. */
      address: z.string(),
      /**
       * The rank of the company's claim to the host on shared egress. The company with the lowest rank gets the host, because its
       * claim is the oldest. Null while no policy of the company sends the site through shared egress.
       */
      claim: z.nullable(z.int()),
    }),
  ),
  /** The proxies of the company's policies. Their passwords are in clear text. Only gateways receive snapshots. */
  proxies: z.array(
    z.object({
      id: Id,
      type: ProxyType,
      /** Whether the proxy is the gateway itself. @example false */
      direct: z.boolean(),
      /** The host name or IP address of the proxy. @example proxy.romashka.ru */
      host: z.string(),
      /** The port of the proxy. */
      port: z.int(),
      /** The user name for the proxy. */
      username: z.string(),
      /** The password for the proxy. */
      password: z.string(),
      /**
       * The address family of the gateway's own egress addresses. Null if the gateway uses both families, if no address
       * is known, and for every upstream proxy. An older api does not send this field.
       */
      family: z.nullish(z.literal([4, 6])),
    }),
  ),
  /** The policies of the company without times of their own, each with the users whose membership has no end. */
  policies: z.array(z.object(policy)),
  /**
   * The rights with a time rule. They are not in `policies`, so that a gateway of an earlier version denies them. If the field is
   * absent, there are none.
   */
  timed: z.optional(
    z.object({
      /** The policies with times of their own, each with the users whose membership has no end. */
      policies: z.array(z.object({ ...policy, times: RightTimes })),
      /** The memberships with an end, in policies of either list. */
      members: z.array(
        z.object({
          policyId: Id,
          userId: Id,
          /** The membership ends before this moment, in ms since 1970. */
          until: z.int(),
        }),
      ),
    }),
  ),
  /** Ids of the suspended users, who are not in `users`. If the field is absent, there are none. */
  suspended: z.optional(z.array(Id)),
});
export type CompanySnapshot = z.infer<typeof CompanySnapshot>;

/** The event that ends visits at the gateway: the visit with the id `record`, or all visits of the user with the id `user`. */
const VisitEndEvent = z.object({ companyId: Id, record: z.optional(z.string()), user: z.optional(Id) });
export type VisitEndEvent = z.infer<typeof VisitEndEvent>;

/** The time of the database in ms since 1970, by which gateways judge time rules. An older api does not send it. */
const Moment = z.object({ now: z.optional(z.int()) });

/**
 * The payloads of the feed's server-sent events, by event name. On a new connection the api sends `company`
 * for every company, then `ready`. A company that was not sent before `ready` no longer exists. Every 15 s
 * the api compares the sent versions with the database, then sends `heartbeat`. `end` may come at any time.
 * If a gateway misses `end`, the visit goes on. A gateway closes a connection that has no heartbeat for 40 s.
 */
export const feedEvents = {
  company: CompanySnapshot,
  gone: z.object({ companyId: Id }),
  end: VisitEndEvent,
  ready: Moment,
  heartbeat: Moment,
} as const;
export type FeedEventName = keyof typeof feedEvents;

export const FEED_HEARTBEAT_MS = 15_000;

/**
 * Stream snapshots of access rights to a gateway, as server-sent events. The events are `company` (a whole
 * snapshot), `gone`, `end`, `ready` after the first round of snapshots, and `heartbeat` every 15 s.
 */
export const feed = endpoint('GET /feed', { access: 'gateway' });
