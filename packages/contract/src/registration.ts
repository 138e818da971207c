import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Email, IsoDate, Proof } from './fields.ts';

/** Who may register a company now: anybody, holders of an invitation, or nobody. */
export const RegistrationMode = z.enum(['open', 'invited', 'closed']);
export type RegistrationMode = z.infer<typeof RegistrationMode>;

export const RegistrationState = z.object({
  mode: RegistrationMode,
  /** Whether the server sends mail. Without a mail server each mail is a file on the server. */
  mailed: z.boolean(),
});

export const registrationMode = endpoint({
  method: 'GET',
  path: '/auth/registration',
  access: 'public',
  reply: RegistrationState,
});

export const InvitationInput = z.extend(Proof, { email: Email });
export type InvitationInput = z.infer<typeof InvitationInput>;

/** An invitation to register a company. Only this reply contains `link`: the database stores its hash. */
export const Invitation = z.object({
  email: z.string(),
  link: z.string(),
  expiresAt: IsoDate,
  /** Whether a mail server is configured, so that the link also travels by mail. */
  mailed: z.boolean(),
});
export type Invitation = z.infer<typeof Invitation>;

export const inviteCompany = endpoint({
  method: 'POST',
  path: '/company/invitation',
  access: ['ADMIN'],
  proof: { of: 'everyone' },
  // Not 201: replies with 201 are stored for Idempotency-Key, and this reply is a secret.
  body: InvitationInput,
  reply: Invitation,
  errors: ['email_taken', 'registration_closed', 'too_many_requests'],
});

export const sendCompanyConfirmation = endpoint({
  method: 'POST',
  path: '/company/me-company/confirmation',
  access: ['CREATOR'],
  errors: ['already_confirmed', 'no_company', 'too_many_requests'],
});
