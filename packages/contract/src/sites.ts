import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Id, IdParams, IsoDate, Links, ListQuery, listOf, Named, text, Version } from './fields.ts';
import { limits } from './limits.ts';
import { Protection } from './protection.ts';

/** A protected site (on the wire: allowed domain). `address` is a host in punycode, with an optional port. */
export const Site = z.object({
  id: Id,
  address: z.string(),
  politics: z.array(Named),
  /** The last probe's verdict; null before the first probe, and for a plain USER. */
  protection: z.nullable(Protection),
  version: Version,
  createdAt: IsoDate,
  updatedAt: IsoDate,
});
export type Site = z.infer<typeof Site>;

/** `address` may be a whole URL; the server keeps the host. */
export const SiteInput = z.object({
  address: text(1, limits.description),
  politics: z._default(Links, []),
});
export type SiteInput = z.infer<typeof SiteInput>;

/** An absent field keeps its value. */
export const SiteChange = z.object({
  address: z.optional(text(1, limits.description)),
  politics: z.optional(Links),
});
export type SiteChange = z.infer<typeof SiteChange>;

export const createSite = endpoint({
  method: 'POST',
  path: '/domain-allowed',
  access: ['CREATOR'],
  body: SiteInput,
  reply: Site,
  status: 201,
  versioned: true,
  errors: ['site_exists', 'too_many_objects', 'no_company'],
});

/** The body of a bulk create. Errors name a line by its index (`3.address`). */
export const SiteInputs = z.array(SiteInput).check(z.minLength(1), z.maxLength(limits.objectsPerCompany));
export type SiteInputs = z.infer<typeof SiteInputs>;

export const createSites = endpoint({
  method: 'POST',
  path: '/domain-allowed/many',
  access: ['CREATOR'],
  body: SiteInputs,
  reply: listOf(Site),
  status: 201,
  errors: ['site_exists', 'too_many_objects', 'no_company'],
});

export const getSite = endpoint({
  method: 'GET',
  path: '/domain-allowed/:id',
  access: ['CREATOR', 'ADMIN', 'USER'],
  params: IdParams,
  reply: Site,
  versioned: true,
  errors: ['not_found'],
});

export const listSites = endpoint({
  method: 'GET',
  path: '/domain-allowed',
  access: ['CREATOR', 'USER', 'ADMIN'],
  query: ListQuery,
  reply: listOf(Site),
});

export const updateSite = endpoint({
  method: 'PUT',
  path: '/domain-allowed/:id',
  access: ['CREATOR', 'ADMIN'],
  params: IdParams,
  body: SiteChange,
  reply: Site,
  versioned: true,
  errors: ['not_found', 'site_exists'],
});

export const deleteSite = endpoint({
  method: 'DELETE',
  path: '/domain-allowed/:id',
  access: ['CREATOR', 'ADMIN'],
  params: IdParams,
  versioned: true,
  errors: ['not_found'],
});

export const deleteSiteByAddress = endpoint({
  method: 'DELETE',
  path: '/domain-allowed/address/:address',
  access: ['CREATOR'],
  params: z.object({ address: text(1, limits.description) }),
  versioned: true,
  errors: ['not_found', 'no_company'],
});
