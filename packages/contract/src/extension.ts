import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
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

/** The extension of the user that made the last call. It is kept until its session ends, at most 30 days. */
export const ExtensionState = z.object({
  /** Browser and system; null when unknown. @example Firefox, Linux */
  agent: z.nullable(z.string()),
  /** The time of its last call, to within five minutes. */
  lastSeenAt: IsoDate,
  ...reported,
});
export type ExtensionState = z.infer<typeof ExtensionState>;

/** Filters users by their extension: a session of it is open; another program holds the proxy setting in one; no session is open. */
export const ExtensionFilter = z.optional(z.enum(['signed_in', 'blocked', 'none']));

/** The signed builds of the installation. */
export const SignedBuilds = z.object({
  /** The version of the builds. @example 0.2.0 */
  version: z.string(),
  /** The id of the build for Chromium. @example gpljgooplcjfekmocbjjmongfpmdllmn */
  chromiumId: z.string(),
  /** The id of the build for Firefox. @example propusk@pass.example.ru */
  firefoxId: z.string(),
  /** Whether Mozilla signed the build for Firefox, so that every Firefox accepts it. */
  mozilla: z.optional(z.boolean()),
});
export type SignedBuilds = z.infer<typeof SignedBuilds>;

/** Get the addresses from which browsers install the extension. */
export const extensionBuilds = endpoint('GET /extension', {
  access: 'signed-in',
  reply: z.object({
    /** The origin of the console. @example https://pass.example.ru */
    consoleUrl: z.string(),
    /**
     * The signed builds below `/downloads/` of the console: `updates.xml` with `propusk.crx`, `updates.json` with `propusk.xpi`.
     * Null before `propusk extension` has run.
     */
    signed: z.nullable(SignedBuilds),
    /** The addresses of the extension in the stores of the browsers; null where the operator names none. */
    stores: z.object({
      /** In the Chrome Web Store. @example https://chromewebstore.google.com/detail/propusk/gpljgooplcjfekmocbjjmongfpmdllmn */
      chromium: z.nullable(z.string()),
      /** On addons.mozilla.org. @example https://addons.mozilla.org/firefox/addon/propusk/ */
      firefox: z.nullable(z.string()),
    }),
  }),
});
