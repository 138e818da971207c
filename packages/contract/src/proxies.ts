import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { clean, companyNames, Id, IsoDate, ListQuery, listOf, text, versioned } from './fields.ts';
import { issue } from './issues.ts';
import { limits } from './limits.ts';

/**
 * `default`: a proxy of the platform, which companies share. `users`: a company's own proxy. `payment`: a
 * paid proxy of one company.
 * @example users
 */
export const ProxyType = z.enum(['default', 'payment', 'users']);
export type ProxyType = z.infer<typeof ProxyType>;

/** The settings of the proxy. */
export const ProxySettings = z.object({
  type: ProxyType,
  /** Whether policies with this proxy may open every site, instead of only named sites. */
  allSites: z.boolean(),
});

/** An upstream proxy. No reply contains its password. */
export const Proxy = z.object({
  id: Id,
  /** Host name or address. @example proxy.romashka.ru */
  host: z.string(),
  /** Port, as digits. @example "3128" */
  port: z.string(),
  /** The user name for the proxy. @example romashka */
  username: z.string(),
  /** Whether the proxy is the platform's gateway itself, from which traffic leaves directly. @example false */
  direct: z.boolean(),
  settings: ProxySettings,
  /** The company that owns the proxy; null for a proxy of the platform. */
  company: z.nullable(z.object(companyNames)),
  ...versioned,
});
export type Proxy = z.infer<typeof Proxy>;

/** A port, as a number or as a string of digits. @example "3128" */
const Port = z.pipe(
  z.pipe(z.union([z.string().check(z.trim(), z.regex(/^[1-9]\d{3,4}$/)), z.number()]), z.transform(Number)),
  z.int().check(z.gte(limits.port.min), z.lte(limits.port.max)),
);

/** Host name or address, 4 characters or more. @example proxy.romashka.ru */
const Host = text(limits.proxyField, limits.address).check(
  z.regex(/^[\p{L}\p{N}._:[\]-]+$/u),
  z.refine(isHost, issue('no_proxy_host')),
);

/** Whether the text is a host name without empty labels, or an IP address; IPv6 with or without brackets. */
function isHost(text: string): boolean {
  const { hostname = '', port } = hostUrl(text) ?? {};
  // Refuses a host that the URL class would rewrite, such as 16909060 to 1.2.3.4, because the resolver gets the text as typed.
  const isTyped = /^[\d.]+$/.test(hostname)
    ? hostname === text
    : hostname.startsWith('[') === text.includes(':');
  return port === '' && isTyped && !/^\.|\.\.|^$/.test(hostname);
}

function hostUrl(host: string): URL | null {
  const url = `http://${/^[^[]*:.*:/.test(host) ? `[${host}]` : host}`;
  return URL.canParse(url) ? new URL(url) : null;
}

/**
 * Returns the canonical address of a proxy. All spellings of one host and port give the same address. A stored proxy
 * password may be sent only to the address for which an owner typed the password (answers.md).
 * @returns `host:port`, with the host in the form of URL: lower case, Punycode, canonical IP address
 */
export function proxyAddress(host: string, port: number | string): string {
  return `${hostUrl(host.trim())?.hostname ?? host}:${String(port).trim()}`;
}

// In Basic credentials, a colon ends the user name (RFC 7617 section 2).
/** The user name for the proxy, without a colon. @example romashka */
const Username = text(limits.proxyField).check(z.regex(/^[^:]*$/));
/** The password for the proxy. It is stored encrypted, and no reply contains it. @example open sesame */
const Secret = z.string().check(z.minLength(limits.proxyField), z.maxLength(limits.password.max), clean);

/** A proxy to create. */
export const ProxyInput = z.object({ host: Host, port: Port, username: Username, password: Secret });
export type ProxyInput = z.infer<typeof ProxyInput>;

/** A change to a proxy; absent fields stay unchanged. A new host or port requires `password`, even an unchanged password. */
export const ProxyChange = z.partial(ProxyInput);

/** A change to any proxy by an ADMIN; absent fields stay unchanged. */
export const AdminProxyChange = z.extend(ProxyChange, {
  /** The settings of the proxy. */
  settings: z.optional(z.partial(ProxySettings)),
});
export type AdminProxyChange = z.infer<typeof AdminProxyChange>;

/** Add an upstream proxy of the caller's company. An ADMIN without a company adds a default proxy of the platform. */
export const createProxy = endpoint('POST /proxy', {
  access: ['CREATOR', 'ADMIN'],
  body: ProxyInput,
  reply: Proxy,
  status: 201,
  versioned: true,
  errors: ['too_many_objects', 'plan_limit', 'no_company'],
});

/** A paid proxy to create for a company. */
export const PaidProxyInput = z.extend(ProxyInput, {
  /** The company that uses the proxy. */
  companyId: Id,
  /** Whether policies with this proxy may open every site. */
  allSites: z._default(z.boolean(), false),
});
export type PaidProxyInput = z.infer<typeof PaidProxyInput>;

/**
 * Add a paid proxy for a company. The plan of the company must include paid proxies. The company's owners can
 * use the proxy in policies but cannot change it.
 */
export const createPaidProxy = endpoint('POST /proxy/admin', {
  access: ['ADMIN'],
  body: PaidProxyInput,
  reply: Proxy,
  status: 201,
  versioned: true,
  errors: ['not_found', 'not_in_plan', 'too_many_objects'],
});

/** Get a proxy of the company or of the platform. */
export const getProxy = endpoint('GET /proxy/:id', {
  access: ['CREATOR', 'ADMIN'],
  reply: Proxy,
  versioned: true,
  errors: ['not_found'],
});

/**
 * List the company's proxies and the platform's default proxies. An ADMIN gets the proxies of every company.
 * `name` searches the host.
 */
export const listProxies = endpoint('GET /proxy', {
  access: ['CREATOR', 'ADMIN'],
  query: ListQuery,
  reply: listOf(Proxy),
  errors: ['too_many_rows'],
});

/** The query parameters for the list of all proxies. */
export const ProxyQuery = z.extend(ListQuery, {
  /** Returns only proxies of this type. */
  type: z.optional(ProxyType),
});
export type ProxyQuery = z.infer<typeof ProxyQuery>;

/** List the proxies of every company and of the platform. `name` searches the host; `type` filters by `settings.type`. */
export const listAllProxies = endpoint('GET /proxy/admin', {
  access: ['ADMIN'],
  query: ProxyQuery,
  reply: listOf(Proxy),
  errors: ['too_many_rows'],
});

/** Change a proxy. Without `password`, the stored password is kept. A new host or port requires `password`. */
export const updateProxy = endpoint('PUT /proxy/:id', {
  access: ['CREATOR', 'ADMIN'],
  body: ProxyChange,
  reply: Proxy,
  versioned: true,
  errors: ['not_found', 'default_proxy', 'direct_proxy', 'paid_proxy', 'password_needed'],
});

/**
 * Change any proxy and its settings. Without `password`, the stored password is kept. A new host or port requires `password`.
 * The type of a company's proxy is `users` or `payment`. The type of a platform proxy stays `default`. If
 * `settings.allSites` is false, a policy for all sites on this proxy opens only the sites that the policy names.
 */
export const updateAnyProxy = endpoint('PUT /proxy/admin/:id', {
  access: ['ADMIN'],
  body: AdminProxyChange,
  reply: Proxy,
  versioned: true,
  errors: ['not_found', 'direct_proxy', 'not_in_plan', 'password_needed'],
});

/** Delete a proxy that no policy uses. */
export const deleteProxy = endpoint('DELETE /proxy/:id', {
  access: ['CREATOR', 'ADMIN'],
  versioned: true,
  errors: ['not_found', 'default_proxy', 'direct_proxy', 'paid_proxy', 'proxy_in_use'],
});

/** The result of a test request through a proxy. */
export const ProxyCheck = z.object({
  /** Whether the proxy accepts connections. */
  reachable: z.boolean(),
  /**
   * Whether the proxy accepted the credentials. Null if unknown, because the proxy was unreachable or the
   * connection broke before the response.
   */
  credentialsAccepted: z.nullable(z.boolean()),
  /** The source addresses that our echo endpoint saw; empty when the request did not reach it. @example ["203.0.113.5"] */
  egress: z.array(z.string()),
  /** The round trip to the echo endpoint through the proxy, in milliseconds. @example 84 */
  roundTripMs: z.nullable(z.number()),
  /** The problem and its remedy, in Russian; null without a problem. */
  problem: z.nullable(z.string()),
  /** The time of the test. */
  checkedAt: IsoDate,
});
export type ProxyCheck = z.infer<typeof ProxyCheck>;

/** Test a proxy with a request to our echo endpoint: reachability, credentials and egress addresses. */
export const checkProxy = endpoint('POST /proxy/:id/check', {
  access: ['CREATOR', 'ADMIN'],
  reply: ProxyCheck,
  // The test request can first wait for tests of other proxies, and then take up to 10 s.
  replySeconds: 60,
  errors: ['not_found', 'company_unconfirmed', 'too_many_requests'],
});
