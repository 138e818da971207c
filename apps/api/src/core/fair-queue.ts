import { networkOf } from '@propusk/overload/networks';
import { AppError, tooMany } from './errors.ts';

/** Identifies a lane: the queue in which the requests of one caller wait. */
export interface Lane {
  /** Whether the caller is a known user: signed in now, or earlier on the same device. Known and unknown users take turns. */
  readonly known: boolean;
  /** The key of the caller: a network, a known user, or the api process. */
  readonly line: string;
}

/** Returns the lane of an unauthenticated caller. All callers from one /24 (IPv4) or /56 (IPv6) network share a lane. */
export const strangers = (address: string): Lane => ({ known: false, line: networkOf(address) });

/** Returns the lane (the queue) of a signed-in user. */
export const signedIn = (userId: number): Lane => ({ known: true, line: `user ${userId}` });

/**
 * Waits for a free slot, then runs the work. The lanes get free slots in turn.
 * @throws AppError too_many_requests when the lane of an unknown user is full; busy when the lane of a known user or the whole
 *   queue is full
 */
export type FairQueue = <T>(lane: Lane, work: () => Promise<T>) => Promise<T>;

export interface FairQueueBounds {
  /** The maximum number of concurrent tasks. */
  readonly atOnce: number;
  /** The maximum number of waiters in the lane (the queue) of one caller. */
  readonly ofLane: number;
  /** The maximum number of waiters in all lanes. This limits the number of lanes too, because an empty lane is deleted. */
  readonly ofAll: number;
}

interface Waiter {
  start(): void;
  refuse(error: AppError): void;
}
type Lines = Map<string, Waiter[]>;

/**
 * Creates a queue with a lane for each caller. Lanes are served round robin, so that a caller with many waiters gets only one
 * slot in each round. When the queue is full, `makeRoom` decides which waiter is refused.
 */
export function createFairQueue({ atOnce, ofLane, ofAll }: FairQueueBounds): FairQueue {
  // Grows with waiting callers and their request bodies. Bound: `ofLane` waiters in one lane and `ofAll` waiters in total. At
  // the bound: `makeRoom` refuses a waiter with 429 or 503 and Retry-After
  const lines: Record<'known' | 'unknown', Lines> = { known: new Map(), unknown: new Map() };
  let running = 0;
  let waiting = 0;
  let knownNext = true;

  /** Removes and returns the next waiter. The lane of this waiter moves to the end of the round-robin order. */
  function next(): Waiter | undefined {
    const round = [lines.known, lines.unknown];
    if (!knownNext) round.reverse();
    knownNext = !knownNext;
    for (const lane of round) {
      const [first] = lane;
      if (first === undefined) continue;
      const [line, waiters] = first;
      const waiter = waiters.shift();
      lane.delete(line);
      if (waiters.length > 0) lane.set(line, waiters);
      waiting--;
      return waiter;
    }
    return undefined;
  }

  /** Makes room for a new waiter of a caller. @param own the caller's other waiters @throws AppError too_many_requests, busy */
  function makeRoom(known: boolean, own: readonly Waiter[]): void {
    if (own.length >= ofLane) throw known ? busy() : tooMany(1_000);
    if (waiting < ofAll) return;
    const [longest] = [...lines.unknown].toSorted(([, a], [, b]) => b.length - a.length);
    // The queue is full, so the new waiter replaces the last waiter in the longest lane of unknown users. Exception: an unknown
    // user is refused if the lane of this user would become as long as the longest lane.
    if (longest === undefined || (!known && longest[1].length <= own.length + 1)) throw busy();
    longest[1].pop()?.refuse(busy());
    if (longest[1].length === 0) lines.unknown.delete(longest[0]);
    waiting--;
  }

  return async ({ known, line }, work) => {
    if (running < atOnce) running++;
    else {
      const lane = known ? lines.known : lines.unknown;
      makeRoom(known, lane.get(line) ?? []);
      const waiters = lane.get(line) ?? [];
      lane.set(line, waiters);
      waiting++;
      await new Promise<void>((start, refuse) => waiters.push({ start, refuse }));
    }
    try {
      return await work();
    } finally {
      const waiter = next();
      // The slot passes directly to the next waiter, so that no new caller takes it.
      if (waiter === undefined) running--;
      else waiter.start();
    }
  };
}

const busy = () => new AppError('busy', { retryAfter: 1 });
