import {
  EgressOfProxy,
  echo,
  LockLink,
  LockProof,
  openLockLink,
  ProbeStep,
  SharedLock,
  SiteCheck,
  SiteLock,
  Snippet,
  Tally,
} from '@propusk/contract/lock';
import { Drift, Evidence, Protection } from '@propusk/contract/protection';
import { ProxyCheck } from '@propusk/contract/proxies';
import { openApiExamples as sample } from '@propusk/phrases/openapi';
import { named } from './fields.ts';

// OpenAPI texts of a site's lock and of its probes.

const policy = { id: 7, name: sample.policy };
const site = { id: 11, name: 'crm.romashka.ru' };
const checkedAt = '2026-03-14T16:05:00.000Z';
const expiresAt = '2026-03-21T16:05:00.000Z';

const snippet: Snippet = {
  kind: 'nginx',
  title: 'nginx',
  place: sample.snippetPlace,
  text: 'geo $propusk { default 0; 203.0.113.5 1; }',
  notes: [sample.snippetNote],
};
named(
  'Snippet',
  Snippet,
  'Configuration that locks a site on one kind of server.',
  {
    kind: 'The server or service.',
    title: 'The display name of the server or service.',
    place: 'The place for the text, in Russian.',
    text: 'The text to paste.',
    notes: 'Notes to read before pasting: Russian sentences.',
  },
  snippet,
);
const egress: EgressOfProxy = {
  proxy: { id: 3, name: 'proxy.romashka.ru' },
  direct: false,
  politics: [policy],
  addresses: ['203.0.113.5'],
  learnedAt: checkedAt,
  stale: false,
  problem: null,
};
named(
  'EgressOfProxy',
  EgressOfProxy,
  'The egress addresses of one proxy, as our echo saw them.',
  {
    proxy: 'The proxy, by its host.',
    direct: "Whether it is the platform's gateway itself.",
    politics: 'The policies of the site that use the proxy.',
    addresses: 'The source addresses that sites see; empty while unknown.',
    learnedAt: 'The time of the last observation; null before the first.',
    stale: 'The addresses are older than a day, or changed after the last probe that proved the lock.',
    problem: 'Why the last attempt to learn them failed, in Russian; null when it succeeded.',
  },
  egress,
);
named(
  'SiteLock',
  SiteLock,
  'The configuration that locks a site to the egress addresses of its policies.',
  {
    site: 'The site.',
    egress: 'The egress of each proxy of its policies.',
    breaks: 'Sites whose lock is older than a change of one of these addresses.',
    snippets: 'The configuration by kind of server; empty while no address is known.',
  },
  { site, egress: [egress], breaks: [], snippets: [snippet] },
);
named(
  'LockLink',
  LockLink,
  'A link that shows a lock without an account.',
  { url: 'The link; its secret is in the fragment.', expiresAt: 'The expiry of the link.' },
  {
    url: 'https://pass.propusk.example/lock#bG9jay1saW5rLXRoYXQtbGl2ZXMtYS13ZWVrLi4uLi4',
    expiresAt,
  },
);
named(
  'LockLinkUse',
  openLockLink.body,
  'The credential that shows a lock without an account.',
  { token: 'The fragment of the link.' },
  { token: 'bG9jay1saW5rLXRoYXQtbGl2ZXMtYS13ZWVrLi4uLi4' },
);
named(
  'SharedLock',
  SharedLock,
  'The lock that a link shows.',
  {
    address: 'The site.',
    snippets: 'The current configuration by kind of server; empty while no address is known.',
    expiresAt: 'The expiry of the link.',
  },
  { address: 'crm.romashka.ru', snippets: [snippet], expiresAt },
);
const step: ProbeStep = {
  title: sample.probeStep,
  vantage: 'outside',
  outcome: 'passed',
  detail: '403',
  advice: null,
};
named(
  'ProbeStep',
  ProbeStep,
  'One request of a probe.',
  {
    title: 'The request, in Russian.',
    vantage: 'The route of the request: directly from outside, or through a proxy of the policies.',
    outcome: '`passed` is the expected outcome of a locked site.',
    detail: 'The response, in Russian.',
    advice: 'What the owner can do, in Russian; null when the step needs no action.',
  },
  step,
);
named(
  'Tally',
  Tally,
  'The number of requests of a probe with the expected outcome.',
  { passed: 'Requests with the expected outcome.', of: 'All requests that count.' },
  { passed: 11, of: 11 },
);
named(
  'LockProof',
  LockProof,
  'The two halves of a probe.',
  {
    outside: 'Requests from outside, and the number that the site refused.',
    through: 'Proxies of the policies, and the number that reached the site.',
  },
  { outside: { passed: 11, of: 11 }, through: { passed: 1, of: 1 } },
);
named(
  'SiteCheck',
  SiteCheck,
  'A probe of a site. It adds steps while it runs, and ends with the verdict.',
  {
    state: 'The state of the probe.',
    verdict: 'The verdict over all steps; null while the probe runs.',
    meaning: 'The meaning of the verdict for this site, in Russian.',
    advice: 'What the owner can do, in Russian; null when there is nothing to do.',
    steps: 'Its requests, in order.',
    proof: 'The tallies of both halves.',
    startedAt: 'The time of the request for the probe.',
    finishedAt: 'The time of its end.',
  },
  {
    state: 'done',
    verdict: 'protected',
    meaning: sample.protectedMeaning,
    advice: null,
    steps: [step],
    proof: { outside: { passed: 11, of: 11 }, through: { passed: 1, of: 1 } },
    startedAt: '2026-03-14T16:04:40.000Z',
    finishedAt: checkedAt,
  },
);
named(
  'Protection',
  Protection,
  'The result of the last probe of a site.',
  {
    verdict: 'Its verdict.',
    checkedAt: 'The time of the probe.',
    drifted: 'The site was protected and has lost it; a probe that finds it protected again resets this.',
  },
  { verdict: 'protected', checkedAt, drifted: false },
);
const drift: Drift = { ...site, verdict: 'open', checkedAt };
named(
  'Drift',
  Drift,
  'A site that was protected and is not any more.',
  {
    name: 'Its address as entered.',
    verdict: 'The verdict of the last probe.',
    checkedAt: 'The time of the last probe.',
  },
  drift,
);
named(
  'Evidence',
  Evidence,
  'The progress of the onboarding, read from the data of the company.',
  {
    siteExists: 'The company has a site.',
    policyHasSite: 'A policy opens a site, or all sites.',
    lockFound: 'A probe found a site that refuses requests from outside.',
    lockVerified: 'A probe found a site protected, and it still is.',
    extensionSeen: 'A user of the company has used the extension.',
    userHasPolicy: 'A user has a policy that opens a site, or all sites.',
    open: 'Sites that the last probe found open to everybody.',
    unchecked: 'Sites without a finished probe.',
    drifted: 'Sites that were protected and are not any more.',
  },
  {
    siteExists: true,
    policyHasSite: true,
    lockFound: true,
    lockVerified: true,
    extensionSeen: false,
    userHasPolicy: true,
    open: 1,
    unchecked: 0,
    drifted: [drift],
  },
);
named(
  'Echo',
  echo.reply,
  "The caller's address.",
  { address: 'An IPv4 or IPv6 address.' },
  { address: '203.0.113.5' },
);
named(
  'ProxyCheck',
  ProxyCheck,
  'The result of a probe of a proxy.',
  {
    reachable: 'Whether it accepts connections.',
    credentialsAccepted: 'Whether it accepted the user name and password; null when it did not ask for them.',
    egress: 'The source addresses that our echo saw; empty when the echo was not reached.',
    roundTripMs: 'The round trip to the echo through the proxy, in milliseconds.',
    problem: 'The fault and its remedy, in Russian; null when there is none.',
    checkedAt: 'The time of the probe.',
  },
  {
    reachable: true,
    credentialsAccepted: true,
    egress: ['203.0.113.5'],
    roundTripMs: 84,
    problem: null,
    checkedAt,
  },
);
