import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { IsoDate } from './fields.ts';

/** All that a client needs to reach the signed-in user's sites: the extension's one call, or curl's. */
export const GatewayAccess = z.object({
  /** The company's policy version that this answer was read at. */
  version: z.int(),
  gateway: z.object({ scheme: z.enum(['http', 'https']), host: z.string(), port: z.int() }),
  username: z.string(),
  /** A signed token for the gateway alone; it is worth nothing at the console. */
  password: z.string(),
  expiresAt: IsoDate,
  allSites: z.boolean(),
  /** Addresses as sites keep them: `crm.example.ru`, `*.example.ru`, `crm.example.ru:8443`. */
  sites: z.array(z.string()),
  /** Hosts that never go through the gateway: the console's own. */
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
