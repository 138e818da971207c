import { add, type ConcurrencyLimits, counted, type Limits } from '../concurrency-limits.ts';

/**
 * Places that several processes share. A limit is never passed, whatever the processes do:
 *
 *   limit = what each worker has of its own (an eighth of the limit between all) + a pool, out of which the primary lends
 *
 * Most people never leave the first part, so that nobody is asked for a tunnel of theirs. What a worker borrowed and no
 * longer needs goes back; what a dead one had comes back by itself. Of a limit so little may lie unused at other workers
 * that a person whose connections all meet one of them has seven eighths of it.
 */

const OWN_SHARE = 8;
/** The most that is borrowed at once. */
const BLOCK = 32;

const ownOf = (most: number, workers: number) => Math.floor(most / (OWN_SHARE * workers));
const blockOf = (most: number, workers: number) => Math.max(1, Math.min(BLOCK, ownOf(most, workers)));

/** The primary's side. */
export interface SlotPool {
  /** @returns how many of the places asked for are lent, perhaps none */
  lend(worker: number, name: string, most: number, slots: number): number;
  giveBack(worker: number, name: string, slots: number): void;
  /** All that a worker had is free: it is dead. */
  forget(worker: number): void;
}

/** Makes the pool of a gateway with so many workers. */
export function createSlotPool(workers: number): SlotPool {
  // grows: by users and companies with live requests; bound: about 100 bytes for each of them; at the bound: entries
  // at 0 are removed; test: none
  const lent = new Map<string, number>();
  // grows: by workers; bound: 64 workers with about 100 bytes for each user and company that has live requests; at
  // the bound: entries at 0 are removed; test: none
  const loans = new Map<number, Map<string, number>>();
  const move = (worker: number, name: string, slots: number) => {
    const own = loans.get(worker) ?? new Map<string, number>();
    loans.set(worker, own);
    add(own, name, slots);
    add(lent, name, slots);
  };
  return {
    lend(worker, name, most, slots) {
      const free = most - ownOf(most, workers) * workers - (lent.get(name) ?? 0);
      const granted = Math.max(0, Math.min(slots, free));
      if (granted > 0) move(worker, name, granted);
      return granted;
    },
    giveBack(worker, name, slots) {
      move(worker, name, -slots);
    },
    forget(worker) {
      for (const [name, slots] of loans.get(worker) ?? []) add(lent, name, -slots);
      loans.delete(worker);
    },
  };
}

/** The worker's side. */
export interface SharedLimits extends ConcurrencyLimits {
  /** The primary's answer. */
  granted(name: string, slots: number): void;
}

export interface SharedLimitsOptions {
  readonly limits: Limits;
  readonly workers: number;
  readonly request: (name: string, most: number, slots: number) => void;
  readonly giveBack: (name: string, slots: number) => void;
}

/** Makes the places of one worker. */
export function createSharedLimits({
  limits,
  workers,
  request,
  giveBack,
}: SharedLimitsOptions): SharedLimits {
  // grows: by users and companies with live requests; bound: about 100 bytes for each of them; at the bound: entries
  // at 0 are removed; test: none
  const taken = new Map<string, number>();
  // grows: by users and companies with live requests; bound: about 100 bytes for each of them; at the bound: entries
  // at 0 are removed; test: none
  const borrowed = new Map<string, number>();
  /** Who waits for the primary's answer, by what was asked for: one question at a time for each. */
  // grows: by users and companies over their own share; bound: the requests that wait for one answer of the primary;
  // at the bound: the primary answers each with a place or with 429; test: none
  const waiting = new Map<string, ((came: boolean) => void)[]>();

  const missing = (name: string, most: number) =>
    (taken.get(name) ?? 0) >= ownOf(most, workers) + (borrowed.get(name) ?? 0);

  return {
    acquire(holder) {
      const kinds = counted(holder, limits);
      if (kinds.some(([name, most]) => missing(name, most))) return false;
      for (const [name] of kinds) add(taken, name, 1);
      return true;
    },
    release(holder) {
      for (const [name, most] of counted(holder, limits)) {
        add(taken, name, -1);
        const [has, block] = [borrowed.get(name) ?? 0, blockOf(most, workers)];
        const free = ownOf(most, workers) + has - (taken.get(name) ?? 0);
        // Not at once: one that comes and goes would be asked for again and again.
        const none = (taken.get(name) ?? 0) === 0;
        const slots = none ? has : Math.min(has, free > 2 * block ? block : 0);
        if (slots === 0) continue;
        add(borrowed, name, -slots);
        giveBack(name, slots);
      }
    },
    request(holder) {
      const short = counted(holder, limits).find(([name, most]) => missing(name, most));
      if (short === undefined) return Promise.resolve(true);
      const [name, most] = short;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const line = waiting.get(name);
      if (line !== undefined) line.push(resolve);
      else {
        waiting.set(name, [resolve]);
        request(name, most, blockOf(most, workers));
      }
      return promise;
    },
    granted(name, slots) {
      if (slots > 0) add(borrowed, name, slots);
      const line = waiting.get(name) ?? [];
      waiting.delete(name);
      for (const resolve of line) resolve(slots > 0);
    },
  };
}
