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
  /** The token of an ADMIN's invitation. It works only with the invited `email`. */
  invitation: z.optional(text(1)),
});
export type Registration = z.infer<typeof Registration>;

/** `client` is set when the browser extension signs in. `code` is required of accounts with a second factor. */
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
  device: 'taken',
  body: Login,
  reply: Token,
  errors: ['bad_login', 'second_factor_needed', 'wrong_code', 'too_many_requests'],
});

export const register = endpoint({
  method: 'POST',
  path: '/auth/registration',
  access: 'public',
  device: 'given',
  body: Registration,
  reply: Token,
  status: 201,
  errors: ['email_taken', 'registration_closed', 'invitation_dead', 'too_many_requests'],
});

/**
 * One call with four operations (answers.md). The fields of the body select one: `{email}`, `{token, password}`,
 * `{email, change: true, currentPassword}` or `{token}`.
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
  proof: { of: 'self' },
  device: 'given',
  body: LinkUse,
  errors: ['link_dead', 'unauthorized', 'email_taken', 'too_many_requests'],
});

export const logout = endpoint({
  method: 'DELETE',
  path: '/auth/logout',
  access: 'signed-in',
  beforeFactor: true,
});

/** A code that signs the extension in once, within a minute. The extension reads it from the console's page. */
export const PairingCode = z.object({ code: z.string(), expiresAt: IsoDate });
export type PairingCode = z.infer<typeof PairingCode>;

export const createPairing = endpoint({
  method: 'POST',
  path: '/auth/pairing',
  access: ['USER', 'CREATOR', 'ADMIN'],
  // Not 201: replies with 201 are stored for Idempotency-Key, and this reply is a secret.
  reply: PairingCode,
  errors: ['too_many_requests'],
});

export const Pairing = z.object({ code: text(1) });
export type Pairing = z.infer<typeof Pairing>;

export const pair = endpoint({
  method: 'POST',
  path: '/auth/pair',
  access: 'public',
  body: Pairing,
  reply: Token,
  errors: ['link_dead', 'too_many_requests'],
});
