import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Id, IdParams, IsoDate, ListQuery, text, Version } from './fields.ts';

const Domain = z.object({ id: Id, address: z.string() });

/** A company, the tenant: no entity of one company refers to another company's. */
export const Company = z.object({
  id: Id,
  companyName: z.string(),
  companySite: z.string(),
  domainsAllowed: z.array(Domain),
  /** Always empty, because every domain that is not allowed is refused. The spec's clients read the field. */
  domainsBlock: z.array(Domain),
  proxy: z.array(z.object({ id: Id, host: z.string(), port: z.string() })),
  users: z.array(z.object({ id: Id, name: z.string(), surname: z.string(), email: z.string() })),
  /** Users without a second factor can make no other calls before they enrol one. */
  secondFactorRequired: z.boolean(),
  /** Whether an owner has used a mailed link, or an ADMIN has confirmed it. The gateway refuses all users of an unconfirmed company. */
  confirmed: z.boolean(),
  version: Version,
  createdAt: IsoDate,
  updatedAt: IsoDate,
});
export type Company = z.infer<typeof Company>;

/** Spec section 2, company create. An empty `companyName` defaults to the site's address. */
export const CompanyInput = z.object({ companyName: z._default(text(0), ''), companySite: text(1) });
export type CompanyInput = z.infer<typeof CompanyInput>;

/** An absent field keeps its value. */
export const CompanyChange = z.object({
  companyName: z.optional(text(1)),
  companySite: z.optional(text(1)),
  secondFactorRequired: z.optional(z.boolean()),
});
export type CompanyChange = z.infer<typeof CompanyChange>;

export const createCompany = endpoint({
  method: 'POST',
  path: '/company',
  access: ['ADMIN'],
  body: CompanyInput,
  reply: Company,
  status: 201,
  versioned: true,
});

export const listCompanies = endpoint({
  method: 'GET',
  path: '/company',
  access: ['ADMIN'],
  query: ListQuery,
  reply: z.array(Company),
});

export const myCompany = endpoint({
  method: 'GET',
  path: '/company/me-company',
  access: ['CREATOR'],
  reply: Company,
  versioned: true,
  errors: ['no_company'],
});

export const updateMyCompany = endpoint({
  method: 'PUT',
  path: '/company/me-company',
  access: ['CREATOR'],
  body: CompanyChange,
  reply: Company,
  versioned: true,
  errors: ['no_company', 'own_factor_first'],
});

export const getCompany = endpoint({
  method: 'GET',
  path: '/company/:id',
  access: ['CREATOR', 'ADMIN'],
  params: IdParams,
  reply: Company,
  versioned: true,
  errors: ['not_found'],
});

export const updateCompany = endpoint({
  method: 'PUT',
  path: '/company/:id',
  access: ['CREATOR', 'ADMIN'],
  params: IdParams,
  body: CompanyChange,
  reply: Company,
  versioned: true,
  errors: ['not_found', 'own_factor_first'],
});

export const confirmCompany = endpoint({
  method: 'POST',
  path: '/company/:id/confirmation',
  access: ['ADMIN'],
  params: IdParams,
  errors: ['not_found', 'already_confirmed'],
});

export const deleteCompany = endpoint({
  method: 'DELETE',
  path: '/company/:id',
  access: ['ADMIN'],
  params: IdParams,
  versioned: true,
  errors: ['not_found', 'company_of_admin'],
});
