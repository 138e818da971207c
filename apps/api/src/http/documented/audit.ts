import { AuditAction, AuditChange, AuditField, AuditKind, AuditRow } from '@propusk/contract/audit';
import { openApiExamples as sample } from '@propusk/phrases/openapi';
import { named, registered } from './fields.ts';

// OpenAPI texts of the audit.

registered.add(AuditAction, {
  id: 'AuditAction',
  description: 'The action. For `changed`, `changes` lists the fields that differ.',
  examples: ['changed'],
});
registered.add(AuditKind, {
  id: 'AuditKind',
  description: 'The kind of the object. The object of sign-ins, sessions and own passwords is the user.',
  examples: ['policy'],
});
registered.add(AuditField, {
  description: 'A field of the object, named as in its own calls.',
  examples: ['users'],
});

named(
  'AuditChange',
  AuditChange,
  'The values of a field before and after. An empty object means that a secret was set; its value is never recorded.',
  {
    from: 'The value before; absent when there was none.',
    to: 'The value after; absent when there is none.',
    added: 'For a list: the names that were added, at most 50.',
    removed: 'For a list: the names that were removed, at most 50.',
    moreAdded: 'The number of added names beyond those listed.',
    moreRemoved: 'The number of removed names beyond those listed.',
  },
  { added: [sample.fullName], removed: [sample.otherFullName] },
);

named(
  'AuditRow',
  AuditRow,
  'An audit event: actor, action and object, with their names at that time. It outlives all of them.',
  {
    id: 'The id of the row. Later rows have higher ids.',
    at: 'The time of the event.',
    company: [
      "The company of the object; null for the platform's objects.",
      { id: 'Its id; the company may be deleted by now.', name: 'Its name at that time.' },
    ],
    actor: [
      'The user who made the call.',
      {
        name: 'Name and surname; may be empty.',
        roles: ['The roles at that time.', { value: 'One of the roles.' }],
      },
    ],
    address: 'The IP address of the caller.',
    action: 'The action.',
    object: [
      'The object of the action.',
      {
        kind: 'The kind of the object.',
        name: "Its name at that time: a site's address, a user's email, a proxy's host and port.",
      },
    ],
    changes: 'The fields that differ. For a created or deleted object: all its fields that are not empty.',
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
