import { MaybeProof, Proof } from '@propusk/contract/fields';
import { CompanyRole, RoleChange } from '@propusk/contract/role-changes';
import { InvitedUser } from '@propusk/contract/users';
import { openApiExamples as sample } from '@propusk/phrases/openapi';
import { named, registered } from './fields.ts';

// OpenAPI texts of the calls that change roles.

registered.add(CompanyRole, {
  id: 'CompanyRole',
  description: 'USER: an agent of the company. CREATOR: an owner of the company.',
  examples: ['CREATOR'],
});

export const proofTexts = {
  currentPassword: "The caller's current password.",
  code: "A code from the caller's app, or a recovery code. Required when the caller has a second factor.",
};
export const proofExample = { currentPassword: sample.password, code: '287082' };

named(
  'Proof',
  Proof,
  'The password and code with which the caller authenticates again.',
  proofTexts,
  proofExample,
);
named(
  'MaybeProof',
  MaybeProof,
  'The password and code of an ADMIN, whom alone the call asks for them.',
  proofTexts,
  proofExample,
);
named(
  'RoleChange',
  RoleChange,
  'The new role of a user, and the proof of the caller.',
  { role: 'The new role.', ...proofTexts },
  { role: 'CREATOR', ...proofExample },
);
named(
  'InvitedUser',
  InvitedUser,
  'An owner or ADMIN to invite, who sets the password with the link in the mail, and the proof of the caller.',
  {
    name: 'Given name; may be empty.',
    surname: 'Family name; may be empty.',
    email: 'The address of the new account.',
    ...proofTexts,
  },
  { email: 'operator@propusk.ru', name: sample.adminName, surname: sample.adminSurname, ...proofExample },
);
