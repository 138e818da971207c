import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

/** The state of the platform's server. The command `propusk doctor` prints the same findings. */

/**
 * The result of a check. `unknown`: the check could not decide, for example because no vantage was available.
 * @example warning
 */
export const StateLevel = z.enum(['ok', 'warning', 'error', 'unknown']);
export type StateLevel = z.infer<typeof StateLevel>;

/** The finding of one check. */
export const StateFinding = z.object({
  /** The code of the finding. @example certificate_ends */
  code: z.string(),
  level: StateLevel,
  /** The checked object, in Russian; the example is translated. @example Certificate of propusk.example.ru */
  title: z.string(),
  /** The finding, in Russian; the example is translated. @example Valid for 5 more days. */
  text: z.string(),
  /** The remedy, in Russian; null without a remedy. The example is translated. @example Renew it. */
  mend: z.nullable(z.string()),
});
export type StateFinding = z.infer<typeof StateFinding>;

/** Check the server: addresses, certificates, mail, backups, disk, database, clock, settings. Takes up to 30 s. */
export const platformState = endpoint('GET /state', {
  access: ['ADMIN'],
  reply: z.object({
    /** The product's version. @example 0.2.0 */
    version: z.string(),
    /** The findings, in the order of the checks. */
    findings: z.array(StateFinding),
  }),
});
