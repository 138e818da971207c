import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Email, IsoDate, Links, text } from './fields.ts';
import { limits } from './limits.ts';
import { ShownEmail } from './shown-email.ts';
import { ShownText } from './shown-text.ts';
import { Ends } from './times.ts';

/** The agents to invite to the caller's company. */
export const InvitationsInput = z.object({
  /** The addresses of the agents. A repeated address counts once. @example ["anna@romashka.ru", "petr@romashka.ru"] */
  emails: z.array(Email).check(z.minLength(1), z.maxLength(limits.invitations)),
  /** Ids of the access policies that every invited agent gets. */
  politics: z._default(Links, []),
  ends: Ends,
});
export type InvitationsInput = z.infer<typeof InvitationsInput>;

/** An invitation with its link. */
export const MadeInvitation = z.object({
  /** The invited address. */
  email: ShownEmail,
  /**
   * The URL of the page that sets the first password. No other call returns this URL.
   * @example https://pass.example.ru/security/login#token=aW52aXRhdGlvbi10aGF0LXdvcmtzLW9uY2U&for=password
   */
  link: z.string(),
});

/** Invitations with their links. */
export const MadeInvitations = z.object({
  /** One invitation for each address. */
  invitations: z.array(MadeInvitation),
  /** The time when the invitation links expire. */
  expiresAt: IsoDate,
  /** Whether a mail server is configured. If so, the links are also sent by mail. */
  mailed: z.boolean(),
});
export type MadeInvitations = z.infer<typeof MadeInvitations>;

export const addingErrors = [
  'email_taken',
  'too_many_objects',
  'plan_limit',
  'no_company',
  'company_unconfirmed',
  'too_many_requests',
] as const;

/**
 * Invite agents (USER) to the caller's company by mail. Each agent gets an account and a link that sets the first password. The
 * link is valid for seven days and works once. The link also ends when the caller is no longer an owner. Until the password is
 * set, the gateway refuses the agent. If any address already has an account, the call invites nobody, and the error lists these
 * addresses. In one hour, these errors list at most 20 addresses whose accounts are outside the company.
 */
export const inviteUsers = endpoint('POST /users/invitations', {
  access: ['CREATOR'],
  body: InvitationsInput,
  creates: true,
  // The status is 200, because the api stores replies with status 201 for Idempotency-Key and must not store these links.
  reply: MadeInvitations,
  errors: addingErrors,
});

/** Send a new invitation to an agent who has not set a password. The new link replaces the earlier one. */
export const inviteAgain = endpoint('POST /users/:id/invitation', {
  access: ['CREATOR'],
  reply: MadeInvitations,
  errors: [
    'not_found',
    'already_joined',
    'protected_user',
    'no_company',
    'company_unconfirmed',
    'too_many_requests',
  ],
});

/** The token of a mailed link that sets a password. */
export const LinkToken = z.object({
  /** The token of the mailed link. @example bGluay1mcm9tLW1haWwtdGhhdC13b3Jrcy1vbmNlLi4 */
  token: text(1),
});

/** The account for which a mailed link sets the password. */
export const LinkAccount = z.object({
  /** The email address with which the user signs in. */
  email: ShownEmail,
  /** The company that invited the user; null if the link resets a forgotten password. @example Romashka */
  invitedBy: z.nullable(ShownText),
  /** The given name of the user; may be empty. @example Anna */
  name: ShownText,
  /** The family name; may be empty. @example Petrova */
  surname: ShownText,
  /** Whether the link creates the first ADMIN, who enters an email address. `email` is then a suggestion, or empty. */
  firstAdmin: z.boolean(),
});
export type LinkAccount = z.infer<typeof LinkAccount>;

/**
 * Get the account for which a mailed link sets the password. The link stays valid. The console shows the
 * password form only if this call succeeds.
 */
export const openLink = endpoint('POST /auth/link', {
  access: 'public',
  body: LinkToken,
  reply: LinkAccount,
  errors: ['link_dead', 'too_many_requests'],
});
