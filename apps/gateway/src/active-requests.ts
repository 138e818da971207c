import type { Target } from '@propusk/access/host';
import type { Egress } from '@propusk/access/snapshot';
import type { Tenant } from '@propusk/dial/fair-slots';
import { AbortSignalLite } from './abort-signal-lite.ts';
import { type Caller, nameOf } from './authenticate.ts';
import { type Authorize, sameEgress } from './authorize.ts';
import type { ConcurrencyLimits, Slots } from './concurrency-limits.ts';
import { ProxyError, type ProxyErrorReason } from './proxy-error.ts';

/**
 * The requests and tunnels in progress. After every change of policy each is authorized again, and aborted when access was
 * revoked. The abort reaches it at any stage: while it dials, waits or transfers.
 */

/** The abort reason of a request whose client disconnected. */
export const clientLeft = new Error('The client has left');

export interface ActiveRequest {
  readonly caller: Caller;
  readonly target: Target;
  readonly egress: Egress;
  /** The owner of the request's DNS look-ups (packages/dial): its company, or for a probe the host. */
  readonly tenant: Tenant;
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
  /** Authorizes every active request again, and aborts those whose access was revoked or whose egress changed. */
  recheck(): void;
  abortAll(refusal: ProxyError): void;
}

/** A request that holds slots. */
class Admitted implements ActiveRequest {
  readonly signal = new AbortSignalLite();
  readonly caller: Caller;
  readonly target: Target;
  readonly egress: Egress;
  readonly tenant: Tenant;
  readonly slots: Slots;
  readonly #end: (active: Admitted) => void;

  constructor(
    caller: Caller,
    target: Target,
    egress: Egress,
    tenant: Tenant,
    slots: Slots,
    end: (active: Admitted) => void,
  ) {
    this.caller = caller;
    this.target = target;
    this.egress = egress;
    this.tenant = tenant;
    this.slots = slots;
    this.#end = end;
  }

  abort(reason: Error): void {
    this.signal.abort(reason);
  }

  release(): void {
    this.#end(this);
  }
}

/** Makes an empty registry. @param onCut called for a request that ends because its access was revoked */
export function createActiveRequests(
  authorize: Authorize,
  limits: ConcurrencyLimits,
  onCut: (reason: ProxyErrorReason) => void = () => {},
): ActiveRequests {
  // grows: by users, by requests and tunnels; bound: the limits of concurrency-limits.ts, in total and for each user and
  // company; at the bound: 429 too_many
  const requests = new Set<ActiveRequest>();

  function end(active: Admitted): void {
    if (!requests.delete(active)) return;
    limits.release(active.slots);
    const { reason } = active.signal;
    if (reason instanceof ProxyError) onCut(reason.reason);
  }

  function start(caller: Caller, target: Target): ActiveRequest | Promise<ActiveRequest> {
    const { egress, companyId } = authorize(caller, target);
    const slots = limits.of(nameOf(caller), companyId);
    if (!limits.acquire(slots)) {
      const asked = limits.request(slots);
      if (asked === null) throw new ProxyError('too_many');
      // Authorize again: access may have been revoked while the primary answered.
      return asked.then((came) => {
        if (!came) throw new ProxyError('too_many');
        return start(caller, target);
      });
    }
    const active = new Admitted(caller, target, egress, companyId ?? target.host, slots, end);
    requests.add(active);
    return active;
  }

  return {
    get size() {
      return requests.size;
    },
    start,
    recheck() {
      for (const active of requests) {
        const refusal = verdict(authorize, active);
        if (refusal !== null) active.abort(refusal);
      }
    },
    abortAll(refusal) {
      for (const active of requests) active.abort(refusal);
    },
  };
}

function verdict(authorize: Authorize, { caller, target, egress }: ActiveRequest): ProxyError | null {
  try {
    return sameEgress(authorize(caller, target).egress, egress) ? null : new ProxyError('no_policy');
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
  const { caller, target, egress, tenant } = tunnel;
  return {
    ...{ caller, target, egress, tenant },
    signal,
    abort: (why) => signal.abort(why),
    release: () => tunnel.signal.removeEventListener('abort', onAbort),
  };
}
