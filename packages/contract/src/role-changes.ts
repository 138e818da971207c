import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { CurrentPassword, FactorCode, IdParams } from './fields.ts';
import { User } from './me.ts';
import { OwnerInput } from './users.ts';

/** The caller's own current password, and a code where the caller has a second factor. */
export const Proof = z.object({
  currentPassword: CurrentPassword,
  code: z.optional(FactorCode),
});

/** The role of a user in the company: agent or owner. */
export const CompanyRole = z.enum(['USER', 'CREATOR']);
export type CompanyRole = z.infer<typeof CompanyRole>;

export const RoleChange = z.extend(Proof, { role: CompanyRole });
export type RoleChange = z.infer<typeof RoleChange>;

export const changeRole = endpoint({
  method: 'PUT',
  path: '/users/:id/role',
  access: ['CREATOR', 'ADMIN'],
  summary: 'Make an agent an owner of the company, or an owner an agent',
  description:
    'The caller proves again who they are. Sessions, gateway tokens and links of the person end, so that they sign in with the new role. Policies stay. Nobody changes their own role, and a company keeps one owner. The role of an ADMIN is not changed here.',
  params: IdParams,
  body: RoleChange,
  reply: User,
  versioned: true,
  errors: ['not_found', 'own_account', 'protected_user', 'last_owner', 'no_company', 'too_many_requests'],
});

export const AdminInput = z.extend(OwnerInput, Proof.shape);
export type AdminInput = z.infer<typeof AdminInput>;

export const addAdmin = endpoint({
  method: 'POST',
  path: '/users/admin',
  access: ['ADMIN'],
  summary: 'Invite another ADMIN of the platform by mail',
  description:
    'The account is new and belongs to no company. The mail holds a link that sets the first password; it lives 10 minutes, and later the person asks for another one (`POST /auth/register` with `{email}`). The caller proves again who they are.',
  body: AdminInput,
  reply: User,
  status: 201,
  versioned: true,
  errors: ['email_taken', 'too_many_objects', 'too_many_requests'],
});

export const removeAdmin = endpoint({
  method: 'POST',
  path: '/users/:id/admin/off',
  access: ['ADMIN'],
  summary: 'Take the role ADMIN from another person',
  description:
    'An ADMIN who belongs to no company loses the account with it. One who belongs to a company keeps the other roles, or becomes an agent. Sessions, gateway tokens and links end in either case. The caller proves again who they are, and cannot remove themselves, so the platform keeps one ADMIN.',
  params: IdParams,
  body: Proof,
  errors: ['not_found', 'own_account', 'too_many_requests'],
});
