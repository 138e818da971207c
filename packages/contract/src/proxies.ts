import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Id, IdParams, IsoDate, ListQuery, listOf, text } from './fields.ts';
import { limits } from './limits.ts';

/** default: the platform's own, shared by companies. users: a company's own. payment: a company's, paid for. */
export const ProxyType = z.enum(['default', 'payment', 'users']);
export type ProxyType = z.infer<typeof ProxyType>;

/**
 * A way out to the sites. The password is in no reply, for no role.
 * `direct` marks the platform's gateway itself: traffic leaves from it, not through another proxy.
 */
export const Proxy = z.object({
  id: Id,
  host: z.string(),
  port: z.string(),
  username: z.string(),
  direct: z.boolean(),
  settings: z.object({ type: ProxyType, allSites: z.boolean() }),
  company: z.nullable(z.object({ companyName: z.string(), companySite: z.string() })),
  createdAt: IsoDate,
  updatedAt: IsoDate,
});
export type Proxy = z.infer<typeof Proxy>;

/** Travels as a string or a number (answers.md), is a string in replies. */
const Port = z.pipe(
  z.pipe(z.union([z.string().check(z.trim(), z.regex(/^[1-9]\d{3,4}$/)), z.number()]), z.transform(Number)),
  z.int().check(z.gte(limits.port.min), z.lte(limits.port.max)),
);

export const ProxyInput = z.object({
  host: text(limits.proxyField, limits.address).check(z.regex(/^[\p{L}\p{N}._:[\]-]+$/u)),
  port: Port,
  // A colon ends the name in Basic credentials (RFC 7617 section 2).
  username: text(limits.proxyField).check(z.regex(/^[^:]*$/)),
  password: z.string().check(z.minLength(limits.proxyField), z.maxLength(limits.password.max)),
});
export type ProxyInput = z.infer<typeof ProxyInput>;

export const createProxy = endpoint({
  method: 'POST',
  path: '/proxy',
  access: ['CREATOR'],
  summary: "Add the company's own upstream proxy",
  body: ProxyInput,
  reply: Proxy,
  status: 201,
});

export const listProxies = endpoint({
  method: 'GET',
  path: '/proxy',
  access: ['CREATOR'],
  summary: "The company's proxies and the platform's default ones",
  query: ListQuery,
  reply: listOf(Proxy),
});

export const deleteProxy = endpoint({
  method: 'DELETE',
  path: '/proxy/:id',
  access: ['CREATOR', 'ADMIN'],
  summary: 'Remove a proxy that no policy uses',
  params: IdParams,
});
