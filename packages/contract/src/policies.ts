import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import {
  Id,
  IdParams,
  IsoDate,
  Links,
  ListQuery,
  listOf,
  Named,
  paragraphs,
  text,
  Version,
} from './fields.ts';
import { limits } from './limits.ts';
import { ProxyType } from './proxies.ts';

/** An access policy (on the wire: politics): these users reach these sites through this proxy. */
export const Policy = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  /** Its users may reach every public site. Effective only while the proxy has `settings.allSites`. */
  allSites: z.boolean(),
  /** Its users; a plain USER sees only themselves. */
  users: z.array(Named),
  /** Its sites; `name` is the address in Unicode. */
  sites: z.array(Named),
  /** An array by the spec; it holds exactly one proxy. */
  proxy: z.array(
    z.object({
      id: Id,
      host: z.string(),
      direct: z.boolean(),
      settings: z.object({ type: ProxyType, allSites: z.boolean() }),
    }),
  ),
  version: Version,
  createdAt: IsoDate,
  updatedAt: IsoDate,
});
export type Policy = z.infer<typeof Policy>;

/** An absent description becomes a copy of the name (spec section 7). */
export const PolicyInput = z.object({
  name: text(limits.policyName),
  description: z._default(paragraphs(limits.description), ''),
  proxyId: Id,
  allSites: z._default(z.boolean(), false),
  users: z._default(Links, []),
  sites: z._default(Links, []),
});
export type PolicyInput = z.infer<typeof PolicyInput>;

/** An absent field keeps its value. */
export const PolicyChange = z.object({
  name: z.optional(text(limits.policyName)),
  description: z.optional(paragraphs(limits.description)),
  proxyId: z.optional(Id),
  allSites: z.optional(z.boolean()),
  users: z.optional(Links),
  sites: z.optional(Links),
});
export type PolicyChange = z.infer<typeof PolicyChange>;

export const createPolicy = endpoint({
  method: 'POST',
  path: '/politics',
  access: ['CREATOR'],
  body: PolicyInput,
  reply: Policy,
  status: 201,
  versioned: true,
  errors: ['all_sites_refused', 'too_many_objects', 'no_company'],
});

export const listPolicies = endpoint({
  method: 'GET',
  path: '/politics',
  access: ['CREATOR', 'USER', 'ADMIN'],
  query: ListQuery,
  reply: listOf(Policy),
});

export const getPolicy = endpoint({
  method: 'GET',
  path: '/politics/:id',
  access: ['CREATOR', 'ADMIN', 'USER'],
  params: IdParams,
  reply: Policy,
  versioned: true,
  errors: ['not_found'],
});

export const updatePolicy = endpoint({
  method: 'PUT',
  path: '/politics/:id',
  access: ['CREATOR', 'ADMIN'],
  params: IdParams,
  body: PolicyChange,
  reply: Policy,
  versioned: true,
  errors: ['not_found', 'all_sites_refused'],
});

export const deletePolicy = endpoint({
  method: 'DELETE',
  path: '/politics/:id',
  access: ['CREATOR', 'ADMIN'],
  params: IdParams,
  versioned: true,
  errors: ['not_found'],
});
