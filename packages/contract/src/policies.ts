import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Id, Links, ListQuery, listOf, Member, Named, paragraphs, text, versioned } from './fields.ts';
import { limits } from './limits.ts';
import { idsOfList, unpaged } from './list-filters.ts';
import { ProxySettings } from './proxies.ts';
import { ShownText } from './shown-text.ts';
import { EndFilter, Ends, timesInput, timesOutput } from './times.ts';

/** An access policy (on the wire: politics): these users reach these sites through this proxy. */
export const Policy = z.object({
  id: Id,
  /** The display name. */
  name: ShownText,
  /** The purpose of the policy. */
  description: z.string(),
  /** Whether the users may reach every public site. True only while the proxy has `settings.allSites`. */
  allSites: z.boolean(),
  /** The users of the policy. A caller with only the role USER sees no other users. */
  users: z.array(Member),
  /** The sites of the policy; `name` is the address in Unicode. @example [{"id": 11, "name": "crm.romashka.ru"}] */
  sites: z.array(Named),
  /** The proxy that carries the traffic, as a list with one element. */
  proxy: z.array(
    z.object({
      id: Id,
      /** Host name or IP address of the proxy. @example proxy.romashka.ru */
      host: z.string(),
      /** Whether the proxy is the platform's gateway itself. @example false */
      direct: z.boolean(),
      settings: ProxySettings,
    }),
  ),
  ...timesOutput,
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
  /** Whether the policy's users may reach every public site. The proxy must allow policies for all sites. */
  allSites: z._default(z.boolean(), false),
  /** Ids of the policy's users. */
  users: z._default(Links, []),
  /** Ids of the sites that the policy allows. */
  sites: z._default(Links, []),
  ...timesInput,
  ends: Ends,
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
  /** Whether the policy's users may reach every public site. The proxy must allow policies for all sites. */
  allSites: z.optional(z.boolean()),
  /** Ids of the policy's users. */
  users: z.optional(Links),
  /** Ids of the sites that the policy allows. */
  sites: z.optional(Links),
  ...timesInput,
  ends: Ends,
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

/** The filters of the list of policies. */
export const PolicyQuery = z.extend(ListQuery, {
  /** Returns only policies that end, or whose memberships end. */
  ends: EndFilter,
});
export type PolicyQuery = z.infer<typeof PolicyQuery>;

/**
 * List the company's policies. A caller with only the role USER gets the policies that apply to that user. An
 * ADMIN gets the policies of every company. `name` searches name and description.
 */
export const listPolicies = endpoint('GET /politics', {
  access: ['CREATOR', 'USER', 'ADMIN'],
  query: PolicyQuery,
  reply: listOf(Policy),
  errors: ['too_many_rows'],
});

/** Get the ids of all policies of the caller's company that match `name`. */
export const policyIds = endpoint('GET /politics/ids', { ...idsOfList, query: z.omit(PolicyQuery, unpaged) });

/** Get a policy. A caller with only the role USER gets only policies that apply to that user. */
export const getPolicy = endpoint('GET /politics/:id', {
  access: ['CREATOR', 'ADMIN', 'USER'],
  reply: Policy,
  versioned: true,
  errors: ['not_found'],
});

/** Change a policy. `users` and `sites` replace the users and sites of the policy. */
export const updatePolicy = endpoint('PUT /politics/:id', {
  access: ['CREATOR', 'ADMIN'],
  body: PolicyChange,
  reply: Policy,
  versioned: true,
  errors: ['not_found', 'all_sites_refused', 'not_in_plan', 'too_many_objects'],
});

/** Delete a policy. Users who have no other policy for the same sites lose access at once. */
export const deletePolicy = endpoint('DELETE /politics/:id', {
  access: ['CREATOR', 'ADMIN'],
  versioned: true,
  errors: ['not_found'],
});
