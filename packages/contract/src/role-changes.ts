import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Email, MaybeProof, Proof, userNames } from './fields.ts';
import { User } from './me.ts';
import { Moment } from './times.ts';

/**
 * An owner or ADMIN to invite, and the caller's password and second-factor code. The invited user sets a
 * password with the mailed link. The link is valid for seven days, and ends when the caller loses the role ADMIN.
 * `POST /auth/register` with `{email}` mails a new link, which is valid for 10 minutes.
 */
export const InvitedUser = z.extend(Proof, {
  /** The email address of the new account. */
  email: Email,
  ...userNames,
});
export type InvitedUser = z.infer<typeof InvitedUser>;

/** USER: an agent of the company. CREATOR: an owner of the company. @example CREATOR */
export const CompanyRole = z.enum(['USER', 'CREATOR']);
export type CompanyRole = z.infer<typeof CompanyRole>;

/** The new role of a user, and the caller's password and second-factor code. */
export const RoleChange = z.extend(Proof, {
  /** The new role. */
  role: CompanyRole,
});

/**
 * Change the role of a user from agent to owner, or from owner to agent. The call needs the caller's password. The user's
 * sessions, gateway tokens and mailed links end, so that the next sign-in gets the new role. The user keeps all policies. The
 * call refuses to change the caller's own role, the role of the last owner, and the role of an ADMIN.
 */
export const changeRole = endpoint('PUT /users/:id/role', {
  access: ['CREATOR', 'ADMIN'],
  proof: { of: 'everyone' },
  body: RoleChange,
  reply: User,
  versioned: true,
  errors: ['not_found', 'own_account', 'protected_user', 'last_owner', 'no_company', 'too_many_requests'],
});

/** Invite a platform admin (ADMIN) by mail. The new account belongs to no company. The call needs the caller's password. */
export const addAdmin = endpoint('POST /users/admin', {
  access: ['ADMIN'],
  proof: { of: 'everyone' },
  body: InvitedUser,
  reply: User,
  status: 201,
  versioned: true,
  errors: ['email_taken', 'too_many_objects', 'too_many_requests'],
});

/**
 * Revoke the role ADMIN of another user. The account of an ADMIN without a company is deleted. An ADMIN with a company keeps the
 * other roles, or becomes an agent. The user's sessions, gateway tokens and mailed links end. The call needs the caller's
 * password. Callers cannot revoke their own role, so the platform keeps at least one ADMIN.
 */
export const removeAdmin = endpoint('POST /users/:id/admin/off', {
  access: ['ADMIN'],
  proof: { of: 'everyone' },
  body: Proof,
  errors: ['not_found', 'own_account', 'too_many_requests'],
});

/** Invite an owner (CREATOR) to a company by mail. */
export const inviteOwner = endpoint('POST /company/:id/owner', {
  access: ['ADMIN'],
  proof: { of: 'everyone' },
  body: InvitedUser,
  reply: User,
  status: 201,
  versioned: true,
  errors: ['not_found', 'email_taken', 'too_many_objects', 'plan_limit', 'too_many_requests'],
});

/** Whether a user is to be suspended, and until when. */
export const Suspension = z.extend(MaybeProof, {
  /** Whether the user is to be suspended; false lifts the suspension. */
  suspended: z.boolean(),
  /** The suspension is lifted at this time; empty if only a call lifts it. */
  until: z._default(Moment, ''),
});
export type Suspension = z.infer<typeof Suspension>;

/**
 * Suspend a user, or lift a suspension. A suspension ends the user's sessions, gateway tokens and connections. Memberships and the
 * password stay. For an owner, the call needs the caller's password. It refuses to suspend the caller, an ADMIN, and the last owner.
 */
export const suspendUser = endpoint('PUT /users/:id/suspension', {
  access: ['CREATOR', 'ADMIN'],
  proof: { of: 'everyone', fields: ['currentPassword'] },
  body: Suspension,
  reply: User,
  versioned: true,
  errors: ['not_found', 'own_account', 'protected_user', 'last_owner', 'no_company', 'too_many_requests'],
});
