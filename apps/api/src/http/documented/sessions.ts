import { Session } from '@propusk/contract/sessions';
import { named } from './fields.ts';

// What OpenAPI says, in words, of where a person is signed in.

named(
  'Session',
  Session,
  'A session of the caller. Its token is in no reply.',
  {
    client: '`extension` when the browser extension holds it.',
    current: 'The session that asks.',
    createdAt: 'When the person signed in.',
    lastSeenAt: 'When it last made a call, give or take five minutes.',
    address: 'The IP address that the sign-in came from; null when it is not known.',
    agent: 'Browser and system, as the sign-in named them; null when it named none.',
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
