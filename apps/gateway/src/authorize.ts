import { decide } from '@propusk/access/decide';
import type { Target } from '@propusk/access/host';
import type { AccessIndex, Egress } from '@propusk/access/snapshot';
import { type Caller, isUser } from './authenticate.ts';
import { ProxyError } from './proxy-error.ts';

/**
 * Decides whether a caller may reach a target now. New requests and active ones pass this one function, so that no tunnel
 * outlives the access that opened it.
 */

interface Authorization {
  readonly egress: Egress;
  /** The company whose slots the request takes; null for a probe. */
  readonly companyId: number | null;
}

/** @returns the egress @throws ProxyError */
export type Authorize = (caller: Caller, target: Target) => Authorization;

/** A probe uses the gateway's own address, which the site's lock admits. */
const probed: Authorization = { egress: { kind: 'direct', shared: true }, companyId: null };

/** @param stale whether the index is too old to grant access */
export function createAuthorize(index: AccessIndex, stale: () => boolean): Authorize {
  return (caller, target) => {
    if (caller.expires * 1000 <= Date.now()) throw new ProxyError('expired');
    if (!isUser(caller)) {
      // A probe token grants exactly its signed target, whatever the index holds and however old it is.
      if (caller.host !== target.host || caller.port !== target.port) throw new ProxyError('no_policy');
      return probed;
    }
    if (stale()) throw new ProxyError('snapshot_stale');
    const user = index.users.get(caller.userId);
    if (user === undefined) throw new ProxyError('user_removed');
    // The token's epoch may be higher when the feed lags: deny too, the client retries in a moment.
    if (user.epoch !== caller.epoch) throw new ProxyError('expired');
    const decision = decide(index, caller.userId, target.host, target.port);
    if (!decision.allow) throw new ProxyError(decision.reason);
    return { egress: decision.egress, companyId: user.company.id };
  };
}

/** Whether two egresses use the same path. Changed credentials alone do not change the path. */
export function sameEgress(a: Egress, b: Egress): boolean {
  if (a.kind === 'direct' || b.kind === 'direct') return a.kind === b.kind;
  return a.proxyId === b.proxyId && a.host === b.host && a.port === b.port;
}
