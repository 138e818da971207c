import { decide } from '@propusk/access/decide';
import type { Target } from '@propusk/access/host';
import type { AccessIndex, Egress } from '@propusk/access/snapshot';
import { type Caller, isPerson } from './authenticate.ts';
import { ProxyError } from './proxy-error.ts';

/**
 * Whether a caller may reach a target now. New requests and live ones are judged by this one function, so that a tunnel
 * never outlives the right by which it was opened.
 */

interface Right {
  readonly egress: Egress;
  /** Whose places the passage takes; null for a probe, which is nobody's. */
  readonly companyId: number | null;
}

/** @returns the way out @throws ProxyError */
export type Authorize = (caller: Caller, target: Target) => Right;

/** Sites' locks admit the gateway itself, and a probe has to see them as people do. */
const probed: Right = { egress: { kind: 'direct', shared: true }, companyId: null };

/** @param stale whether the index is too old to be believed */
export function createAuthorize(index: AccessIndex, stale: () => boolean): Authorize {
  return (caller, target) => {
    if (caller.expires * 1000 <= Date.now()) throw new ProxyError('expired');
    if (!isPerson(caller)) {
      // All that it may do was signed into it: neither the index nor its age has a say.
      if (caller.host !== target.host || caller.port !== target.port) throw new ProxyError('no_policy');
      return probed;
    }
    if (stale()) throw new ProxyError('snapshot_stale');
    const user = index.users.get(caller.userId);
    if (user === undefined) throw new ProxyError('user_removed');
    // Also when the token's is higher, which a feed that lags can cause: then newer credentials come a moment later.
    if (user.epoch !== caller.epoch) throw new ProxyError('expired');
    const decision = decide(index, caller.userId, target.host, target.port);
    if (!decision.allow) throw new ProxyError(decision.reason);
    return { egress: decision.egress, companyId: user.company.id };
  };
}

/** Whether two ways out are the same path. Other credentials alone do not make another path. */
export function sameEgress(a: Egress, b: Egress): boolean {
  if (a.kind === 'direct' || b.kind === 'direct') return a.kind === b.kind;
  return a.proxyId === b.proxyId && a.host === b.host && a.port === b.port;
}
