import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import {
  CurrentPassword,
  Email,
  IdParams,
  Links,
  ListQuery,
  listOf,
  MaybeProof,
  NewPassword,
  Password,
  Proof,
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

/** An absent field keeps its value. An ADMIN who changes email or password proves who they are. */
export const UserChange = z.extend(MaybeProof, {
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
  proof: { of: 'self' },
  device: 'given',
  body: OwnPassword,
  errors: ['too_many_requests'],
});

export const createUser = endpoint({
  method: 'POST',
  path: '/users/user-inner',
  access: ['CREATOR'],
  body: UserInput,
  reply: User,
  status: 201,
  versioned: true,
  errors: ['email_taken', 'too_many_objects', 'no_company'],
});

/** An invited owner or admin. No password: the user sets it through the link in the mail. */
export const InvitedUser = z.extend(Proof, {
  email: Email,
  name: z._default(text(0), ''),
  surname: z._default(text(0), ''),
});
export type InvitedUser = z.infer<typeof InvitedUser>;

export const inviteOwner = endpoint({
  method: 'POST',
  path: '/company/:id/owner',
  access: ['ADMIN'],
  proof: { of: 'everyone' },
  params: IdParams,
  body: InvitedUser,
  reply: User,
  status: 201,
  versioned: true,
  errors: ['not_found', 'email_taken', 'too_many_objects', 'too_many_requests'],
});

export const listUsers = endpoint({
  method: 'GET',
  path: '/users',
  access: ['ADMIN'],
  query: ListQuery,
  reply: listOf(User),
});

export const companyUsers = endpoint({
  method: 'GET',
  path: '/users/company',
  access: ['CREATOR'],
  query: ListQuery,
  reply: listOf(User),
  errors: ['no_company'],
});

export const allCompanyUsers = endpoint({
  method: 'GET',
  path: '/users/company-all',
  access: ['CREATOR'],
  reply: listOf(User),
  errors: ['no_company'],
});

export const getUser = endpoint({
  method: 'GET',
  path: '/users/:id',
  access: ['CREATOR', 'ADMIN'],
  params: IdParams,
  reply: User,
  versioned: true,
  errors: ['not_found'],
});

export const updateUser = endpoint({
  method: 'PUT',
  path: '/users/:id',
  access: ['CREATOR', 'ADMIN'],
  proof: { of: 'admin', fields: ['email', 'password'] },
  params: IdParams,
  body: UserChange,
  reply: User,
  versioned: true,
  errors: ['not_found', 'email_taken', 'protected_user', 'no_company', 'too_many_requests'],
});

export const deleteUser = endpoint({
  method: 'DELETE',
  path: '/users/:id',
  access: ['CREATOR', 'ADMIN'],
  params: IdParams,
  versioned: true,
  errors: ['not_found', 'own_account', 'protected_user'],
});
