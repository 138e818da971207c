import { decide, openUntil } from '@propusk/access/decide';
import type { Target } from '@propusk/access/host';
import type { AccessIndex, CompanyIndex, Egress } from '@propusk/access/snapshot';
import { ProxyError } from '../proxy-error.ts';
import { type Caller, isUser } from './authenticate.ts';

/**
 * Decides whether a caller may reach a target now. New requests and active ones pass this one function, so that no tunnel
 * outlives the access that opened it.
 */

interface Authorization {
  readonly egress: Egress;
  /**
   * The company's indexed snapshot at this authorization; null for a probe. The request counts towards the limits of this
   * company.
   */
  readonly company: CompanyIndex | null;
  /** The policy that allows it; null for a probe. */
  readonly policyId: number | null;
  /** The first moment at which the decision can change by time alone, in ms since 1970; infinite for never. */
  readonly until: number;
}

export interface Authorizer {
  /** @throws ProxyError */
  authorize(caller: Caller, target: Target): Authorization;
  /**
   * Returns the time until which an earlier authorization stays valid. It stays valid while its own policy is open, even if a
   * policy of higher precedence opens in the meantime. It becomes invalid when the company's data change, or when another company
   * claims a host.
   * @param seen the state on which that authorization was based
   * @returns the new `until`; null if the request must be authorized again
   */
  holdsUntil(
    caller: Caller,
    seen: Pick<Authorization, 'company' | 'policyId' | 'until'> & { readonly newClaims: number },
  ): number | null;
  /** How many claims to hosts are new since the start. */
  newClaims(): number;
  /** The time of the database in ms since 1970; NaN when it is not known. */
  now(): number;
}

/**
 * A probe leaves from the gateway's own address, which the site's server admits. It may use IPv4 or IPv6, because it also
 * discovers which addresses of the gateway the site sees.
 */
const probed: Authorization = {
  egress: { kind: 'direct', shared: true, family: 0 },
  company: null,
  policyId: null,
  until: Number.POSITIVE_INFINITY,
};

/** @param stale whether the index is too old to grant access @param now the time of the database; NaN when it is not known */
export function createAuthorizer(index: AccessIndex, stale: () => boolean, now: () => number): Authorizer {
  const isExpired = ({ expires }: Caller) => expires * 1000 <= Date.now();
  return {
    newClaims: () => index.newClaims,
    now,
    authorize(caller, target) {
      if (isExpired(caller)) throw new ProxyError('expired');
      if (!isUser(caller)) {
        // A probe token grants exactly its signed target, whatever the index holds and however old it is.
        if (caller.host !== target.host || caller.port !== target.port) throw new ProxyError('no_policy');
        return probed;
      }
      if (stale()) throw new ProxyError('snapshot_stale');
      const user = index.users.get(caller.userId);
      if (user === undefined)
        throw new ProxyError(index.suspended.has(caller.userId) ? 'suspended' : 'user_removed');
      // The token's epoch may be higher when the feed lags: deny too, the client retries in a moment.
      if (user.epoch !== caller.epoch) throw new ProxyError('expired');
      const decision = decide(index, caller.userId, target.host, target.port, now());
      if (!decision.allow) throw new ProxyError(decision.reason);
      const { egress, policyId, until } = decision;
      return { egress, company: user.company, policyId, until };
    },
    holdsUntil(caller, { company, policyId, newClaims, until }) {
      if (isExpired(caller) || !isUser(caller) || stale() || policyId === null) return null;
      const user = index.users.get(caller.userId);
      if (user?.company !== company || index.newClaims !== newClaims) return null;
      if (until === Number.POSITIVE_INFINITY || now() < until) return until;
      return openUntil(user, policyId, now());
    },
  };
}

/** Whether two egresses use the same path. Changed credentials alone do not change the path. */
export function sameEgress(a: Egress, b: Egress): boolean {
  if (a.kind === 'direct' || b.kind === 'direct') return a.kind === b.kind;
  return a.proxyId === b.proxyId && a.host === b.host && a.port === b.port;
}
