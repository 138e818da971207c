import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Id, Links, ListQuery, listOf, Named, paragraphs, text, versioned } from './fields.ts';
import { limits } from './limits.ts';
import { ProxySettings } from './proxies.ts';
import { ShownText } from './shown-text.ts';

/** An access policy (on the wire: politics): these users reach these sites through this proxy. */
export const Policy = z.object({
  id: Id,
  /** The display name. */
  name: ShownText,
  /** The purpose of the policy. */
  description: z.string(),
  /** Whether the users may reach every public site. Effective only while the proxy has `settings.allSites`. */
  allSites: z.boolean(),
  /** The users of the policy. A plain USER sees only the own entry. */
  users: z.array(Named),
  /** The sites of the policy; `name` is the address in Unicode. @example [{"id": 11, "name": "crm.romashka.ru"}] */
  sites: z.array(Named),
  /** A list of one: the proxy that carries the traffic. */
  proxy: z.array(
    z.object({
      id: Id,
      /** Host name or address. @example proxy.romashka.ru */
      host: z.string(),
      /** Whether the proxy is the platform's gateway itself. @example false */
      direct: z.boolean(),
      settings: ProxySettings,
    }),
  ),
  ...versioned,
});
export type Policy = z.infer<typeof Policy>;

/** An access policy to create. */
export const PolicyInput = z.object({
  /** The display name, 4 characters or more. */
  name: text(limits.policyName),
  /** The purpose of the policy; when empty, a copy of the name. */
  description: z._default(paragraphs(limits.description), ''),
  /** Id of a proxy of the company or of the platform. */
  proxyId: Id,
  /** Whether its users reach every public site; the proxy must allow it. */
  allSites: z._default(z.boolean(), false),
  /** Ids of its users. */
  users: z._default(Links, []),
  /** Ids of the sites that it opens. */
  sites: z._default(Links, []),
});
export type PolicyInput = z.infer<typeof PolicyInput>;

/** Changes of an access policy; absent fields stay unchanged. */
export const PolicyChange = z.object({
  /** The display name, 4 characters or more. */
  name: z.optional(text(limits.policyName)),
  /** The purpose of the policy. */
  description: z.optional(paragraphs(limits.description)),
  /** Id of a proxy of the company or of the platform. */
  proxyId: z.optional(Id),
  /** Whether its users reach every public site; the proxy must allow it. */
  allSites: z.optional(z.boolean()),
  /** Ids of its users. */
  users: z.optional(Links),
  /** Ids of the sites that it opens. */
  sites: z.optional(Links),
});
export type PolicyChange = z.infer<typeof PolicyChange>;

/** Create an access policy. */
export const createPolicy = endpoint('POST /politics', {
  access: ['CREATOR'],
  body: PolicyInput,
  reply: Policy,
  status: 201,
  versioned: true,
  errors: ['all_sites_refused', 'not_in_plan', 'too_many_objects', 'no_company'],
});

/**
 * List the company's policies; for a plain USER the user's own; for an ADMIN those of every company. `name` searches name and
 * description.
 */
export const listPolicies = endpoint('GET /politics', {
  access: ['CREATOR', 'USER', 'ADMIN'],
  query: ListQuery,
  reply: listOf(Policy),
});

/** Get a policy; a plain USER only one of the user's own. */
export const getPolicy = endpoint('GET /politics/:id', {
  access: ['CREATOR', 'ADMIN', 'USER'],
  reply: Policy,
  versioned: true,
  errors: ['not_found'],
});

/** Change a policy; `users` and `sites` replace its lists. */
export const updatePolicy = endpoint('PUT /politics/:id', {
  access: ['CREATOR', 'ADMIN'],
  body: PolicyChange,
  reply: Policy,
  versioned: true,
  errors: ['not_found', 'all_sites_refused', 'not_in_plan'],
});

/** Delete a policy; users without another policy for its sites lose access at once. */
export const deletePolicy = endpoint('DELETE /politics/:id', {
  access: ['CREATOR', 'ADMIN'],
  versioned: true,
  errors: ['not_found'],
});
