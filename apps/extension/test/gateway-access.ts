import type { GatewayAccess } from '@propusk/contract/access';

/** A reply of `GET /me/access` with one site, for tests of the extension. */
export const gatewayAccess: GatewayAccess = {
  version: 1,
  gateway: { scheme: 'https', host: 'gate.propusk.test', port: 443 },
  username: 'u42',
  password: 'secret',
  expiresAt: '2030-01-01T00:00:00.000Z',
  allSites: false,
  sites: ['crm.example.ru'],
  bypass: [],
};
