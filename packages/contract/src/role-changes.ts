import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { IdParams, Proof } from './fields.ts';
import { User } from './me.ts';
import { InvitedUser } from './users.ts';

/** The role of a user in the company: agent or owner. */
export const CompanyRole = z.enum(['USER', 'CREATOR']);
export type CompanyRole = z.infer<typeof CompanyRole>;

export const RoleChange = z.extend(Proof, { role: CompanyRole });
export type RoleChange = z.infer<typeof RoleChange>;

export const changeRole = endpoint({
  method: 'PUT',
  path: '/users/:id/role',
  access: ['CREATOR', 'ADMIN'],
  proof: { of: 'everyone' },
  params: IdParams,
  body: RoleChange,
  reply: User,
  versioned: true,
  errors: ['not_found', 'own_account', 'protected_user', 'last_owner', 'no_company', 'too_many_requests'],
});

export const addAdmin = endpoint({
  method: 'POST',
  path: '/users/admin',
  access: ['ADMIN'],
  proof: { of: 'everyone' },
  body: InvitedUser,
  reply: User,
  status: 201,
  versioned: true,
  errors: ['email_taken', 'too_many_objects', 'too_many_requests'],
});

export const removeAdmin = endpoint({
  method: 'POST',
  path: '/users/:id/admin/off',
  access: ['ADMIN'],
  proof: { of: 'everyone' },
  params: IdParams,
  body: Proof,
  errors: ['not_found', 'own_account', 'too_many_requests'],
});
