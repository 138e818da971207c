import * as z from 'zod/mini';
import { Token } from './auth.ts';
import { endpoint } from './endpoint.ts';
import { Email, Id, IsoDate, ListQuery, listOf, Password, Proof, text } from './fields.ts';
import { limits } from './limits.ts';
import { ShownEmail } from './shown-email.ts';

/** open: anybody may register a company. invited: only holders of an invitation. closed: nobody. @example invited */
export const RegistrationMode = z.enum(['open', 'invited', 'closed']);
export type RegistrationMode = z.infer<typeof RegistrationMode>;

/** Who may register a company now. */
export const RegistrationState = z.object({
  mode: RegistrationMode,
  /** Whether a mail server is configured. If not, each mail is written to a file on the server. */
  mailed: z.boolean(),
});

/** Get who may register a company now. */
export const registrationMode = endpoint('GET /auth/registration', {
  access: 'public',
  reply: RegistrationState,
});

/** An invitation to register a company, and the caller's password and second-factor code. */
export const InvitationInput = z.extend(Proof, {
  /** The email address with which the invited owner will sign in. */
  email: Email,
});

/** An invitation to register a company. */
export const Invitation = z.object({
  /** The invited address. */
  email: ShownEmail,
  /**
   * The URL of the page that registers the company. No other call returns this URL.
   * @example https://pass.example.ru/auth/register#invitation=aW52aXRhdGlvbi10aGF0LXdvcmtzLW9uY2U&email=owner%40romashka.ru
   */
  link: z.string(),
  /** The expiry of the invitation link. */
  expiresAt: IsoDate,
  /** Whether a mail server is configured. If so, the invitation link is also sent by mail. */
  mailed: z.boolean(),
});
export type Invitation = z.infer<typeof Invitation>;

/**
 * Invite an owner to register a company. The link is valid for seven days and works once, only with the
 * invited address. A new invitation of the same address replaces the earlier one.
 */
export const inviteCompany = endpoint('POST /company/invitation', {
  access: ['ADMIN'],
  proof: { of: 'everyone' },
  // Status 200, not 201: replies with status 201 are stored for Idempotency-Key, and this reply contains a secret.
  body: InvitationInput,
  reply: Invitation,
  errors: ['email_taken', 'registration_closed', 'too_many_requests'],
});

/**
 * waiting: the link works. used: a company was registered with the link. withdrawn: an ADMIN withdrew the
 * invitation.
 * @example waiting
 */
export const InvitationState = z.enum(['waiting', 'used', 'expired', 'withdrawn']);
export type InvitationState = z.infer<typeof InvitationState>;

/** An invitation to register a company, without its link. Only the call that creates an invitation returns the link. */
export const ListedInvitation = z.object({
  id: Id,
  /** The invited address. */
  email: ShownEmail,
  /** The mail address of the ADMIN who created the invitation. */
  madeBy: ShownEmail,
  /** The time when the current link of the invitation was created. */
  createdAt: IsoDate,
  /** The expiry of the invitation link. */
  expiresAt: IsoDate,
  state: InvitationState,
});
export type ListedInvitation = z.infer<typeof ListedInvitation>;

/**
 * List the invitations to register a company. An invitation stays in the list for 30 days after its expiry.
 * `name` searches the invited email addresses.
 */
export const listInvitations = endpoint('GET /company/invitations', {
  access: ['ADMIN'],
  query: ListQuery,
  reply: listOf(ListedInvitation),
});

/** Withdraw an invitation whose link still works. Inviting the address again makes a new link. */
export const withdrawInvitation = endpoint('DELETE /company/invitations/:id', {
  access: ['ADMIN'],
  errors: ['not_found'],
});

/**
 * Get the state of an invitation by its token. The call does not use up the invitation link. The console shows
 * its registration form only for a valid link.
 */
export const openInvitation = endpoint('POST /auth/invitation', {
  access: 'public',
  body: z.object({
    /** The token of the invitation link. @example bGluay1mcm9tLW1haWwtdGhhdC13b3Jrcy1vbmNlLi4 */
    token: text(1),
  }),
  reply: z.object({ state: InvitationState }),
  errors: ['invitation_dead', 'too_many_requests'],
});

/**
 * Mail a new confirmation link for the caller's company. `POST /auth/register` with `{token}` confirms the company and ends no
 * session. The link is valid for 10 minutes and works once. A mailed link for a new password or email also confirms the company.
 */
export const sendCompanyConfirmation = endpoint('POST /company/me-company/confirmation', {
  access: ['CREATOR'],
  errors: ['already_confirmed', 'no_company', 'too_many_requests'],
});

/** A new company and its owner. */
export const Registration = z.object({
  /** The name of the company again. The specification requires the field; its value is not stored. */
  name: text(limits.personName),
  /** The given name of the owner. */
  ownerName: z.optional(text(limits.personName)),
  /** The name of the company. */
  companyName: text(limits.companyName),
  /** The site of the company. @example romashka.ru */
  companySite: text(limits.companySite),
  email: Email,
  password: Password,
  /** The token of an ADMIN's invitation. It works only with the invited `email`. @example aW52aXRhdGlvbi10aGF0LXdvcmtzLW9uY2U */
  invitation: z.optional(text(1)),
});
export type Registration = z.infer<typeof Registration>;

/**
 * Create a company and its owner (CREATOR), and sign the owner in. One transaction creates both. `GET /auth/registration`
 * returns whether a registration requires an invitation.
 */
export const register = endpoint('POST /auth/registration', {
  access: 'public',
  device: 'given',
  body: Registration,
  reply: Token,
  status: 201,
  errors: ['email_taken', 'registration_closed', 'invitation_dead', 'too_many_requests'],
});
