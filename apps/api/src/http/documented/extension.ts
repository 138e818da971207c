import { Pairing, PairingCode } from '@propusk/contract/auth';
import { Explanation } from '@propusk/contract/why';
import { openApiExamples as sample } from '@propusk/phrases/openapi';
import { named } from './fields.ts';

// What OpenAPI says, in words, of what the browser extension and the question 'why?' read and send.

const code = 'cGFpcmluZy1jb2RlLW9mLWEtbWludXRlLWFuZC1vbmNl';
named(
  'PairingCode',
  PairingCode,
  'A code that signs the extension in, once.',
  { code: 'Opaque, 256 bits.', expiresAt: 'A minute from now.' },
  { code, expiresAt: '2026-03-14T16:06:00.000Z' },
);
named(
  'Pairing',
  Pairing,
  'What the extension signs in with.',
  { code: 'The code that the console showed it.' },
  { code },
);
named(
  'Explanation',
  Explanation,
  'What the rule of access says of a person and a site, and why.',
  {
    allow: 'Whether the gateway lets the person through.',
    reason: 'Why not, as `X-Propusk-Reason` has it; null when allowed.',
    message: 'What that means: a Russian sentence.',
    advice: 'What to do about it: a Russian sentence; null when nothing is to be done.',
    policy: 'The policy that lets the person in; null when none does.',
    proxy: 'The proxy that the person leaves through; null when refused.',
    links: [
      'The links from person to site, in order.',
      {
        title: 'What the link is: a Russian sentence.',
        state: 'Whether it holds; after the first missing one nothing is checked.',
      },
    ],
    mends: 'Policies that would open the site to the person. Empty for a question about oneself.',
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
