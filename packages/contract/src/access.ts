import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { IsoDate } from './fields.ts';

/** Everything that a client (the extension, curl) needs to reach the user's sites through the gateway. */
export const GatewayAccess = z.object({
  /** The company's policy version at the time of the read. */
  version: z.int(),
  gateway: z.object({ scheme: z.enum(['http', 'https']), host: z.string(), port: z.int() }),
  username: z.string(),
  /** A signed token that only the gateway accepts. */
  password: z.string(),
  expiresAt: IsoDate,
  allSites: z.boolean(),
  /** Stored addresses: `crm.example.ru`, `*.example.ru`, `crm.example.ru:8443`. */
  sites: z.array(z.string()),
  /** Hosts that clients reach directly, such as the console. */
  bypass: z.array(z.string()),
});
export type GatewayAccess = z.infer<typeof GatewayAccess>;

export const myAccess = endpoint({
  method: 'GET',
  path: '/me/access',
  access: ['USER', 'CREATOR', 'ADMIN'],
  reply: GatewayAccess,
  errors: ['no_company', 'company_unconfirmed'],
});
