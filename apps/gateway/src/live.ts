import type { Target } from '@propusk/access/host';
import type { Egress } from '@propusk/access/snapshot';
import { Refusal } from '@propusk/dial/refusal';
import { type Caller, nameOf } from './authenticate.ts';
import { type Judge, sameEgress } from './judge.ts';

/**
 * All that is being carried now: tunnels, and plain requests until their response has ended. When the rules change each
 * is judged again, and what lost its right is aborted. The abort reaches it at any stage: dialling, waiting, joined.
 */

export interface Passage {
  readonly caller: Caller;
  readonly target: Target;
  readonly egress: Egress;
  /** Aborted with what says why: a Refusal when the right was lost. */
  readonly signal: AbortSignal;
  abort(reason: Error): void;
  /** Must be called once it is over, however it ended. */
  leave(): void;
}

/** How many passages there may be at once. */
export interface Limits {
  /** Of one person; of all probes together as well. */
  readonly perCaller: number;
  readonly perCompany: number;
  readonly total: number;
}

export interface Live {
  readonly size: number;
  /** Judges a request and lets it in. @throws Refusal */
  enter(caller: Caller, target: Target): Passage;
  /** Judges all again and aborts those that lost their right, or whose way out is another one now. */
  recheck(): void;
  abortAll(refusal: Refusal): void;
}

/** Makes an empty registry. */
export function createLive(judge: Judge, limits: Limits): Live {
  const passages = new Set<Passage>();
  const perCaller = new Map<string, number>();
  const perCompany = new Map<number, number>();

  return {
    get size() {
      return passages.size;
    },
    enter(caller, target) {
      const { egress, companyId } = judge(caller, target);
      const name = nameOf(caller);
      if (
        passages.size >= limits.total ||
        (perCaller.get(name) ?? 0) >= limits.perCaller ||
        (companyId !== null && (perCompany.get(companyId) ?? 0) >= limits.perCompany)
      ) {
        throw new Refusal('too_many');
      }
      const count = (by: 1 | -1) => {
        add(perCaller, name, by);
        if (companyId !== null) add(perCompany, companyId, by);
      };
      const controller = new AbortController();
      const passage: Passage = {
        caller,
        target,
        egress,
        signal: controller.signal,
        abort: (reason) => controller.abort(reason),
        leave() {
          if (passages.delete(passage)) count(-1);
        },
      };
      passages.add(passage);
      count(1);
      return passage;
    },
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

function add<K>(counts: Map<K, number>, key: K, by: 1 | -1): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now === 0) counts.delete(key);
  else counts.set(key, now);
}

function verdict(judge: Judge, { caller, target, egress }: Passage): Refusal | null {
  try {
    return sameEgress(judge(caller, target).egress, egress) ? null : new Refusal('no_policy');
  } catch (error) {
    // Whatever went wrong: what cannot be judged is not allowed.
    return error instanceof Refusal ? error : new Refusal('no_policy');
  }
}
