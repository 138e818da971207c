import {
  Drift,
  EgressOfProxy,
  Evidence,
  echo,
  LockLink,
  openLockLink,
  ProbeStep,
  Protection,
  SharedLock,
  SiteCheck,
  SiteLock,
  Snippet,
} from '@propusk/contract/lock';
import { ProxyCheck } from '@propusk/contract/proxies';
import { openApiExamples as sample } from '@propusk/phrases/openapi';
import { named } from './fields.ts';

// What OpenAPI says, in words, of a site's lock and of its proof.

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
  'Ready text that locks a site on one kind of server.',
  {
    kind: 'The server or the service that it is written for.',
    title: 'What people call it.',
    place: 'Where it goes, in Russian.',
    text: 'What to paste.',
    notes: 'What to know before pasting: Russian sentences.',
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
  'Where the traffic of one proxy leaves from, as our echo saw it.',
  {
    proxy: 'The proxy, by its host.',
    direct: "The platform's gateway itself.",
    politics: 'The policies of the site that leave by it.',
    addresses: 'The addresses that sites see; none while they are not known.',
    learnedAt: 'When they were last seen; null while they never were.',
    stale: 'Not seen for a day, or moved since the lock was last proved.',
    problem: 'Why the last try to learn them failed, in Russian; null when it did not.',
  },
  egress,
);
named(
  'SiteLock',
  SiteLock,
  "The lines that lock a site to its policies' ways out.",
  {
    site: 'The site.',
    egress: 'Its ways out.',
    breaks: 'Sites whose lock is from before one of these ways out moved.',
    snippets: 'The lines, by kind of server; none while no address is known.',
  },
  { site, egress: [egress], breaks: [], snippets: [snippet] },
);
named(
  'LockLink',
  LockLink,
  'A link that shows a lock without an account.',
  { url: 'The link; its secret is in the fragment.', expiresAt: 'When it dies by itself.' },
  {
    url: 'https://pass.propusk.example/lock#bG9jay1saW5rLXRoYXQtbGl2ZXMtYS13ZWVrLi4uLi4',
    expiresAt,
  },
);
named(
  'LockLinkUse',
  openLockLink.body,
  'What opens a lock without an account.',
  { token: 'What the fragment of the link holds.' },
  { token: 'bG9jay1saW5rLXRoYXQtbGl2ZXMtYS13ZWVrLi4uLi4' },
);
named(
  'SharedLock',
  SharedLock,
  'What a colleague sees by a link.',
  {
    address: 'The site.',
    snippets: 'The lines, as they are now; none while no address is known.',
    expiresAt: 'When the link dies.',
  },
  { address: 'crm.romashka.ru', snippets: [snippet], expiresAt },
);
const step: ProbeStep = {
  title: sample.probeStep,
  vantage: 'outside',
  outcome: 'passed',
  detail: '403',
};
named(
  'ProbeStep',
  ProbeStep,
  'One request of a probe.',
  {
    title: 'What was asked, in Russian.',
    vantage: "From a stranger's place, or through a proxy of the policies.",
    outcome: '`passed` is what a locked site does.',
    detail: 'What came back, in Russian.',
  },
  step,
);
named(
  'SiteCheck',
  SiteCheck,
  'A probe of a site: while it runs the steps fill in, and then the verdict follows.',
  {
    state: 'Whether it is over.',
    verdict: 'What all steps together say; null while it runs.',
    meaning: 'What the verdict means for this site, in Russian.',
    advice: 'What to do, in Russian; null when there is nothing to do.',
    steps: 'Its requests, in order.',
    startedAt: 'When it was asked for.',
    finishedAt: 'When it was over.',
  },
  {
    state: 'done',
    verdict: 'protected',
    meaning: sample.protectedMeaning,
    advice: null,
    steps: [step],
    startedAt: '2026-03-14T16:04:40.000Z',
    finishedAt: checkedAt,
  },
);
named(
  'Protection',
  Protection,
  'What the last probe of a site said.',
  {
    verdict: 'Its verdict.',
    checkedAt: 'When.',
    drifted: 'It was protected before and is not now, until a probe finds it protected again.',
  },
  { verdict: 'protected', checkedAt, drifted: false },
);
const drift: Drift = { ...site, verdict: 'open', checkedAt };
named(
  'Drift',
  Drift,
  'A site that was protected and is not now.',
  { name: 'Its address as people write it.', verdict: 'What the last probe said.', checkedAt: 'When.' },
  drift,
);
named(
  'Evidence',
  Evidence,
  "What is really there of the onboarding's four steps.",
  {
    siteExists: 'The company has a site.',
    lockVerified: 'A probe found a site protected, and it is still.',
    extensionSeen: 'Somebody of the company has used the extension.',
    userHasPolicy: 'A person stands in a policy with a site, or with all sites.',
    drifted: 'Sites that were protected and are not now.',
  },
  { siteExists: true, lockVerified: true, extensionSeen: false, userHasPolicy: true, drifted: [drift] },
);
named(
  'Echo',
  echo.reply,
  'Where a call came from.',
  { address: 'An IPv4 or IPv6 address.' },
  { address: '203.0.113.5' },
);
named(
  'ProxyCheck',
  ProxyCheck,
  'What a call through a proxy showed.',
  {
    reachable: 'Whether it takes connections.',
    credentialsAccepted: 'Whether it took the name and the password; null when that did not come up.',
    egress: 'The addresses that our echo saw; none when it was not reached through the proxy.',
    roundTripMs: 'How long the echo took through it, in milliseconds.',
    problem: 'What is wrong and what to do, in Russian; null when all is well.',
    checkedAt: 'When.',
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
