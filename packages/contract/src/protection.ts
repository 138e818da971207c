import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Id, IsoDate } from './fields.ts';

// In a separate file from lock.ts, so that the console's first screen does not load lock.ts.

/** The verdict of a probe. */
export const Verdict = z.enum(['protected', 'open', 'closed', 'down', 'server_error', 'cdn', 'unknown']);
export type Verdict = z.infer<typeof Verdict>;

/** The last verdict on a site, for lists. */
export const Protection = z.object({
  verdict: Verdict,
  /** The time of the probe. */
  checkedAt: IsoDate,
  /** The site was protected and is not any more. The next probe with the verdict `protected` resets this. @example false */
  drifted: z.boolean(),
});
export type Protection = z.infer<typeof Protection>;

/** A site that was protected and is not any more. */
export const Drift = z.object({
  id: Id,
  /** The address of the site, as entered. @example crm.romashka.ru */
  name: z.string(),
  /** The verdict of the last probe. @example open */
  verdict: Verdict,
  /** The time of the last probe. */
  checkedAt: IsoDate,
});
export type Drift = z.infer<typeof Drift>;

/** The progress of the onboarding, and the sites that have lost their protection. */
export const Evidence = z.object({
  /** The company has a site. */
  siteExists: z.boolean(),
  /** A policy holds a site, or all sites. */
  policyHasSite: z.boolean(),
  /** A probe found a site that refuses requests from outside. */
  lockFound: z.boolean(),
  /** A probe found a site protected, and it still is. */
  lockVerified: z.boolean(),
  /** A user of the company has used the extension. */
  extensionSeen: z.boolean(),
  /** A policy holds a user and a site, or a user and all sites. */
  userHasPolicy: z.boolean(),
  /** The number of sites that the last probe found open to everybody. */
  open: z.int(),
  /** The number of sites without a finished probe. */
  unchecked: z.int(),
  drifted: z.array(Drift),
});
export type Evidence = z.infer<typeof Evidence>;

/** Get the progress of the onboarding, and the sites that lost their protection. */
export const evidence = endpoint('GET /company/evidence', {
  access: ['CREATOR'],
  reply: Evidence,
  errors: ['no_company'],
});
