import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { IdParams } from './fields.ts';

const Count = z.int().check(z.gte(0));

/** Who would lose access by a deletion. */
export const AccessLoss = z.object({
  /** Users who lose a site, and distinct sites that one of them loses. */
  users: Count,
  sites: Count,
  /** Users who lose access to all sites (a policy with `allSites`). */
  allSites: Count,
});
export type AccessLoss = z.infer<typeof AccessLoss>;

const description =
  'Carries the deletion out, compares the verdicts of the rule of access before and after, and rolls back. Changes nothing.';
const shape = {
  method: 'GET',
  access: ['CREATOR', 'ADMIN'],
  description,
  params: IdParams,
  reply: AccessLoss,
} as const;

export const siteLoss = endpoint({
  ...shape,
  path: '/domain-allowed/:id/loss',
  summary: 'Who would lose access if the site was removed',
  errors: ['not_found'],
});

export const policyLoss = endpoint({
  ...shape,
  path: '/politics/:id/loss',
  summary: 'Who would lose access if the policy was removed',
  errors: ['not_found'],
});

export const userLoss = endpoint({
  ...shape,
  path: '/users/:id/loss',
  summary: 'Which sites would lose a user if the user was removed',
  errors: ['not_found', 'own_account', 'protected_user'],
});
