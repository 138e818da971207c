import { networkOf } from '@propusk/overload/networks';
import { AppError } from './errors.ts';
import { tooMany } from './too-many.ts';

/** The line that a caller waits in. */
export interface Lane {
  /** Whether the caller has proved to be a user: by a session or a device mark. Known lanes get every second turn. */
  readonly known: boolean;
  /** A network, or a known user. A short text. */
  readonly line: string;
}

/** The lane of callers who have proved nothing: one for each /24 (IPv4) and /56 (IPv6). */
export const strangers = (address: string): Lane => ({ known: false, line: networkOf(address) });

/** The lane of a signed-in user. */
export const signedIn = (userId: number): Lane => ({ known: true, line: `user ${userId}` });

/** Runs work when it is its lane's turn. @throws AppError too_many_requests, busy */
export type FairQueue = <T>(lane: Lane, work: () => Promise<T>) => Promise<T>;

export interface FairQueueBounds {
  /** How many pieces of work run together. */
  readonly atOnce: number;
  /** How many callers of one lane wait. */
  readonly ofLane: number;
  /** How many callers wait in all. Lanes exist only while somebody waits in them, so this bounds them too. */
  readonly ofAll: number;
}

interface Waiter {
  start(): void;
  refuse(error: AppError): void;
}
type Lines = Map<string, Waiter[]>;

/**
 * A queue that serves lanes in turn (round robin), so that a crowd in one lane delays another lane by one piece of work.
 * When it is full, a newcomer displaces the last waiter of the longest lane; where its own lane is the longest, the
 * newcomer is refused.
 */
export function createFairQueue({ atOnce, ofLane, ofAll }: FairQueueBounds): FairQueue {
  // grows: by callers that wait, with their request bodies; bound: `ofLane` waiters of one network or user and `ofAll` in
  // all, both kinds together; at the bound: 429 or 503 with Retry-After, and the longest line gives way; test:
  // apps/api/src/core/fair-queue.test.ts
  const lines: Record<'known' | 'unknown', Lines> = { known: new Map(), unknown: new Map() };
  let running = 0;
  let waiting = 0;
  let knownNext = true;

  /** Takes the next waiter, lane by lane; the lane goes to the end of the round. */
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

  /** Makes room for one more waiter of a lane. */
  function makeRoom(known: boolean, own: readonly Waiter[]): void {
    if (own.length >= ofLane) throw known ? busy() : tooMany(1_000);
    if (waiting < ofAll) return;
    const [longest] = [...lines.unknown].toSorted(([, a], [, b]) => b.length - a.length);
    // A known user displaces any stranger; a stranger displaces only a lane that is longer than the own one would be.
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
      // The slot passes on directly, so that no newcomer takes it.
      if (waiter === undefined) running--;
      else waiter.start();
    }
  };
}

const busy = () => new AppError('busy', { retryAfter: 1 });
