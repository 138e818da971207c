import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import {
  Email,
  Links,
  ListQuery,
  listOf,
  MaybeProof,
  NewPassword,
  Password,
  text,
  userNames,
} from './fields.ts';
import { idsOfList, linkFilters, unpaged } from './list-filters.ts';
import { User } from './me.ts';
import { Role } from './roles.ts';
import { EndFilter, Ends } from './times.ts';

/** A user to create in the caller's company. */
export const UserInput = z.object({
  ...userNames,
  email: Email,
  /** The first password of the user, who can change the password. */
  password: Password,
  /** Ids of the access policies of the user. */
  politics: z._default(Links, []),
  ends: Ends,
});
export type UserInput = z.infer<typeof UserInput>;

/**
 * Changes of a user; absent fields stay unchanged. An ADMIN must re-authenticate to change email or password.
 * @example {"politics": [7, 9]}
 */
export const UserChange = z.extend(MaybeProof, {
  /** Given name. */
  name: z.optional(text(0)),
  /** Family name. */
  surname: z.optional(text(0)),
  /** The new email address for sign-in. */
  email: z.optional(Email),
  password: z.optional(NewPassword),
  /** Ids of the access policies of the user. */
  politics: z.optional(Links),
  ends: Ends,
});
export type UserChange = z.infer<typeof UserChange>;

/**
 * Add a user with the role USER to the caller's company. A user gets the reply `email_taken` at most 20 times
 * an hour, and a company 60 times. After that, calls that would set an email get `too_many_requests`.
 */
export const createUser = endpoint('POST /users/user-inner', {
  access: ['CREATOR'],
  body: UserInput,
  reply: User,
  status: 201,
  versioned: true,
  errors: ['email_taken', 'too_many_objects', 'plan_limit', 'no_company', 'too_many_requests'],
});

const filters = {
  /** Returns only users with this role. */
  role: z.optional(Role),
  /** `true` returns only agents who have set no password since their invitation. */
  invited: z.optional(z.enum(['true'])),
  /** `true` returns only suspended users. */
  suspended: z.optional(z.enum(['true'])),
};

/** The filters of the list of a company's users. */
export const UserQuery = z.extend(ListQuery, {
  ...filters,
  ...linkFilters,
  /** Returns only users with a membership of a policy that ends. */
  ends: EndFilter,
  /**
   * Returns only users with this state of the browser extension: `signed_in` in some browser; `blocked` in some browser, because another
   * program controls the proxy setting; or `none`.
   */
  extension: z.optional(z.enum(['signed_in', 'blocked', 'none'])),
});
export type UserQuery = z.infer<typeof UserQuery>;

/** List the users of every company and the platform admins. `name` searches name, surname and email. */
export const listUsers = endpoint('GET /users', {
  access: ['ADMIN'],
  query: z.extend(ListQuery, filters),
  reply: listOf(User),
  errors: ['too_many_rows'],
});

/** List the users of the caller's company. `name` searches name, surname and email. */
export const companyUsers = endpoint('GET /users/company', {
  access: ['CREATOR'],
  query: UserQuery,
  reply: listOf(User),
  errors: ['no_company', 'too_many_rows'],
});

/** Get the ids of all users of the caller's company that match the filters of `GET /users/company`. */
export const userIds = endpoint('GET /users/company/ids', {
  ...idsOfList,
  query: z.omit(UserQuery, unpaged),
});

/** List all users of the caller's company, without pages. */
export const allCompanyUsers = endpoint('GET /users/company-all', {
  access: ['CREATOR'],
  reply: listOf(User),
  errors: ['no_company'],
});

/** Get a user. */
export const getUser = endpoint('GET /users/:id', {
  access: ['CREATOR', 'ADMIN'],
  reply: User,
  versioned: true,
  errors: ['not_found'],
});

/**
 * Change a user. `politics` replaces the user's policies. This call cannot change the password of an owner or ADMIN, who use
 * `PUT /me/password`. Owners and ADMINs change their own email with a mailed link. An ADMIN can change the email of another owner
 * or ADMIN here. A new password or email ends the sessions and gateway tokens of the user.
 */
export const updateUser = endpoint('PUT /users/:id', {
  access: ['CREATOR', 'ADMIN'],
  proof: { of: 'admin', fields: ['email', 'password'] },
  body: UserChange,
  reply: User,
  versioned: true,
  errors: [
    'not_found',
    'email_taken',
    'protected_user',
    'too_many_objects',
    'no_company',
    'too_many_requests',
  ],
});

/** Delete a user; ends sessions, gateway access and open tunnels. */
export const deleteUser = endpoint('DELETE /users/:id', {
  access: ['CREATOR', 'ADMIN'],
  versioned: true,
  errors: ['not_found', 'own_account', 'protected_user'],
});
