import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { companyNames, Id, ListQuery, Named, Proof, text, versioned } from './fields.ts';
import { ShownEmail } from './shown-email.ts';
import { ShownText } from './shown-text.ts';

const Domain = z.object({
  id: Id,
  /** Host, with a port if one was given. @example crm.romashka.ru */
  address: z.string(),
});

/** A company is a tenant: no entity of one company refers to an entity of another company. */
export const Company = z.object({
  id: Id,
  ...companyNames,
  /** The protected sites of the company. */
  domainsAllowed: z.array(Domain),
  // The specification of the project requires this field.
  /**
   * Always empty. There is no list of blocked sites, because every site that is not allowed is refused.
   * @example []
   */
  domainsBlock: z.array(Domain),
  /** The company's own proxies. */
  proxy: z.array(
    z.object({
      id: Id,
      /** Host name or address. @example proxy.romashka.ru */
      host: z.string(),
      /** Port, as digits. @example "3128" */
      port: z.string(),
    }),
  ),
  /** The users of the company. */
  users: z.array(
    z.object({
      id: Id,
      /** Given name. */
      name: ShownText,
      /** Family name. */
      surname: ShownText,
      /** The email address that the user signs in with. */
      email: ShownEmail,
    }),
  ),
  /** The access policies of the company. */
  politics: z.array(Named),
  /** The number of users who have a signed-in browser extension. */
  extensions: z.int(),
  /** Whether users must enable a second factor before they can make other calls. */
  secondFactorRequired: z.boolean(),
  /** Whether an owner used a mailed link, or an ADMIN confirmed the company. The gateway refuses unconfirmed companies. */
  confirmed: z.boolean(),
  ...versioned,
});
export type Company = z.infer<typeof Company>;

/** A company to create. */
export const CompanyInput = z.object({
  /** The name of the company. If the name is empty, the site is used as the name. */
  companyName: z._default(text(0), ''),
  /** The site of the company. */
  companySite: text(1),
});
export type CompanyInput = z.infer<typeof CompanyInput>;

/** Changes to a company; absent fields stay unchanged. */
export const CompanyChange = z.object({
  /** The new name. */
  companyName: z.optional(text(1)),
  /** The new site. */
  companySite: z.optional(text(1)),
  /**
   * Whether users must enable a second factor before they can make other calls. Only a caller with a second
   * factor can turn this on.
   */
  secondFactorRequired: z.optional(z.boolean()),
});
export type CompanyChange = z.infer<typeof CompanyChange>;

/** Create a company without users. */
export const createCompany = endpoint('POST /company', {
  access: ['ADMIN'],
  body: CompanyInput,
  reply: Company,
  status: 201,
  versioned: true,
});

/**
 * List the companies of the platform, as an array. Without `page` and `take`, the reply has the first 100.
 * The header `X-Total-Count` has the number of all matching rows. `name` searches name and site.
 */
export const listCompanies = endpoint('GET /company', {
  access: ['ADMIN'],
  query: z.extend(ListQuery, {
    /** `true` lists only confirmed companies, `false` only unconfirmed ones. */
    confirmed: z.optional(z.enum(['true', 'false'])),
  }),
  reply: z.array(Company),
  errors: ['too_many_rows'],
});

/** Get the caller's company. */
export const myCompany = endpoint('GET /company/me-company', {
  access: ['CREATOR'],
  reply: Company,
  versioned: true,
  errors: ['no_company'],
});

/** Change the caller's company. */
export const updateMyCompany = endpoint('PUT /company/me-company', {
  access: ['CREATOR'],
  body: CompanyChange,
  reply: Company,
  versioned: true,
  errors: ['no_company', 'own_factor_first'],
});

/** Get a company. A CREATOR can get only their own company. */
export const getCompany = endpoint('GET /company/:id', {
  access: ['CREATOR', 'ADMIN'],
  reply: Company,
  versioned: true,
  errors: ['not_found'],
});

/** Change a company. A CREATOR can change only their own company. */
export const updateCompany = endpoint('PUT /company/:id', {
  access: ['CREATOR', 'ADMIN'],
  body: CompanyChange,
  reply: Company,
  versioned: true,
  errors: ['not_found', 'own_factor_first'],
});

/** Confirm a company whose owner receives no mail. */
export const confirmCompany = endpoint('POST /company/:id/confirmation', {
  access: ['ADMIN'],
  errors: ['not_found', 'already_confirmed'],
});

/**
 * Delete a company with all its users, sites, proxies and policies, in one transaction. The deletion ends the sessions, gateway
 * access and open tunnels of the company's users. The caller re-authenticates with `currentPassword`, and with `code` if
 * the caller has a second factor.
 */
export const deleteCompany = endpoint('DELETE /company/:id', {
  access: ['ADMIN'],
  proof: { of: 'everyone' },
  body: Proof,
  versioned: true,
  // The DELETE statement may run for 60 s.
  replySeconds: 75,
  errors: ['not_found', 'company_of_admin', 'too_many_requests'],
});
