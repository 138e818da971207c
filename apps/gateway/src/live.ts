import type { Target } from '@propusk/access/host';
import type { Egress } from '@propusk/access/snapshot';
import { Refusal } from '@propusk/dial/refusal';
import { type Caller, nameOf } from './authenticate.ts';
import { type Judge, sameEgress } from './judge.ts';
import type { Places } from './places.ts';
import { Stopping } from './stopping.ts';

/**
 * All that is being carried now: tunnels, and plain requests until their response has ended. When the rules change each
 * is judged again, and what lost its right is aborted. The abort reaches it at any stage: dialling, waiting, joined.
 */

/** Why a request is aborted whose client has closed its connection. */
export const clientLeft = new Error('The client has left');

export interface Passage {
  readonly caller: Caller;
  readonly target: Target;
  readonly egress: Egress;
  /** Aborted with what says why: a Refusal when the right was lost. */
  readonly signal: Stopping;
  abort(reason: Error): void;
  /** Must be called once it is over, however it ended. */
  leave(): void;
}

export interface Live {
  readonly size: number;
  /** Judges a request and lets it in: later, where places are counted by several. @throws Refusal */
  enter(caller: Caller, target: Target): Passage | Promise<Passage>;
  /** Judges all again and aborts those that lost their right, or whose way out is another one now. */
  recheck(): void;
  abortAll(refusal: Refusal): void;
}

/** Makes an empty registry. */
export function createLive(judge: Judge, places: Places): Live {
  // grows: by users, by requests and tunnels; bound: the limits of places.ts in all and for each user and company; at the bound:
  // 429 too_many; test: apps/gateway/src/live.test.ts
  const passages = new Set<Passage>();

  function enter(caller: Caller, target: Target): Passage | Promise<Passage> {
    const { egress, companyId } = judge(caller, target);
    const holder = { caller: nameOf(caller), companyId };
    if (!places.take(holder)) {
      const asked = places.ask(holder);
      if (asked === null) throw new Refusal('too_many');
      // Judged again then: the right may be gone meanwhile.
      return asked.then((came) => {
        if (!came) throw new Refusal('too_many');
        return enter(caller, target);
      });
    }
    const signal = new Stopping();
    const passage: Passage = {
      caller,
      target,
      egress,
      signal,
      abort: (reason) => signal.abort(reason),
      leave() {
        if (passages.delete(passage)) places.give(holder);
      },
    };
    passages.add(passage);
    return passage;
  }

  return {
    get size() {
      return passages.size;
    },
    enter,
    recheck() {
      for (const passage of passages) {
        const refusal = verdict(judge, passage);
        if (refusal !== null) passage.abort(refusal);
      }
    },
    abortAll(refusal) {
      for (const passage of passages) passage.abort(refusal);
    },
  };
}

function verdict(judge: Judge, { caller, target, egress }: Passage): Refusal | null {
  try {
    return sameEgress(judge(caller, target).egress, egress) ? null : new Refusal('no_policy');
  } catch (error) {
    // Whatever went wrong: what cannot be judged is not allowed.
    return error instanceof Refusal ? error : new Refusal('no_policy');
  }
}
