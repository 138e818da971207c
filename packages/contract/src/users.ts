import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import {
  CurrentPassword,
  Email,
  IdParams,
  Links,
  ListQuery,
  listOf,
  NewPassword,
  Password,
  text,
} from './fields.ts';
import { User } from './me.ts';

/** Spec section 5, user create: name, surname and policies are optional. */
export const UserInput = z.object({
  name: z._default(text(0), ''),
  surname: z._default(text(0), ''),
  email: Email,
  password: Password,
  politics: z._default(Links, []),
});
export type UserInput = z.infer<typeof UserInput>;

/** An absent field keeps its value. */
export const UserChange = z.object({
  name: z.optional(text(0)),
  surname: z.optional(text(0)),
  email: z.optional(Email),
  password: z.optional(NewPassword),
  politics: z.optional(Links),
});
export type UserChange = z.infer<typeof UserChange>;

export const OwnPassword = z.object({
  currentPassword: CurrentPassword,
  password: Password,
});
export type OwnPassword = z.infer<typeof OwnPassword>;

export const changeOwnPassword = endpoint({
  method: 'PUT',
  path: '/me/password',
  access: 'signed-in',
  beforeFactor: true,
  summary: 'Change the own password; all other sessions and the gateway tokens end',
  device: 'given',
  body: OwnPassword,
  errors: ['too_many_requests'],
});

export const createUser = endpoint({
  method: 'POST',
  path: '/users/user-inner',
  access: ['CREATOR'],
  summary: 'Add a person to the own company, with the role USER',
  body: UserInput,
  reply: User,
  status: 201,
  versioned: true,
  errors: ['email_taken', 'too_many_objects', 'no_company'],
});

/** An invited owner. No password: the user sets it through the link in the mail. */
export const OwnerInput = z.object({
  email: Email,
  name: z._default(text(0), ''),
  surname: z._default(text(0), ''),
});
export type OwnerInput = z.infer<typeof OwnerInput>;

export const inviteOwner = endpoint({
  method: 'POST',
  path: '/company/:id/owner',
  access: ['ADMIN'],
  summary: 'Invite an owner (CREATOR) into a company by mail',
  description:
    'The letter holds a link that sets the first password; it lives 10 minutes, and later the person asks for another one (`POST /auth/register` with `{email}`).',
  params: IdParams,
  body: OwnerInput,
  reply: User,
  status: 201,
  versioned: true,
  errors: ['not_found', 'email_taken', 'too_many_objects'],
});

export const listUsers = endpoint({
  method: 'GET',
  path: '/users',
  access: ['ADMIN'],
  summary: 'People of every company, and the platform admins',
  description: '`name` searches name, surname and email.',
  query: ListQuery,
  reply: listOf(User),
});

export const companyUsers = endpoint({
  method: 'GET',
  path: '/users/company',
  access: ['CREATOR'],
  summary: 'People of the own company',
  description: '`name` searches name, surname and email.',
  query: ListQuery,
  reply: listOf(User),
  errors: ['no_company'],
});

export const allCompanyUsers = endpoint({
  method: 'GET',
  path: '/users/company-all',
  access: ['CREATOR'],
  summary: 'All people of the own company, without pages',
  reply: listOf(User),
  errors: ['no_company'],
});

export const getUser = endpoint({
  method: 'GET',
  path: '/users/:id',
  access: ['CREATOR', 'ADMIN'],
  summary: 'One person',
  params: IdParams,
  reply: User,
  versioned: true,
  errors: ['not_found'],
});

export const updateUser = endpoint({
  method: 'PUT',
  path: '/users/:id',
  access: ['CREATOR', 'ADMIN'],
  summary: 'Change a person; `politics` replaces the policies that hold them',
  params: IdParams,
  description:
    'The password of an owner or admin is changed by the holder alone (`PUT /me/password`); their email by the holder, through a link in mail, or by another ADMIN. A new password or another email ends the sessions and gateway tokens of the person.',
  body: UserChange,
  reply: User,
  versioned: true,
  errors: ['not_found', 'email_taken', 'protected_user', 'no_company'],
});

export const deleteUser = endpoint({
  method: 'DELETE',
  path: '/users/:id',
  access: ['CREATOR', 'ADMIN'],
  summary: 'Remove a person; sessions, gateway access and open tunnels end',
  params: IdParams,
  versioned: true,
  errors: ['not_found', 'own_account', 'protected_user'],
});
