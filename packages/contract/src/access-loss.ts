import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { IdParams } from './fields.ts';

const Count = z.int().check(z.gte(0));

/** The users and sites that a deletion would cut off from each other. */
export const AccessLoss = z.object({
  /** Users who lose a site, and distinct sites that one of them loses. */
  users: Count,
  sites: Count,
  /** Users who lose access to all sites (a policy with `allSites`). */
  allSites: Count,
});
export type AccessLoss = z.infer<typeof AccessLoss>;

const shape = {
  method: 'GET',
  access: ['CREATOR', 'ADMIN'],
  params: IdParams,
  reply: AccessLoss,
} as const;

export const siteLoss = endpoint({
  ...shape,
  path: '/domain-allowed/:id/loss',
  errors: ['not_found'],
});

export const policyLoss = endpoint({
  ...shape,
  path: '/politics/:id/loss',
  errors: ['not_found'],
});

export const userLoss = endpoint({
  ...shape,
  path: '/users/:id/loss',
  errors: ['not_found', 'own_account', 'protected_user'],
});
