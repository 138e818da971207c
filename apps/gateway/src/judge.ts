import { decide } from '@propusk/access/decide';
import type { GatewayToken } from '@propusk/access/gateway-secret';
import type { Target } from '@propusk/access/host';
import type { AccessIndex, Egress } from '@propusk/access/snapshot';
import { Refusal } from './refusal.ts';

/**
 * Whether a person may reach a target now. New requests and live ones are judged by this one function, so that a tunnel
 * never outlives the right by which it was opened.
 */

/** @returns the way out @throws Refusal */
export type Judge = (token: GatewayToken, target: Target) => Egress;

/** @param stale whether the index is too old to be believed */
export function createJudge(index: AccessIndex, stale: () => boolean): Judge {
  return (token, target) => {
    if (token.expires * 1000 <= Date.now()) throw new Refusal('expired');
    if (stale()) throw new Refusal('snapshot_stale');
    const user = index.users.get(token.userId);
    if (user === undefined) throw new Refusal('user_removed');
    // Also when the token's is higher, which a feed that lags can cause: then newer credentials come a moment later.
    if (user.epoch !== token.epoch) throw new Refusal('expired');
    const decision = decide(index, token.userId, target.host, target.port);
    if (!decision.allow) throw new Refusal(decision.reason);
    return decision.egress;
  };
}

/** Whether two ways out are the same path. Other credentials alone do not make another path. */
export function sameEgress(a: Egress, b: Egress): boolean {
  if (a.kind === 'direct' || b.kind === 'direct') return a.kind === b.kind;
  return a.proxyId === b.proxyId && a.host === b.host && a.port === b.port;
}
