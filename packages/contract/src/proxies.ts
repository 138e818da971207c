import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { clean, Id, IdParams, IsoDate, ListQuery, listOf, text, Version } from './fields.ts';
import { issue } from './issues.ts';
import { limits } from './limits.ts';

/** default: of the platform, shared by companies. users: of one company. payment: of one company, paid for. */
export const ProxyType = z.enum(['default', 'payment', 'users']);
export type ProxyType = z.infer<typeof ProxyType>;

/**
 * An egress to the sites. No reply contains the password, for any role.
 * `direct` marks the gateway itself, which connects without an upstream proxy.
 */
export const Proxy = z.object({
  id: Id,
  host: z.string(),
  port: z.string(),
  username: z.string(),
  direct: z.boolean(),
  settings: z.object({ type: ProxyType, allSites: z.boolean() }),
  company: z.nullable(z.object({ companyName: z.string(), companySite: z.string() })),
  version: Version,
  createdAt: IsoDate,
  updatedAt: IsoDate,
});
export type Proxy = z.infer<typeof Proxy>;

/** A string or a number in requests (answers.md), a string in replies. */
const Port = z.pipe(
  z.pipe(z.union([z.string().check(z.trim(), z.regex(/^[1-9]\d{3,4}$/)), z.number()]), z.transform(Number)),
  z.int().check(z.gte(limits.port.min), z.lte(limits.port.max)),
);

const Host = text(limits.proxyField, limits.address).check(
  z.regex(/^[\p{L}\p{N}._:[\]-]+$/u),
  z.refine(isHost, issue('no_proxy_host')),
);

/** Whether the text is a host name without empty labels, or an IP address; IPv6 with or without brackets. */
function isHost(text: string): boolean {
  const { hostname = '', port } = hostUrl(text) ?? {};
  // URL drops the port 80, and reads 16909060 as the address 1.2.3.4; the resolver would not.
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
 * The address that a stored proxy password belongs to (answers.md): equal for all spellings of one host and port.
 * @returns `host:port` with the host as URL writes it: lower case, punycode, canonical IP address
 */
export function proxyAddress(host: string, port: number | string): string {
  return `${hostUrl(host.trim())?.hostname ?? host}:${String(port).trim()}`;
}

// A colon ends the name in Basic credentials (RFC 7617 section 2).
const Username = text(limits.proxyField).check(z.regex(/^[^:]*$/));
const Secret = z.string().check(z.minLength(limits.proxyField), z.maxLength(limits.password.max), clean);

export const ProxyInput = z.object({ host: Host, port: Port, username: Username, password: Secret });
export type ProxyInput = z.infer<typeof ProxyInput>;

/**
 * An absent field keeps its value. Forms omit the password, which no reply contains. The stored password belongs to host and port:
 * a change of either needs the password again.
 */
export const ProxyChange = z.object({
  host: z.optional(Host),
  port: z.optional(Port),
  username: z.optional(Username),
  password: z.optional(Secret),
});
export type ProxyChange = z.infer<typeof ProxyChange>;

export const AdminProxyChange = z.extend(ProxyChange, {
  settings: z.optional(z.object({ type: z.optional(ProxyType), allSites: z.optional(z.boolean()) })),
});
export type AdminProxyChange = z.infer<typeof AdminProxyChange>;

export const createProxy = endpoint({
  method: 'POST',
  path: '/proxy',
  access: ['CREATOR', 'ADMIN'],
  body: ProxyInput,
  reply: Proxy,
  status: 201,
  versioned: true,
  errors: ['too_many_objects', 'no_company'],
});

export const getProxy = endpoint({
  method: 'GET',
  path: '/proxy/:id',
  access: ['CREATOR', 'ADMIN'],
  params: IdParams,
  reply: Proxy,
  versioned: true,
  errors: ['not_found'],
});

export const listProxies = endpoint({
  method: 'GET',
  path: '/proxy',
  access: ['CREATOR', 'ADMIN'],
  query: ListQuery,
  reply: listOf(Proxy),
});

/** The query of the list of all proxies. */
export const ProxyQuery = z.extend(ListQuery, { type: z.optional(ProxyType) });
export type ProxyQuery = z.infer<typeof ProxyQuery>;

export const listAllProxies = endpoint({
  method: 'GET',
  path: '/proxy/admin',
  access: ['ADMIN'],
  query: ProxyQuery,
  reply: listOf(Proxy),
});

export const updateProxy = endpoint({
  method: 'PUT',
  path: '/proxy/:id',
  access: ['CREATOR', 'ADMIN'],
  params: IdParams,
  body: ProxyChange,
  reply: Proxy,
  versioned: true,
  errors: ['not_found', 'default_proxy', 'direct_proxy', 'password_needed'],
});

export const updateAnyProxy = endpoint({
  method: 'PUT',
  path: '/proxy/admin/:id',
  access: ['ADMIN'],
  params: IdParams,
  body: AdminProxyChange,
  reply: Proxy,
  versioned: true,
  errors: ['not_found', 'direct_proxy', 'password_needed'],
});

export const deleteProxy = endpoint({
  method: 'DELETE',
  path: '/proxy/:id',
  access: ['CREATOR', 'ADMIN'],
  params: IdParams,
  versioned: true,
  errors: ['not_found', 'default_proxy', 'direct_proxy', 'proxy_in_use'],
});

/** The result of a test request through a proxy. */
export const ProxyCheck = z.object({
  reachable: z.boolean(),
  /** Null when unknown: the proxy was unreachable, or the connection broke before the answer. */
  credentialsAccepted: z.nullable(z.boolean()),
  /** The source addresses that our echo saw; empty when the request did not reach it. */
  egress: z.array(z.string()),
  roundTripMs: z.nullable(z.number()),
  /** The problem and its remedy, in Russian; null without a problem. */
  problem: z.nullable(z.string()),
  checkedAt: IsoDate,
});
export type ProxyCheck = z.infer<typeof ProxyCheck>;

export const checkProxy = endpoint({
  method: 'POST',
  path: '/proxy/:id/check',
  access: ['CREATOR', 'ADMIN'],
  params: IdParams,
  reply: ProxyCheck,
  errors: ['not_found', 'company_unconfirmed', 'too_many_requests'],
});
