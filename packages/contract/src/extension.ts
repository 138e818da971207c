import * as z from 'zod/mini';
import { IsoDate } from './fields.ts';

/** The program that controls the proxy setting of a browser in place of the extension. */
export const ProxyHolder = z.enum(['extension', 'policy']);

/** What the extension of a signed-in session reported with its last `GET /me/access`. */
export const reported = {
  /** The version of the extension; null if it reported none. @example 0.2.0 */
  version: z.nullable(z.string()),
  /** The program that controls the proxy setting of the browser in place of the extension; null for none. @example null */
  proxyHeldBy: z.nullable(ProxyHolder),
};

/** The user's extension with the latest call, if the user has several. The record is kept until its session ends, at most 30 days. */
export const ExtensionState = z.object({
  /** Browser and system; null when unknown. @example Firefox, Linux */
  agent: z.nullable(z.string()),
  /** The time of its last call, to within five minutes. */
  lastSeenAt: IsoDate,
  ...reported,
});
export type ExtensionState = z.infer<typeof ExtensionState>;
