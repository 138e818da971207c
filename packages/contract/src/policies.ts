import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Id, IdParams, IsoDate, Links, ListQuery, listOf, Named, text } from './fields.ts';
import { limits } from './limits.ts';
import { ProxyType } from './proxies.ts';

/** An access policy (on the wire: politics): these users reach these sites through this proxy. */
export const Policy = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  allSites: z.boolean(),
  /** The people it holds; a plain USER is told of no one else. */
  users: z.array(Named),
  /** The spec's list; it holds the one proxy of the policy. */
  proxy: z.array(
    z.object({
      id: Id,
      host: z.string(),
      direct: z.boolean(),
      settings: z.object({ type: ProxyType, allSites: z.boolean() }),
    }),
  ),
  createdAt: IsoDate,
  updatedAt: IsoDate,
});
export type Policy = z.infer<typeof Policy>;

/** An absent description becomes a copy of the name (spec section 7). */
export const PolicyInput = z.object({
  name: text(limits.policyName),
  description: z._default(text(0, limits.description), ''),
  proxyId: Id,
  allSites: z._default(z.boolean(), false),
  users: z._default(Links, []),
});
export type PolicyInput = z.infer<typeof PolicyInput>;

/** What is absent stays as it is. */
export const PolicyChange = z.object({
  name: z.optional(text(limits.policyName)),
  description: z.optional(text(0, limits.description)),
  proxyId: z.optional(Id),
  allSites: z.optional(z.boolean()),
  users: z.optional(Links),
});
export type PolicyChange = z.infer<typeof PolicyChange>;

export const createPolicy = endpoint({
  method: 'POST',
  path: '/politics',
  access: ['CREATOR'],
  summary: 'Add an access policy',
  body: PolicyInput,
  reply: Policy,
  status: 201,
});

export const listPolicies = endpoint({
  method: 'GET',
  path: '/politics',
  access: ['CREATOR', 'USER'],
  summary: "The company's policies; for a plain USER the own ones",
  query: ListQuery,
  reply: listOf(Policy),
});

export const updatePolicy = endpoint({
  method: 'PUT',
  path: '/politics/:id',
  access: ['CREATOR', 'ADMIN'],
  summary: 'Change a policy; `users` replaces the people it holds',
  params: IdParams,
  body: PolicyChange,
  reply: Policy,
});

export const deletePolicy = endpoint({
  method: 'DELETE',
  path: '/politics/:id',
  access: ['CREATOR', 'ADMIN'],
  summary: 'Remove a policy; who had access through it alone loses it at once',
  params: IdParams,
});
