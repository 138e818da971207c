import * as z from 'zod/mini';
import { AccessLoss } from './access-loss.ts';
import { endpoint } from './endpoint.ts';
import { ErrorBody } from './errors.ts';
import { Id, Links } from './fields.ts';
import { MadeInvitations } from './invitations.ts';
import { issue } from './issues.ts';
import { Policy } from './policies.ts';

/** Ids of rows of the caller's company. */
export const RowIds = z.object({
  /** At least one id, and each id at most once. An error names a row by its index, such as `ids.3`. @example [7, 9] */
  ids: Links.check(z.minLength(1)),
});

const isApart = (added: readonly number[], removed: readonly number[]) =>
  !removed.some((id) => added.includes(id));

/**
 * Users and sites to add to a policy, and to remove from it. Added rows that the policy has already, and removed rows that it
 * lacks, stay unchanged. An error names a row by its index, such as `addSites.3`.
 * @example {"addSites": [11, 12]}
 */
export const MemberChange = z
  .object({
    /** Ids of users to add to the policy. */
    addUsers: z._default(Links, []),
    /** Ids of users to remove from the policy. */
    removeUsers: z._default(Links, []),
    /** Ids of sites to add to the policy. */
    addSites: z._default(Links, []),
    /** Ids of sites to remove from the policy. */
    removeSites: z._default(Links, []),
  })
  .check(
    z.refine((given) => Object.values(given).flat().length > 0, { ...issue('required'), path: ['addUsers'] }),
    z.refine(
      ({ addUsers, removeUsers, addSites, removeSites }) =>
        isApart(addUsers, removeUsers) && isApart(addSites, removeSites),
      { ...issue('repeated'), path: ['removeUsers'] },
    ),
  );
export type MemberChange = z.infer<typeof MemberChange>;

/** The access that a change of a policy's members would revoke and grant. */
export const MembersPreview = z.object({ lost: AccessLoss, gained: AccessLoss });
export type MembersPreview = z.infer<typeof MembersPreview>;

/** A row that a bulk call left unchanged, and the reason. */
export const RefusedRow = z.extend(ErrorBody, { id: Id });
export type RefusedRow = z.infer<typeof RefusedRow>;

const several = { access: ['CREATOR'], body: RowIds, errors: ['no_company'] } as const;
const ofPolicy = {
  access: ['CREATOR'],
  body: MemberChange,
  errors: ['not_found', 'too_many_objects', 'no_company'],
} as const;

/** Add users and sites to a policy, and remove others: all of them or none. `fields` of an error names each absent row. */
export const changeMembers = endpoint('POST /politics/:id/members', {
  ...ofPolicy,
  reply: Policy,
  versioned: true,
});

/** Count the users who would lose or get access if the members of the policy were changed. */
export const previewMembers = endpoint('POST /politics/:id/members/preview', {
  ...ofPolicy,
  reply: MembersPreview,
});

/** Delete many users: all of them or none. `fields` of an error names absent users, the caller, owners and ADMINs. */
export const deleteUsers = endpoint('POST /users/delete', { ...several });

/** Count the users who would lose access if the users were deleted. */
export const usersLoss = endpoint('POST /users/delete/preview', { ...several, reply: AccessLoss });

/** Delete many sites: all of them or none. `fields` of an error names each absent site. */
export const deleteSites = endpoint('POST /domain-allowed/delete', { ...several });

/** Count the users who would lose access if the sites were deleted. */
export const sitesLoss = endpoint('POST /domain-allowed/delete/preview', { ...several, reply: AccessLoss });

/** Delete many policies: all of them or none. `fields` of an error names each absent policy. */
export const deletePolicies = endpoint('POST /politics/delete', { ...several });

/** Count the users who would lose access if the policies were deleted. */
export const policiesLoss = endpoint('POST /politics/delete/preview', { ...several, reply: AccessLoss });

/** Queue probes of many sites. They rank as scheduled probes: a probe that a user requests for a single site comes first. */
export const probeSites = endpoint('POST /domain-allowed/probe', {
  ...several,
  reply: z.object({
    /** Ids of the sites whose probe is queued or runs already. @example [11, 12] */
    queued: z.array(Id),
    /** The other sites, each with the reason. */
    refused: z.array(RefusedRow),
  }),
  status: 202,
  errors: ['no_company', 'company_unconfirmed', 'too_many_requests'],
});

/**
 * Send a new invitation to each of the agents who has not set a password. The new links replace the earlier ones. Agents beyond a
 * limit of invitations, for a mailbox or for the company, are refused with `too_many_requests`.
 */
export const inviteManyAgain = endpoint('POST /users/invitations/again', {
  ...several,
  reply: z.extend(MadeInvitations, {
    /** The users without a new invitation, each with the reason. */
    refused: z.array(RefusedRow),
  }),
  errors: ['no_company', 'company_unconfirmed', 'too_many_requests'],
});

/**
 * Mail the users that they should install the browser extension. A user gets this mail at most once in seven days. These mails and
 * invitations share the limits. Users who have a signed-in extension, or no password yet, get no mail.
 */
export const remindOfExtension = endpoint('POST /users/extension/remind', {
  ...several,
  reply: z.object({
    /** Ids of the users who get the mail. @example [11, 12] */
    reminded: z.array(Id),
    /** The other users, each with the reason. */
    refused: z.array(RefusedRow),
  }),
  errors: ['no_company', 'company_unconfirmed', 'no_reminder', 'too_many_requests'],
});
