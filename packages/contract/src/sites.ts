import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Id, IdParams, IsoDate, Links, ListQuery, listOf, Named, text } from './fields.ts';
import { limits } from './limits.ts';

/** A protected site (on the wire: allowed domain). `address` is a host in punycode, with a port if one was named. */
export const Site = z.object({
  id: Id,
  address: z.string(),
  politics: z.array(Named),
  createdAt: IsoDate,
  updatedAt: IsoDate,
});
export type Site = z.infer<typeof Site>;

/** `address` takes what people paste, a whole URL too; the server keeps the host. */
export const SiteInput = z.object({
  address: text(1, limits.description),
  politics: z._default(Links, []),
});
export type SiteInput = z.infer<typeof SiteInput>;

/** What is absent stays as it is. */
export const SiteChange = z.object({
  address: z.optional(text(1, limits.description)),
  politics: z.optional(Links),
});
export type SiteChange = z.infer<typeof SiteChange>;

export const createSite = endpoint({
  method: 'POST',
  path: '/domain-allowed',
  access: ['CREATOR'],
  summary: 'Add a site to protect',
  body: SiteInput,
  reply: Site,
  status: 201,
});

export const listSites = endpoint({
  method: 'GET',
  path: '/domain-allowed',
  access: ['CREATOR', 'USER'],
  summary: "The company's sites; for a plain USER those that own policies reach",
  query: ListQuery,
  reply: listOf(Site),
});

export const updateSite = endpoint({
  method: 'PUT',
  path: '/domain-allowed/:id',
  access: ['CREATOR', 'ADMIN'],
  summary: 'Change a site; `politics` replaces the policies that open it',
  params: IdParams,
  body: SiteChange,
  reply: Site,
});

export const deleteSite = endpoint({
  method: 'DELETE',
  path: '/domain-allowed/:id',
  access: ['CREATOR', 'ADMIN'],
  summary: 'Remove a site',
  params: IdParams,
});
