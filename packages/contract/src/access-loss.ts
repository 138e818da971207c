import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

const Count = z.int().check(z.gte(0));

/**
 * The access that a change would revoke, or would grant. The api runs the change in a transaction, applies the gateway's access
 * rule before and after the change, and rolls back.
 */
export const AccessLoss = z.object({
  /** The number of users who would lose (or get) access to at least one site. */
  users: Count,
  /** The number of distinct sites to which at least one user would lose (or get) access. */
  sites: Count,
  /** The number of users who would lose their last (or get their first) policy with `allSites`, which opens every public site. @example 0 */
  allSites: Count,
});
export type AccessLoss = z.infer<typeof AccessLoss>;

const shape = { access: ['CREATOR', 'ADMIN'], reply: AccessLoss } as const;

/** Count the users who would lose access if the site were deleted. */
export const siteLoss = endpoint('GET /domain-allowed/:id/loss', { ...shape, errors: ['not_found'] });

/** Count the users who would lose access if the policy were deleted. */
export const policyLoss = endpoint('GET /politics/:id/loss', { ...shape, errors: ['not_found'] });

/** Count the sites to which the user would lose access if the user were deleted. */
export const userLoss = endpoint('GET /users/:id/loss', {
  ...shape,
  errors: ['not_found', 'own_account', 'protected_user'],
});
