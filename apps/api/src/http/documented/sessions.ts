import { Session } from '@propusk/contract/sessions';
import { named } from './fields.ts';

// OpenAPI texts of sessions.

named(
  'Session',
  Session,
  'A session of the caller. No later reply contains its token.',
  {
    client: '`extension` for the session of the browser extension.',
    current: 'Whether it is the session of this call.',
    createdAt: 'The time of the sign-in.',
    lastSeenAt: 'The time of its last call, to within five minutes.',
    address: 'The IP address of the sign-in; null when unknown.',
    agent: "Browser and system, from the sign-in's `User-Agent`; null when unknown.",
  },
  {
    id: 42,
    client: 'console',
    current: true,
    createdAt: '2026-03-02T09:30:00.000Z',
    lastSeenAt: '2026-03-14T16:05:00.000Z',
    address: '203.0.113.5',
    agent: 'Firefox, Linux',
  },
);
