import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Id, Links, ListQuery, listOf, Named, text, versioned } from './fields.ts';
import { limits } from './limits.ts';
import { idsOfList, LastVisit, linkFilters, unpaged } from './list-filters.ts';
import { Protection, Verdict } from './protection.ts';

/** A protected site (on the wire: allowed domain). */
export const Site = z.object({
  id: Id,
  /** Host in lower case and punycode, with a port if one was given. @example crm.romashka.ru */
  address: z.string(),
  /** The access policies that open the site. */
  politics: z.array(Named),
  /** The result of the last probe. Null before the first probe, and for a caller with only the role USER. */
  protection: z.nullable(Protection),
  lastVisitAt: LastVisit,
  ...versioned,
});
export type Site = z.infer<typeof Site>;

/**
 * A host or a whole URL. The site is the host, with a port if one is given; a path becomes a start path of the site's probe.
 * @example https://crm.romashka.ru/login
 */
const Address = text(1, limits.description);

/** An access policy that is created together with its sites. */
const NewPolicy = z.object({
  /** The display name, 4 characters or more. */
  name: text(limits.policyName),
  /** Id of a proxy of the company or of the platform. */
  proxyId: Id,
  /** Ids of the policy's users. */
  users: z._default(Links, []),
});

/** A site to protect. */
export const SiteInput = z.object({
  address: Address,
  /** Ids of the access policies that open the site. */
  politics: z._default(Links, []),
  /** An access policy to create in the same transaction. It opens the site, too. */
  newPolicy: z.optional(NewPolicy),
});
export type SiteInput = z.infer<typeof SiteInput>;

/** A change to a site; absent fields stay unchanged. */
export const SiteChange = z.object({
  address: z.optional(Address),
  /** Ids of the access policies that open the site. */
  politics: z.optional(Links),
});
export type SiteChange = z.infer<typeof SiteChange>;

/**
 * Add a protected site. `example.ru` also covers `www.example.ru`; `*.example.ru` covers the domain and all its subdomains. IP
 * addresses, single labels and public suffixes are refused.
 */
export const createSite = endpoint('POST /domain-allowed', {
  access: ['CREATOR'],
  body: SiteInput,
  reply: Site,
  status: 201,
  versioned: true,
  errors: ['site_exists', 'too_many_objects', 'plan_limit', 'no_company'],
});

/**
 * The sites of a bulk create. An error names a site by its index, such as `3.address`. Only the first site may have `newPolicy`.
 * This policy opens all sites of the list.
 */
export const SiteInputs = z.array(SiteInput).check(
  z.minLength(1),
  z.maxLength(limits.objectsPerCompany),
  z.refine((sites) => sites.every(({ newPolicy }, at) => at === 0 || newPolicy === undefined), {
    path: ['newPolicy'],
  }),
);

const several = {
  access: ['CREATOR'],
  body: SiteInputs,
  errors: ['site_exists', 'too_many_objects', 'plan_limit', 'no_company'],
} as const;

/** Add several sites, all or none. `fields` of an error names each invalid site by its index from 0, such as `3.address`. */
export const createSites = endpoint('POST /domain-allowed/many', {
  ...several,
  reply: listOf(Site),
  status: 201,
});

/** Check several sites without adding any. The errors are those of `POST /domain-allowed/many`. */
export const previewSites = endpoint('POST /domain-allowed/many/preview', { ...several, creates: true });

/** Get a site. A caller with only the role USER gets only sites of that user's policies. */
export const getSite = endpoint('GET /domain-allowed/:id', {
  access: ['CREATOR', 'ADMIN', 'USER'],
  reply: Site,
  versioned: true,
  errors: ['not_found'],
});

/** The filters of the list of sites. */
export const SiteQuery = z.extend(ListQuery, {
  /** Returns only sites with this verdict of the last probe, `unchecked` sites, or sites that lost their protection (`drifted`). */
  protection: z.optional(z.enum([...Verdict.options, 'unchecked', 'drifted'])),
  ...linkFilters,
});
export type SiteQuery = z.infer<typeof SiteQuery>;

/**
 * List the company's sites. A caller with only the role USER gets the sites of that user's policies. An ADMIN
 * gets the sites of every company. `name` searches the address in Punycode and in Unicode. A filter by something that the caller
 * may not see returns no rows: for a caller with only the role USER, `protection`, `visited` and the policies of other users.
 */
export const listSites = endpoint('GET /domain-allowed', {
  access: ['CREATOR', 'USER', 'ADMIN'],
  query: SiteQuery,
  reply: listOf(Site),
  errors: ['too_many_rows'],
});

/** Get the ids of all sites of the caller's company that match the filters of `GET /domain-allowed`. */
export const siteIds = endpoint('GET /domain-allowed/ids', {
  ...idsOfList,
  query: z.omit(SiteQuery, unpaged),
});

/** Change a site; `politics` replaces the access policies that open the site. */
export const updateSite = endpoint('PUT /domain-allowed/:id', {
  access: ['CREATOR', 'ADMIN'],
  body: SiteChange,
  reply: Site,
  versioned: true,
  errors: ['not_found', 'site_exists', 'too_many_objects'],
});

/** Delete a site. */
export const deleteSite = endpoint('DELETE /domain-allowed/:id', {
  access: ['CREATOR', 'ADMIN'],
  versioned: true,
  errors: ['not_found'],
});

/** Delete a site of the caller's company by its address. */
export const deleteSiteByAddress = endpoint('DELETE /domain-allowed/address/:address', {
  access: ['CREATOR'],
  params: z.object({
    /** Address of the site, in any spelling that the creation of a site accepts. @example crm.romashka.ru */
    address: Address,
  }),
  versioned: true,
  errors: ['not_found', 'no_company'],
});
