import type { Target } from '@propusk/access/host';
import type { Egress } from '@propusk/access/snapshot';
import { AbortSignalLite } from './abort-signal-lite.ts';
import { type Caller, nameOf } from './authenticate.ts';
import { type Authorize, sameEgress } from './authorize.ts';
import type { ConcurrencyLimits } from './concurrency-limits.ts';
import { ProxyError } from './proxy-error.ts';

/**
 * All that is being carried now: tunnels, and plain requests until their response has ended. When the rules change each
 * is judged again, and what lost its right is aborted. The abort reaches it at any stage: dialling, waiting, joined.
 */

/** Why a request is aborted whose client has closed its connection. */
export const clientLeft = new Error('The client has left');

export interface ActiveRequest {
  readonly caller: Caller;
  readonly target: Target;
  readonly egress: Egress;
  /** Aborted with what says why: a ProxyError when the right was lost. */
  readonly signal: AbortSignalLite;
  abort(reason: Error): void;
  /** Must be called once it is over, however it ended. */
  release(): void;
}

export interface ActiveRequests {
  readonly size: number;
  /** Judges a request and lets it in: later, where places are counted by several. @throws ProxyError */
  start(caller: Caller, target: Target): ActiveRequest | Promise<ActiveRequest>;
  /** Judges all again and aborts those that lost their right, or whose way out is another one now. */
  recheck(): void;
  abortAll(refusal: ProxyError): void;
}

/** Makes an empty registry. */
export function createActiveRequests(authorize: Authorize, limits: ConcurrencyLimits): ActiveRequests {
  // grows: by users, by requests and tunnels; bound: the limits of concurrency-limits.ts in all and for each user and company; at the bound:
  // 429 too_many; test: apps/gateway/src/active-requests.test.ts
  const requests = new Set<ActiveRequest>();

  function start(caller: Caller, target: Target): ActiveRequest | Promise<ActiveRequest> {
    const { egress, companyId } = authorize(caller, target);
    const holder = { caller: nameOf(caller), companyId };
    if (!limits.acquire(holder)) {
      const asked = limits.request(holder);
      if (asked === null) throw new ProxyError('too_many');
      // Judged again then: the right may be gone meanwhile.
      return asked.then((came) => {
        if (!came) throw new ProxyError('too_many');
        return start(caller, target);
      });
    }
    const signal = new AbortSignalLite();
    const active: ActiveRequest = {
      caller,
      target,
      egress,
      signal,
      abort: (reason) => signal.abort(reason),
      release() {
        if (requests.delete(active)) limits.release(holder);
      },
    };
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
    // Whatever went wrong: what cannot be judged is not allowed.
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
