import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Id, IsoDate } from './fields.ts';

// This file is separate from lock.ts, so that the console's first screen does not load lock.ts.

/** The verdict of a probe. */
export const Verdict = z.enum(['protected', 'open', 'closed', 'down', 'server_error', 'cdn', 'unknown']);
export type Verdict = z.infer<typeof Verdict>;

/** The result of the last probe of a site, as lists of sites show it. */
export const Protection = z.object({
  verdict: Verdict,
  /** The time of the probe. */
  checkedAt: IsoDate,
  /**
   * Whether the site lost its protection after an earlier probe had found it protected. The next probe with
   * the verdict `protected` resets this.
   * @example false
   */
  drifted: z.boolean(),
});
export type Protection = z.infer<typeof Protection>;

/** A site that has lost its protection. */
export const Drift = z.object({
  id: Id,
  /** The address of the site, in Unicode. @example crm.romashka.ru */
  name: z.string(),
  /** The verdict of the last probe. @example open */
  verdict: Verdict,
  /** The time of the last probe. */
  checkedAt: IsoDate,
});
export type Drift = z.infer<typeof Drift>;

/** The progress of the onboarding, and the sites that have lost their protection. */
export const Evidence = z.object({
  /** Whether the company has a site. */
  siteExists: z.boolean(),
  /** Whether a policy contains a site, or applies to all sites. */
  policyHasSite: z.boolean(),
  /** Whether any site refused requests from outside in its last probe. */
  lockFound: z.boolean(),
  /** Whether a probe has found a site protected, and the site has not lost its protection since. */
  lockVerified: z.boolean(),
  /** Whether a user of the company has used the extension. */
  extensionSeen: z.boolean(),
  /** Whether a user of the company has opened a site through the gateway. */
  visited: z.boolean(),
  /** Whether the company has ever finished all first steps: site, policy, user, lock, probe and visit. */
  firstStepsDone: z.boolean(),
  /** Whether a policy that contains a site, or applies to all sites, has a user with another role than owner. */
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
