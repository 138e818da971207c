import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { ProxyHolder } from './extension.ts';
import { IsoDate } from './fields.ts';

/** The settings with which a client (the extension, curl) reaches the caller's sites through the gateway. */
export const GatewayAccess = z.object({
  /** The version of the company's policies from which this reply was made. */
  version: z.int(),
  /** The address of the gateway. */
  gateway: z.object({
    /** The protocol between client and gateway. */
    scheme: z.enum(['http', 'https']),
    /** The host of the gateway. @example gate.propusk.example */
    host: z.string(),
    /** The port of the gateway. @example 3128 */
    port: z.int(),
  }),
  /** The user name of the Basic credentials. @example "42" */
  username: z.string(),
  /** The password of the Basic credentials: a signed token that only the gateway accepts. @example eyJ1IjozfQ.c2lnbmF0dXJl */
  password: z.string(),
  /** The time when the password expires. */
  expiresAt: IsoDate,
  /** Whether the caller reaches every public site through the gateway. */
  allSites: z.boolean(),
  /** A host, with an optional `*.` before it and an optional port after it. @example ["*.romashka.ru", "bank.romashka.ru:8443"] */
  sites: z.array(z.string()),
  /** Hosts that clients reach without the gateway, such as the console. @example ["pass.propusk.example"] */
  bypass: z.array(z.string()),
  /** The sites of `sites` that are closed now because of their times, or open only until a certain time. An older api does not send this field. */
  times: z.optional(
    z.array(
      z.object({
        /** The site, as in `sites`. */
        site: z.string(),
        /** Whether the site is open now. */
        open: z.boolean(),
        /** For an open site, the time when it closes; for a closed one, the time when it opens. Null if no such time is known. */
        until: z.nullable(IsoDate),
      }),
    ),
  ),
});
export type GatewayAccess = z.infer<typeof GatewayAccess>;

/**
 * The name of a client, in unreserved URL characters (RFC 3986 section 2.3).
 * @example chromium-extension-0.2.0
 */
export const ClientName = z.string().check(z.regex(/^\w[\w.~-]{0,39}$/));

/**
 * Get the gateway's address, credentials for the gateway, and the sites that these credentials open. For example: `curl -x
 * http://USERNAME:PASSWORD@HOST:PORT https://crm.example.ru`. The password is valid for 24 hours.
 */
export const myAccess = endpoint('GET /me/access', {
  query: z.object({
    /** The program that will use the password, with its version. The access records of the gateway store this name. */
    client: z.optional(ClientName),
    /** The program that controls the proxy setting of the browser in place of the extension. */
    proxyHeldBy: z.optional(ProxyHolder),
  }),
  access: ['USER', 'CREATOR', 'ADMIN'],
  reply: GatewayAccess,
  errors: ['no_company', 'company_unconfirmed'],
});
