import { type AccessLoss, policyLoss, siteLoss, userLoss } from '@propusk/contract/access-loss';
import * as t from '@propusk/phrases/console';
import { call } from '../api/call.ts';

const losses = { site: siteLoss, policy: policyLoss, user: userLoss };

/**
 * Asks the server who would lose access if an entity were deleted. @returns a sentence
 * @throws ApiError when the call fails
 */
export async function tellLoss(of: keyof typeof losses, id: number): Promise<string> {
  return sayLoss(await call(losses[of], { params: { id } }));
}

/** A sentence about the access that a change would revoke. */
export function sayLoss({ users, sites, allSites }: AccessLoss): string {
  const parts = [
    ...(allSites > 0 ? [t.loss.allSites(allSites)] : []),
    ...(sites > 0 ? [t.loss.sites(sites, users)] : []),
  ];
  return parts.length === 0 ? t.loss.nobody : parts.join(' ');
}
