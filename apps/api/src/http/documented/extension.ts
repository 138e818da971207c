import { AccessLoss } from '@propusk/contract/access-loss';
import { Pairing, PairingCode } from '@propusk/contract/auth';
import { Explanation } from '@propusk/contract/why';
import { openApiExamples as sample } from '@propusk/phrases/openapi';
import { named } from './fields.ts';

// OpenAPI texts of the browser extension's calls, of the explanation of access, and of the access lost by a deletion.

const code = 'cGFpcmluZy1jb2RlLW9mLWEtbWludXRlLWFuZC1vbmNl';
named(
  'PairingCode',
  PairingCode,
  'A code that signs the extension in once.',
  { code: 'Opaque, 256 bits.', expiresAt: 'The end of its life, a minute from now.' },
  { code, expiresAt: '2026-03-14T16:06:00.000Z' },
);
named(
  'Pairing',
  Pairing,
  'The credentials of the extension.',
  { code: 'The code from the console.' },
  { code },
);
named(
  'Explanation',
  Explanation,
  "The gateway's decision on a user and a site, and its reasons.",
  {
    allow: 'Whether the gateway allows the request.',
    reason: 'The reason of the refusal, as in `X-Propusk-Reason`; null when allowed.',
    message: 'The decision as a Russian sentence.',
    advice: 'The remedy as a Russian sentence; null when there is nothing to do.',
    policy: 'The policy that grants access; null when none does.',
    proxy: 'The proxy that carries the traffic; null when refused.',
    links: [
      'The conditions between user and site, in the order of their evaluation.',
      {
        title: 'The condition as a Russian sentence.',
        state: 'Whether it holds; conditions after the first missing one are not evaluated.',
      },
    ],
    mends: 'Policies that would grant the user access to the site. Empty when callers ask about themselves.',
  },
  {
    allow: false,
    reason: 'no_policy',
    message: sample.noPolicy,
    advice: sample.addToPolicy,
    policy: null,
    proxy: null,
    links: [
      { title: sample.inCompany, state: 'held' },
      { title: sample.inPolicy, state: 'held' },
      { title: sample.policyOpensSite, state: 'missing' },
      { title: sample.portOpen, state: 'unchecked' },
      { title: sample.proxyPasses, state: 'unchecked' },
    ],
    mends: [{ id: 7, name: sample.policy }],
  },
);
named(
  'AccessLoss',
  AccessLoss,
  'The access that a deletion would revoke, by the rule of the gateway.',
  {
    users: 'Users who would lose a site.',
    sites: 'Distinct sites that at least one of them would lose.',
    allSites: 'Users who would lose access to all sites.',
  },
  { users: 12, sites: 3, allSites: 0 },
);
