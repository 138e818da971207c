import type { Target } from '@propusk/access/host';
import type { CompanyIndex, Egress } from '@propusk/access/snapshot';
import type { Tenant } from '@propusk/dial/fair-slots';
import { coarseNow } from '../deadline.ts';
import { ProxyError, type ProxyErrorReason } from '../proxy-error.ts';
import { AbortSignalLite } from './abort-signal-lite.ts';
import { type Caller, nameOf } from './authenticate.ts';
import { type Authorizer, sameEgress } from './authorize.ts';
import type { ConcurrencyLimits, Slots } from './concurrency-limits.ts';
import { inParts } from './in-parts.ts';

/**
 * The requests and tunnels in progress. After a change of policy those that it may concern are authorized again, and aborted
 * when access was revoked. The abort reaches a request at any stage: while it dials, waits or transfers.
 */

/** At a user's limit, a new request closes the user's longest-idle tunnel, if it has been idle for at least this time. */
const DISPLACED_MS = 60_000;

/** The shortest wait of the timer: the many ends of one company must not authorize all requests again each millisecond. */
const SOONEST_MS = 50;
/** The longest wait of a timer; a later end waits several times. */
const LONGEST_MS = 86_400_000;

/** The abort reason of a request whose client disconnected. */
export const clientLeft = new Error('The client has left');

export interface ActiveRequest {
  readonly caller: Caller;
  readonly target: Target;
  readonly egress: Egress;
  /** The caller's company, and the policy that allowed the request; null for a probe. */
  readonly company: CompanyIndex | null;
  readonly policyId: number | null;
  /** Whose share of DNS look-ups the request takes (packages/dial): its company's, or for a probe that of the host. */
  readonly tenant: Tenant;
  /** The splice of a tunnel or WebSocket; `moved` is the `coarseNow()` of the last transferred bytes. Null before the splice. */
  splice: { readonly moved: number } | null;
  /** Aborts when access is revoked, with a ProxyError as the reason, and when the client disconnects. */
  readonly signal: AbortSignalLite;
  abort(reason: Error): void;
  /** Frees the request's slots. The caller must call it when the request ends, also after an error; idempotent. */
  release(): void;
}

export interface ActiveRequests {
  readonly size: number;
  /** Authorizes a request and takes its slots. A promise when a worker must ask the primary for a slot. @throws ProxyError */
  start(caller: Caller, target: Target): ActiveRequest | Promise<ActiveRequest>;
  /**
   * Authorizes the active requests again for which something has changed, and aborts those whose access was revoked or whose
   * egress changed. It begins at once; where they are many it goes on in the next turns of the event loop.
   * @param done called once all of them are authorized
   */
  recheck(done?: () => void): void;
  abortAll(refusal: ProxyError): void;
}

interface Admitted extends ActiveRequest {
  readonly slots: Slots;
  /** What the last authorization saw. */
  company: CompanyIndex | null;
  policyId: number | null;
  newClaims: number;
  until: number;
}

function abort(this: ActiveRequest, reason: Error): void {
  this.signal.abort(reason);
}

/** Makes an empty registry. @param onCut called for a request that ends because its access was revoked */
export function createActiveRequests(
  authorizer: Authorizer,
  limits: ConcurrencyLimits,
  onCut: (reason: ProxyErrorReason) => void = () => {},
): ActiveRequests {
  // Grows with requests and tunnels of users. Bound: the limits of concurrency-limits.ts, in total and for each user and
  // company. At the bound: 503 too_many
  const requests = new Set<Admitted>();
  /** The same requests, by the name of their caller. */
  // Grows with users with live requests. Bound: the requests above, with about 300 bytes for each user. At the bound: as for
  // `requests`
  const callers = new Map<string, Set<Admitted>>();

  /** The first `until` of the requests, and the timer that authorizes all of them then: one for the process. */
  let earliest = Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  function onUntil(until: number): void {
    // The sweep of each second authorizes again while the time is not known.
    if (until >= earliest || Number.isNaN(authorizer.now())) return;
    earliest = until;
    clearTimeout(timer);
    timer = setTimeout(
      () => {
        earliest = Number.POSITIVE_INFINITY;
        recheck();
      },
      Math.min(Math.max(SOONEST_MS, Math.ceil(until - authorizer.now())), LONGEST_MS),
    );
    timer.unref();
  }

  function release(this: Admitted): void {
    if (!requests.delete(this)) return;
    const name = nameOf(this.caller);
    const own = callers.get(name);
    if (own?.delete(this) && own.size === 0) callers.delete(name);
    limits.release(this.slots);
    const { reason } = this.signal;
    if (reason instanceof ProxyError) onCut(reason.reason);
  }

  /**
   * Ends the caller's longest-idle tunnel, if the reached limit is the caller's own.
   * @param full the name of the reached limit
   * @throws ProxyError too_many when no tunnel can be ended
   */
  function displace(name: string, full: string): void {
    let longest: Admitted | null = null;
    let since = coarseNow() - DISPLACED_MS;
    for (const each of (full === name && callers.get(name)) || []) {
      const moved = each.splice?.moved ?? Number.POSITIVE_INFINITY;
      if (moved <= since) [longest, since] = [each, moved];
    }
    if (longest === null) throw new ProxyError('too_many');
    longest.abort(new ProxyError('too_many'));
    // Without this call, an aborted WebSocket would release its slot only in a later turn of the event loop.
    longest.release();
  }

  function start(caller: Caller, target: Target): ActiveRequest | Promise<ActiveRequest> {
    const { egress, company, policyId, until } = authorizer.authorize(caller, target);
    const name = nameOf(caller);
    const slots = limits.of(name, company?.id ?? null);
    const full = limits.acquire(slots);
    if (full !== undefined) {
      const asked = limits.request(slots);
      // Authorize again: access may have been revoked while the primary answered.
      const again = (came: boolean) => {
        if (!came) displace(name, full);
        return start(caller, target);
      };
      return asked === null ? again(false) : asked.then(again);
    }
    const seen = { company, policyId, newClaims: authorizer.newClaims(), until };
    const active: Admitted = {
      caller,
      target,
      egress,
      tenant: company?.id ?? target.host,
      splice: null,
      slots,
      signal: new AbortSignalLite(),
      ...seen,
      abort,
      release,
    };
    requests.add(active);
    const own = callers.get(name) ?? new Set();
    callers.set(name, own.add(active));
    if (until !== Number.POSITIVE_INFINITY) onUntil(until);
    return active;
  }

  function judge(active: Admitted): void {
    const until = authorizer.holdsUntil(active.caller, active);
    if (until === null) {
      const refusal = verdict(authorizer, active);
      if (refusal !== null) return active.abort(refusal);
    } else active.until = until;
    if (active.until !== Number.POSITIVE_INFINITY) onUntil(active.until);
  }

  const recheck = inParts(requests, judge);

  return {
    get size() {
      return requests.size;
    },
    start,
    recheck,
    abortAll(refusal) {
      for (const active of requests) active.abort(refusal);
    },
  };
}

/** Authorizes an active request again. @returns why it must end */
function verdict(authorizer: Authorizer, active: Admitted): ProxyError | null {
  try {
    const { egress, company, policyId, until } = authorizer.authorize(active.caller, active.target);
    active.company = company;
    active.policyId = policyId;
    active.until = until;
    active.newClaims = authorizer.newClaims();
    return sameEgress(egress, active.egress) ? null : new ProxyError('no_policy');
  } catch (error) {
    // Deny by default: an unexpected error revokes access.
    return error instanceof ProxyError ? error : new ProxyError('no_policy');
  }
}

/** A request inside a tunnel: it shares the tunnel's slot, ends with the tunnel, and may be aborted before. */
export function nestedRequest(tunnel: ActiveRequest): ActiveRequest {
  const signal = new AbortSignalLite();
  const { reason } = tunnel.signal;
  if (reason !== undefined) signal.abort(reason);
  const onAbort = () => signal.abort(tunnel.signal.reason ?? clientLeft);
  tunnel.signal.addEventListener('abort', onAbort);
  return {
    ...tunnel,
    signal,
    abort: (why) => signal.abort(why),
    release: () => tunnel.signal.removeEventListener('abort', onAbort),
  };
}
