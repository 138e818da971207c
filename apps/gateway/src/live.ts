import type { GatewayToken } from '@propusk/access/gateway-secret';
import type { Target } from '@propusk/access/host';
import type { Egress } from '@propusk/access/snapshot';
import { type Judge, sameEgress } from './judge.ts';
import { Refusal } from './refusal.ts';

/**
 * All that is being carried now: tunnels, and plain requests until their response has ended. When the rules change each
 * is judged again, and what lost its right is aborted. The abort reaches it at any stage: dialling, waiting, joined.
 */

export interface Passage {
  readonly token: GatewayToken;
  readonly target: Target;
  readonly egress: Egress;
  /** Aborted with what says why: a Refusal when the right was lost. */
  readonly signal: AbortSignal;
  abort(reason: Error): void;
  /** Must be called once it is over, however it ended. */
  leave(): void;
}

export interface Limits {
  readonly perUser: number;
  readonly total: number;
}

export interface Live {
  readonly size: number;
  /** Judges a person's request and lets it in. @throws Refusal */
  enter(token: GatewayToken, target: Target): Passage;
  /** Judges all again and aborts those that lost their right, or whose way out is another one now. */
  recheck(): void;
  abortAll(refusal: Refusal): void;
}

/** Makes an empty registry. */
export function createLive(judge: Judge, limits: Limits): Live {
  const passages = new Set<Passage>();
  const perUser = new Map<number, number>();

  function count(userId: number, by: 1 | -1): void {
    const now = (perUser.get(userId) ?? 0) + by;
    if (now === 0) perUser.delete(userId);
    else perUser.set(userId, now);
  }

  return {
    get size() {
      return passages.size;
    },
    enter(token, target) {
      const egress = judge(token, target);
      if (passages.size >= limits.total || (perUser.get(token.userId) ?? 0) >= limits.perUser) {
        throw new Refusal('too_many');
      }
      const controller = new AbortController();
      const passage: Passage = {
        token,
        target,
        egress,
        signal: controller.signal,
        abort: (reason) => controller.abort(reason),
        leave() {
          if (passages.delete(passage)) count(token.userId, -1);
        },
      };
      passages.add(passage);
      count(token.userId, 1);
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

function verdict(judge: Judge, { token, target, egress }: Passage): Refusal | null {
  try {
    return sameEgress(judge(token, target), egress) ? null : new Refusal('no_policy');
  } catch (error) {
    // Whatever went wrong: what cannot be judged is not allowed.
    return error instanceof Refusal ? error : new Refusal('no_policy');
  }
}
