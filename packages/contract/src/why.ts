import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Id, IsoDate, Named, numeral, text } from './fields.ts';
import { limits } from './limits.ts';

/** The gateway's decision on a user and a site, and its reasons. */
export const Explanation = z.object({
  /** Whether the gateway allows the request. @example false */
  allow: z.boolean(),
  /** The reason of the refusal, as in `X-Propusk-Reason`; null when allowed. @example no_policy */
  reason: z.nullable(z.string()),
  /** The gateway's decision as a Russian sentence. */
  message: z.string(),
  /** For allowed access, the time when it ends; for refused access, the time when it begins. Null if no such time is known. An older api does not send this field. @example null */
  until: z.nullish(IsoDate),
  /** The remedy as a Russian sentence; null when there is nothing to do. */
  advice: z.nullable(z.string()),
  /** The policy that grants access; null when none does. @example null */
  policy: z.nullable(Named),
  /** The proxy that carries the traffic; null when refused. @example null */
  proxy: z.nullable(Named),
  /** The conditions for access, in the order of evaluation. Evaluation stops at the first condition that does not hold. */
  links: z.array(
    z.object({
      /** The condition as a Russian sentence. */
      title: z.string(),
      /** Whether the condition holds; `unchecked` after the first `missing` condition. @example missing */
      state: z.enum(['held', 'missing', 'unchecked']),
    }),
  ),
  /** The policies that would open the site to the user. Empty if callers ask about their own access. */
  mends: z.array(Named),
});
export type Explanation = z.infer<typeof Explanation>;

/** The port of the host. @example 443 */
const Port = numeral(z.int().check(z.gte(1), z.lte(65_535)));

/** Explain the gateway's decision on a user and a site. */
export const whySite = endpoint('GET /domain-allowed/:id/why', {
  access: ['CREATOR', 'ADMIN'],
  query: z.object({
    /** Id of the user whose access is explained. */
    user: numeral(Id),
  }),
  reply: Explanation,
  errors: ['not_found'],
});

/**
 * Explain the gateway's decision on the caller and a host. Browsers need this call, because they hide the
 * body of a refused CONNECT.
 */
export const whyHost = endpoint('GET /me/why', {
  access: ['USER', 'CREATOR', 'ADMIN'],
  query: z.object({
    /** A host name, in any spelling that a browser accepts. @example crm.romashka.ru */
    host: text(1, limits.description),
    port: Port,
  }),
  reply: Explanation,
  errors: ['no_company'],
});
