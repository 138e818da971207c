import { GatewayAccess } from '@propusk/contract/access';
import { acknowledge, CompanySnapshot } from '@propusk/contract/feed';
import { openApiExamples as sample } from '@propusk/phrases/openapi';
import { named } from './fields.ts';

// What OpenAPI says, in words, of what clients of the gateway and gateways read and send.

named(
  'GatewayAccess',
  GatewayAccess,
  "All that a client needs to reach the caller's sites.",
  {
    gateway: [
      'Where the gateway listens.',
      { scheme: 'How a client speaks to it.', host: 'Its host.', port: 'Its port.' },
    ],
    username: 'The name for Basic credentials.',
    password: 'A signed token for the gateway alone; worth nothing at the console.',
    expiresAt: 'When the token dies by itself.',
    allSites: 'Whether every public site goes through the gateway.',
    sites: 'Addresses as sites keep them: a host, `*.` before it, a port after it.',
    bypass: "Hosts that never go through the gateway: the console's own.",
    version: "The company's policy version that this answer was read at.",
  },
  {
    version: 128,
    gateway: { scheme: 'https', host: 'gate.propusk.example', port: 3128 },
    username: '42',
    password: 'eyJ1IjozfQ.c2lnbmF0dXJl',
    expiresAt: '2026-03-15T16:05:00.000Z',
    allSites: false,
    sites: ['crm.romashka.ru', '*.wiki.romashka.ru', 'bank.romashka.ru:8443'],
    bypass: ['pass.propusk.example'],
  },
);
named(
  'Acknowledgement',
  acknowledge.body,
  'Which version a gateway enforces now.',
  {
    gateway: 'The name of the gateway.',
    companyId: 'The company.',
    version: 'The version of its last snapshot that is in force.',
  },
  { gateway: 'gate-1', companyId: 5, version: 128 },
);
named(
  'CompanySnapshot',
  CompanySnapshot,
  'The data of the event `company`: who may reach what in one company, whole, at one version.',
  {
    companyId: 'The company.',
    version: 'Rises with every change; a lower one is ignored.',
    users: ['Its people.', { epoch: 'Rises when the gateway tokens of the person must die.' }],
    sites: [
      'Its sites.',
      { address: 'Host, with a port if one was named.', claim: 'Since when it holds a shared egress.' },
    ],
    proxies: [
      'The proxies that its policies name, with their passwords.',
      {
        type: 'Whose it is.',
        direct: 'The gateway itself.',
        host: 'Host name or address.',
        port: 'Port.',
        username: 'Name that the proxy is told.',
        password: 'Password that the proxy is told.',
      },
    ],
    policies: [
      'Its policies.',
      {
        proxyId: 'The way out.',
        allSites: 'Whether every public site is open.',
        users: 'Ids of the people it holds.',
        sites: 'Ids of the sites it opens.',
      },
    ],
  },
  {
    companyId: 5,
    version: 128,
    users: [{ id: 42, epoch: 1 }],
    sites: [{ id: 11, address: 'crm.romashka.ru', claim: null }],
    proxies: [
      {
        id: 3,
        type: 'users',
        direct: false,
        host: 'proxy.romashka.ru',
        port: 3128,
        username: 'romashka',
        password: sample.proxyPassword,
      },
    ],
    policies: [{ id: 7, proxyId: 3, allSites: false, users: [42], sites: [11] }],
  },
);
