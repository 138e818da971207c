import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Id, IdParams, Named, numeral, text } from './fields.ts';
import { limits } from './limits.ts';

/** The decision of the access rule on a user and a site. A denial comes with the first missing condition. */
export const Explanation = z.object({
  allow: z.boolean(),
  /** The reason as in the gateway's `X-Propusk-Reason`; null when allowed. */
  reason: z.nullable(z.string()),
  /** The decision and the remedy: Russian sentences. */
  message: z.string(),
  advice: z.nullable(z.string()),
  /** The policy that allows the user, and its proxy by host. */
  policy: z.nullable(Named),
  proxy: z.nullable(Named),
  /** The conditions between user and site, in the order of evaluation, which stops at the first missing one. */
  links: z.array(z.object({ title: z.string(), state: z.enum(['held', 'missing', 'unchecked']) })),
  /** The policies that would open the site to the user. Empty when callers ask about themselves. */
  mends: z.array(Named),
});
export type Explanation = z.infer<typeof Explanation>;

const Port = numeral(z.int().check(z.gte(1), z.lte(65_535)));

export const whySite = endpoint({
  method: 'GET',
  path: '/domain-allowed/:id/why',
  access: ['CREATOR', 'ADMIN'],
  params: IdParams,
  query: z.object({ user: numeral(Id) }),
  reply: Explanation,
  errors: ['not_found'],
});

export const whyHost = endpoint({
  method: 'GET',
  path: '/me/why',
  access: ['USER', 'CREATOR', 'ADMIN'],
  query: z.object({ host: text(1, limits.description), port: Port }),
  reply: Explanation,
  errors: ['no_company'],
});
