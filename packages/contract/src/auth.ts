import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { CurrentPassword, Email, FactorCode, IsoDate, Password, text } from './fields.ts';
import { type IssueCode, issue } from './issues.ts';

/** The credentials of a user. @example {"email": "anna@romashka.ru", "password": "correct horse"} */
export const Login = z.object({
  email: Email,
  password: Password,
  /** A code from the authenticator app, or a recovery code. Required if the account has a second factor. */
  code: z.optional(FactorCode),
  /** `extension` when the browser extension signs in; absent for the console. */
  client: z.optional(z.enum(['extension'])),
});
export type Login = z.infer<typeof Login>;

/** A session. */
export const Token = z.object({
  /** The bearer token for `Authorization`: opaque, 256 bits, valid for 30 days. @example Vm9vb2YtdGhpcy1pcy1ub3QtYS1yZWFsLXRva2VuLi4 */
  token: z.string(),
});

/**
 * Sign in with email and password, and with a code when the account has a second factor. `second_factor_needed` means that the
 * password is right: repeat the call with `code`. The server keeps no state between the two calls.
 */
export const login = endpoint('POST /auth/login', {
  access: 'public',
  device: 'taken',
  body: Login,
  reply: Token,
  errors: ['bad_login', 'second_factor_needed', 'wrong_code', 'suspended', 'too_many_requests'],
});

/**
 * One of these sets of fields: `{email}`, `{token, password}`, `{email, change: true, currentPassword}` or `{token}`. The first
 * ADMIN adds `email` to `{token, password}`. An invited user can add `name` and `surname` to `{token, password}`.
 * @example {"email": "anna@romashka.ru"}
 * @example {"token": "bGluay1mcm9tLW1haWwtdGhhdC13b3Jrcy1vbmNlLi4", "password": "battery staple"}
 * @example {"email": "anna.petrova@romashka.ru", "change": true, "currentPassword": "correct horse"}
 * @example {"token": "bGluay1mcm9tLW1haWwtdGhhdC13b3Jrcy1vbmNlLi4"}
 */
export const LinkUse = z
  .object({
    /**
     * The address to which the link is mailed: the address of the account, or the new address if `change` is true. The first
     * ADMIN sends `token` and `email` together: `email` becomes the address of the account.
     */
    email: z.optional(Email),
    /** If true, the call mails a link that changes the email of the signed-in caller. */
    change: z.optional(z.boolean()),
    /** The token from the mailed link. */
    token: z.optional(text(1)),
    /** The new password. */
    password: z.optional(Password),
    /** The given name of an invited user; only with `password`. @example Anna */
    name: z.optional(text(0)),
    /** The family name of an invited user; only with `password`. @example Petrova */
    surname: z.optional(text(0)),
    /** The caller's password; only for a change of the email. */
    currentPassword: z.optional(CurrentPassword),
  })
  .check((context) => {
    const { email, token, change, password, name, surname, currentPassword } = context.value;
    const refuse = (field: string, fault: IssueCode) =>
      context.issues.push({ code: 'custom', input: context.value, path: [field], ...issue(fault) });
    if (email === undefined && token === undefined) refuse('email', 'required');
    if (email !== undefined && token !== undefined && password === undefined)
      refuse('email', 'email_or_token');
    if (email !== undefined && password !== undefined && token === undefined)
      refuse('password', 'password_from_link');
    if ((name ?? surname) !== undefined && password === undefined) refuse('password', 'required');
    if (token !== undefined && change === true) refuse('change', 'email_from_link');
    const asksForEmail = email !== undefined && token === undefined && change === true;
    if (asksForEmail && currentPassword === undefined) refuse('currentPassword', 'required');
    if (!asksForEmail && currentPassword !== undefined) refuse('currentPassword', 'password_not_asked');
  });
export type LinkUse = z.infer<typeof LinkUse>;

/**
 * Request or use a mailed link for a new password or a new email. A link is valid for 10 minutes and works once. `{email}` mails
 * a link for a new password. The reply does not reveal whether the address has an account. `{token, password}` sets the new
 * password. An invited user can add `name` and `surname`. `{email, change: true, currentPassword}` mails a link to the new
 * address of the signed-in caller and notifies the old address. The password is required, so that a stolen session cannot take
 * over the account. `{token}` makes the new address the login and notifies the old address. A new password or a new email ends
 * all sessions and gateway tokens.
 */
export const useLink = endpoint('POST /auth/register', {
  access: 'maybe-signed-in',
  proof: { of: 'self' },
  device: 'given',
  body: LinkUse,
  errors: ['link_dead', 'unauthorized', 'email_taken', 'too_many_requests'],
});

/**
 * End the session of the caller. If this session has fetched gateway credentials (`GET /me/access`), all
 * gateway tokens of the caller are revoked.
 */
export const logout = endpoint('DELETE /auth/logout', { access: 'signed-in', beforeFactor: true });

/** A code that signs the extension in once. The extension reads it from the console's page. */
export const PairingCode = z.object({
  /** The pairing code: an opaque string of 256 bits. @example cGFpcmluZy1jb2RlLW9mLWEtbWludXRlLWFuZC1vbmNl */
  code: z.string(),
  /** The time when the code expires: a minute after its creation. */
  expiresAt: IsoDate,
});

/**
 * Create a pairing code with which the extension signs in as the caller. The code is valid for one minute and for one sign-in. It
 * also expires when the session that created the code ends.
 */
export const createPairing = endpoint('POST /auth/pairing', {
  access: ['USER', 'CREATOR', 'ADMIN'],
  // The status is not 201, because replies with 201 are stored for Idempotency-Key, and this reply is a secret.
  reply: PairingCode,
  errors: ['too_many_requests'],
});

/** The credentials of the extension. */
export const Pairing = z.object({
  /** The pairing code that the console shows. @example cGFpcmluZy1jb2RlLW9mLWEtbWludXRlLWFuZC1vbmNl */
  code: text(1),
});

/** Sign the extension in with a pairing code. The extension gets its own session, which outlives a sign-out from the console. */
export const pair = endpoint('POST /auth/pair', {
  access: 'public',
  body: Pairing,
  reply: Token,
  errors: ['link_dead', 'suspended', 'too_many_requests'],
});

/** A new password of the caller. */
export const OwnPassword = z.object({
  currentPassword: CurrentPassword,
  /** The new password. @example battery staple */
  password: Password,
});

/** Change the caller's password; all other sessions and all gateway tokens end. */
export const changeOwnPassword = endpoint('PUT /me/password', {
  access: 'signed-in',
  beforeFactor: true,
  proof: { of: 'self' },
  device: 'given',
  body: OwnPassword,
  errors: ['too_many_requests'],
});
