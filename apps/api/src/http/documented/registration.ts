import {
  Invitation,
  InvitationInput,
  RegistrationMode,
  RegistrationState,
} from '@propusk/contract/registration';
import { named, registered } from './fields.ts';
import { proofExample, proofTexts } from './roles.ts';

// OpenAPI texts of registration.

registered.add(RegistrationMode, {
  id: 'RegistrationMode',
  description:
    'open: anybody may register a company. invited: only holders of an invitation. closed: nobody.',
  examples: ['invited'],
});

named(
  'RegistrationState',
  RegistrationState,
  'Who may register a company now.',
  {
    mode: 'Who may register.',
    mailed: 'Whether the server sends mail; without a mail server each mail is a file on the server.',
  },
  { mode: 'invited', mailed: true },
);

const email = 'owner@romashka.ru';
named(
  'InvitationInput',
  InvitationInput,
  'An invitation to register a company.',
  { email: 'The address that the invited owner will sign in with.', ...proofTexts },
  { email, ...proofExample },
);
named(
  'Invitation',
  Invitation,
  'An invitation to register a company.',
  {
    email: 'The invited address.',
    link: 'The page that registers the company. No other call shows it again.',
    expiresAt: 'The expiry of the link.',
    mailed: 'Whether a mail server is configured, so that the link also travels by mail.',
  },
  {
    email,
    link: 'https://pass.example.ru/auth/register#invitation=aW52aXRhdGlvbi10aGF0LXdvcmtzLW9uY2UuLi4uLi4&email=owner%40romashka.ru',
    expiresAt: '2026-03-21T16:05:00.000Z',
    mailed: true,
  },
);
