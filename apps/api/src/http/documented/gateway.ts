import { GatewayAccess } from '@propusk/contract/access';
import { acknowledge, CompanySnapshot } from '@propusk/contract/feed';
import { openApiExamples as sample } from '@propusk/phrases/openapi';
import { named } from './fields.ts';

// OpenAPI texts of the calls of gateways and of their clients.

named(
  'GatewayAccess',
  GatewayAccess,
  "The settings with which a client reaches the caller's sites through the gateway.",
  {
    gateway: [
      'The address of the gateway.',
      { scheme: 'The protocol between client and gateway.', host: 'Its host.', port: 'Its port.' },
    ],
    username: 'The user name of the Basic credentials.',
    password: 'The password of the Basic credentials: a signed token that only the gateway accepts.',
    expiresAt: 'The expiry of the token.',
    allSites: 'Whether every public site goes through the gateway.',
    sites: 'Addresses of sites: a host, with an optional `*.` before it and an optional port after it.',
    bypass: "Hosts that never go through the gateway: the console's own.",
    version: "The company's policy version that the reply reflects.",
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
  'The version of a company that a gateway enforces.',
  {
    gateway: 'The name of the gateway.',
    companyId: 'The company.',
    version: 'The version of the snapshot that the gateway enforces.',
  },
  { gateway: 'gate-1', companyId: 5, version: 128 },
);
named(
  'CompanySnapshot',
  CompanySnapshot,
  'The data of the event `company`: all access rights of one company at one version.',
  {
    companyId: 'The company.',
    version: 'Rises with every change; gateways ignore a lower one.',
    users: ['Its users.', { epoch: 'A higher epoch revokes the gateway tokens of the user.' }],
    sites: [
      'Its sites.',
      {
        address: 'Host, with a port if one was given.',
        claim:
          'The rank of its claim to the host on shared egress: the lowest of all companies wins; null without one.',
      },
    ],
    proxies: [
      'The proxies of its policies, with their passwords.',
      {
        type: 'The type of the proxy.',
        direct: 'Whether it is the gateway itself.',
        host: 'Host name or address.',
        port: 'Port.',
        username: 'The user name for the proxy.',
        password: 'The password for the proxy.',
      },
    ],
    policies: [
      'Its policies.',
      {
        proxyId: 'The proxy that carries the traffic.',
        allSites: 'Whether the policy opens every public site.',
        users: 'Ids of its users.',
        sites: 'Ids of the sites that it opens.',
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
