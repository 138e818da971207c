import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Id, IdParams, Named, numeral, text } from './fields.ts';
import { limits } from './limits.ts';

/** What the rule of access says of a person and a site, and which link is missing when it says no. */
export const Explanation = z.object({
  allow: z.boolean(),
  /** A reason of the rule of access, as the gateway's `X-Propusk-Reason` has it; null when allowed. */
  reason: z.nullable(z.string()),
  /** What it means and what to do: Russian sentences. */
  message: z.string(),
  advice: z.nullable(z.string()),
  /** The policy that lets the person in, and the host of its proxy. */
  policy: z.nullable(Named),
  proxy: z.nullable(Named),
  /** The links from person to site, in order, each there or missing. */
  links: z.array(z.object({ title: z.string(), there: z.boolean() })),
});
export type Explanation = z.infer<typeof Explanation>;

const Port = numeral(z.int().check(z.gte(1), z.lte(65_535)));

export const whySite = endpoint({
  method: 'GET',
  path: '/domain-allowed/:id/why',
  access: ['CREATOR', 'ADMIN'],
  summary: 'Why a person reaches a site or does not',
  params: IdParams,
  query: z.object({ user: numeral(Id) }),
  reply: Explanation,
  errors: ['not_found'],
});

export const whyHost = endpoint({
  method: 'GET',
  path: '/me/why',
  access: ['USER', 'CREATOR', 'ADMIN'],
  summary:
    'Why the caller reaches a host or does not, for a browser that hides the body of a refused CONNECT',
  query: z.object({ host: text(1, limits.description), port: Port }),
  reply: Explanation,
  errors: ['no_company'],
});
