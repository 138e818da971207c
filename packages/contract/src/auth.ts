import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { CurrentPassword, Email, FactorCode, IsoDate, Password, text } from './fields.ts';
import { type IssueCode, issue } from './issues.ts';
import { limits } from './limits.ts';

/** Spec section 5. `name` is the company's name (spec); the user's own name travels as `ownerName`. */
export const Registration = z.object({
  name: text(limits.personName),
  ownerName: z.optional(text(limits.personName)),
  companyName: text(limits.companyName),
  companySite: text(limits.companySite),
  email: Email,
  password: Password,
  /** The token of an ADMIN's invitation, which is for this `email` alone. */
  invitation: z.optional(text(1)),
});
export type Registration = z.infer<typeof Registration>;

/** `client` says that the browser extension signs in, and not the console. `code` is for those with a second factor. */
export const Login = z.object({
  email: Email,
  password: Password,
  code: z.optional(FactorCode),
  client: z.optional(z.enum(['extension'])),
});
export type Login = z.infer<typeof Login>;

/** The console's token: 256 bits, opaque, sent as `Authorization: Bearer`. */
export const Token = z.object({ token: z.string() });

export const login = endpoint({
  method: 'POST',
  path: '/auth/login',
  access: 'public',
  summary: 'Sign in with email and password, and the second factor where it is on',
  description:
    '`second_factor_needed`: the password is right, and the same call is to be made again with `code`. Nothing is kept in between.',
  device: 'taken',
  body: Login,
  reply: Token,
  errors: ['bad_login', 'second_factor_needed', 'wrong_code', 'too_many_requests'],
});

export const register = endpoint({
  method: 'POST',
  path: '/auth/registration',
  access: 'public',
  summary: 'Create a company and its owner (CREATOR), signed in',
  device: 'given',
  body: Registration,
  description:
    'Company and owner are made in one transaction. An address that has an account is refused, in any letter case. `GET /auth/registration` tells whether a company needs an invitation.',
  reply: Token,
  status: 201,
  errors: ['email_taken', 'registration_closed', 'invitation_dead', 'too_many_requests'],
});

/**
 * One call for four things, told apart by what its body holds (answers.md): `{email}`, `{token, password}`,
 * `{email, change: true, currentPassword}`, `{token}`.
 */
export const LinkUse = z
  .object({
    email: z.optional(Email),
    change: z.optional(z.boolean()),
    token: z.optional(text(1)),
    password: z.optional(Password),
    currentPassword: z.optional(CurrentPassword),
  })
  .check((context) => {
    const { email, token, change, password, currentPassword } = context.value;
    const refuse = (field: string, fault: IssueCode) =>
      context.issues.push({ code: 'custom', input: context.value, path: [field], ...issue(fault) });
    if (email === undefined && token === undefined) refuse('email', 'required');
    if (email !== undefined && token !== undefined) refuse('email', 'email_or_token');
    if (email !== undefined && password !== undefined) refuse('password', 'password_from_link');
    if (token !== undefined && change === true) refuse('change', 'email_from_link');
    const asksForEmail = email !== undefined && token === undefined && change === true;
    if (asksForEmail && currentPassword === undefined) refuse('currentPassword', 'required');
    if (!asksForEmail && currentPassword !== undefined) refuse('currentPassword', 'password_not_asked');
  });
export type LinkUse = z.infer<typeof LinkUse>;

export const useLink = endpoint({
  method: 'POST',
  path: '/auth/register',
  access: 'maybe-signed-in',
  summary: 'Links in mail: ask for a new password or a new email, and confirm either',
  description:
    '`{email}` sends a link for a new password, and answers the same whether or not the address has an account. `{token, password}` sets it: all sessions and gateway tokens end. `{email, change: true, currentPassword}`, signed in, sends a link to the new address and tells the old one; a session alone must not take an account over. `{token}` makes that address the one to sign in with, and tells the old one: all sessions and gateway tokens end. A link lives 10 minutes and works once.',
  device: 'given',
  body: LinkUse,
  errors: ['link_dead', 'unauthorized', 'email_taken', 'too_many_requests'],
});

export const logout = endpoint({
  method: 'DELETE',
  path: '/auth/logout',
  access: 'signed-in',
  beforeFactor: true,
  summary: 'End this session',
  description:
    'If it was told gateway credentials (`GET /me/access`), all gateway tokens of the caller end with it.',
});

/** A code that signs the extension in once, within a minute, with nothing to type. */
export const PairingCode = z.object({ code: z.string(), expiresAt: IsoDate });
export type PairingCode = z.infer<typeof PairingCode>;

export const createPairing = endpoint({
  method: 'POST',
  path: '/auth/pairing',
  access: ['USER', 'CREATOR', 'ADMIN'],
  summary: 'A code by which the extension signs in as the caller: works once, for a minute',
  // Not 201: a call that creates stores its reply for a repeated Idempotency-Key, and this reply is a secret.
  description: 'It dies with the session that asked for it.',
  reply: PairingCode,
  errors: ['too_many_requests'],
});

export const Pairing = z.object({ code: text(1) });
export type Pairing = z.infer<typeof Pairing>;

export const pair = endpoint({
  method: 'POST',
  path: '/auth/pair',
  access: 'public',
  summary: 'Sign the extension in by a pairing code: a session of its own',
  description: 'It ends as any other session does, and signing out of the console leaves it.',
  body: Pairing,
  reply: Token,
  errors: ['link_dead', 'too_many_requests'],
});
