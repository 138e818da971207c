import { AuditAction, AuditChange, AuditField, AuditKind, AuditRow } from '@propusk/contract/audit';
import { openApiExamples as sample } from '@propusk/phrases/openapi';
import { named, registered } from './fields.ts';

// What OpenAPI says, in words, of who did what.

registered.add(AuditAction, {
  id: 'AuditAction',
  description: 'What was done. `changed` tells which fields of the object differ.',
  examples: ['changed'],
});
registered.add(AuditKind, {
  id: 'AuditKind',
  description: 'What it was done to. Signing in, sessions and the own password are about the user.',
  examples: ['policy'],
});
registered.add(AuditField, {
  description: 'A field of the object, in the spelling of its own calls.',
  examples: ['users'],
});

named(
  'AuditChange',
  AuditChange,
  'A field before and after. Neither of all these: a secret was set, which is never told.',
  {
    from: 'The value before; absent where there was none.',
    to: 'The value after; absent where there is none.',
    added: 'Of a list: the names that came, 50 at most.',
    removed: 'Of a list: the names that went, 50 at most.',
    moreAdded: 'How many more came.',
    moreRemoved: 'How many more went.',
  },
  { added: [sample.fullName], removed: [sample.otherFullName] },
);

named(
  'AuditRow',
  AuditRow,
  'Who did what to which object, as all of them were called then. Outlives every one of them.',
  {
    id: 'Of the row. Later rows have higher ones.',
    at: 'When it was done.',
    company: [
      "Whose object it is; null for the platform's.",
      { id: 'Its id; there may be no such company any more.', name: 'Its name then.' },
    ],
    actor: [
      'Who did it.',
      { name: 'Name and surname; may be empty.', roles: ['The roles then.', { value: 'One of them.' }] },
    ],
    address: 'The IP address that the call came from.',
    action: 'What was done.',
    object: [
      'What it was done to.',
      {
        kind: 'What it is.',
        name: "Its name then: a site's address, a person's email, a proxy's host and port.",
      },
    ],
    changes: 'The fields that differ, and of what came or went all that held something.',
  },
  {
    id: 4711,
    at: '2026-03-14T16:05:00.000Z',
    company: { id: 5, name: sample.company },
    actor: { id: 42, name: sample.ownerFullName, email: 'ivan@romashka.ru', roles: [{ value: 'CREATOR' }] },
    address: '203.0.113.5',
    action: 'changed',
    object: { kind: 'policy', id: 7, name: sample.policy },
    changes: { users: { added: [sample.fullName], removed: [sample.otherFullName] } },
  },
);
