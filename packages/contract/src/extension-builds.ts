import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

/** The signed builds that the console serves. */
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
  access: 'public',
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
