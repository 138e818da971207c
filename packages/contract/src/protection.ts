import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Id, IsoDate } from './fields.ts';

/** The protection of a company's sites: verdicts for lists, and the first steps. The first screen needs no more of it. */

export const Verdict = z.enum(['protected', 'open', 'closed', 'server_error', 'cdn', 'unknown']);
export type Verdict = z.infer<typeof Verdict>;

/** The last verdict on a site, for lists. */
export const Protection = z.object({
  verdict: Verdict,
  checkedAt: IsoDate,
  /** The site was protected and is not now, until a probe finds it protected again. */
  drifted: z.boolean(),
});
export type Protection = z.infer<typeof Protection>;

/** A site that was protected and is not now. */
export const Drift = z.object({ id: Id, name: z.string(), verdict: Verdict, checkedAt: IsoDate });
export type Drift = z.infer<typeof Drift>;

/** Which of the first steps are done, and which sites have drifted since. */
export const Evidence = z.object({
  siteExists: z.boolean(),
  /** A policy holds a site, or all sites. */
  policyHasSite: z.boolean(),
  /** A probe found a site that refuses strangers. */
  lockFound: z.boolean(),
  /** A site was found protected and has not drifted. */
  lockVerified: z.boolean(),
  /** A user of the company has used the extension. */
  extensionSeen: z.boolean(),
  /** A policy holds a user and a site, or a user and all sites. */
  userHasPolicy: z.boolean(),
  /** Sites whose last probe found them open to everybody. */
  open: z.int(),
  /** Sites without a finished probe. */
  unchecked: z.int(),
  drifted: z.array(Drift),
});
export type Evidence = z.infer<typeof Evidence>;

export const evidence = endpoint({
  method: 'GET',
  path: '/company/evidence',
  access: ['CREATOR'],
  reply: Evidence,
  errors: ['no_company'],
});
