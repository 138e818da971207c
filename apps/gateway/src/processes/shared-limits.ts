import {
  add,
  type ConcurrencyLimits,
  type Limits,
  type Slots,
  slotsUnder,
} from '../policy/concurrency-limits.ts';
import type { FromWorker } from './messages.ts';

/**
 * Concurrency limits that several processes share. A limit is never exceeded:
 *
 *   limit = slots that the workers own (an eighth of the limit, divided among them) + a pool from which the primary lends
 *
 * Most users need only owned slots, and their tunnels cost no message to the primary. A worker returns borrowed slots that it no
 * longer needs; the primary takes back those of a dead worker. A user whose connections all reach one worker gets at least seven
 * eighths of the limit.
 */

const OWN_SHARE = 8;
/** The most slots of one loan. */
const BLOCK = 32;

const ownOf = (most: number, workers: number) => Math.floor(most / (OWN_SHARE * workers));
const blockOf = (most: number, workers: number) => Math.max(1, Math.min(BLOCK, ownOf(most, workers)));

/** The slots that the primary lends to workers. */
export interface SlotPool {
  /** @returns how many of the requested slots are lent, perhaps none */
  lend(worker: number, name: string, most: number, slots: number): number;
  giveBack(worker: number, name: string, slots: number): void;
  /** Takes back all slots of a dead worker. */
  forget(worker: number): void;
}

/** Creates the slots of active requests that the gateway's worker processes share. */
export function createSlotPool(workers: number): SlotPool {
  // Grows with users and companies with live requests. Bound: the total limit, with about 100 bytes for each counter. At the
  // bound: a worker gets no slot, and answers 503 too_many
  const lent = new Map<string, number>();
  // Grows with workers. Bound: 64 workers, with about 100 bytes for each user and company with live requests. At the bound: a
  // worker gets no slot
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

/** The limits in one worker, which borrows slots from the primary. */
export interface SharedLimits extends ConcurrencyLimits {
  /** Handles the primary's answer. */
  granted(name: string, slots: number): void;
}

/** Creates the limits of one worker. @param send to the primary */
export function createSharedLimits(
  limits: Limits,
  workers: number,
  send: (message: Extract<FromWorker, { type: 'request' | 'giveBack' }>) => void,
): SharedLimits {
  // Grows with users and companies with live requests. Bound: the total limit, with about 100 bytes for each counter. At the
  // bound: 503 too_many
  const [taken, borrowed] = [new Map<string, number>(), new Map<string, number>()];
  /** Requests that wait for the primary's answer, by limit: one message at a time for each. */
  // Grows with users and companies that need more slots than the worker owns. Bound: the requests that wait for one answer of
  // the primary. At the bound: the primary answers each with a slot or with 503
  const waiting = new Map<string, ((lent: boolean) => void)[]>();

  const isShort = ([name, most]: Slots[number]) =>
    (taken.get(name) ?? 0) >= ownOf(most, workers) + (borrowed.get(name) ?? 0);

  return {
    of: slotsUnder(limits),
    acquire(slots) {
      const full = slots.find(isShort)?.[0];
      if (full === undefined) for (const [name] of slots) add(taken, name, 1);
      return full;
    },
    release(held) {
      for (const [name, most] of held) {
        add(taken, name, -1);
        const [has, block] = [borrowed.get(name) ?? 0, blockOf(most, workers)];
        const free = ownOf(most, workers) + has - (taken.get(name) ?? 0);
        // Keep two blocks of free slots (`blockOf`). Otherwise every reconnect would borrow again.
        const none = (taken.get(name) ?? 0) === 0;
        const slots = none ? has : Math.min(has, free > 2 * block ? block : 0);
        if (slots === 0) continue;
        add(borrowed, name, -slots);
        send({ type: 'giveBack', name, slots });
      }
    },
    request(slots) {
      const short = slots.find(isShort);
      if (short === undefined) return Promise.resolve(true);
      const [name, most] = short;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const queue = waiting.get(name);
      if (queue !== undefined) queue.push(resolve);
      else {
        waiting.set(name, [resolve]);
        send({ type: 'request', name, most, slots: blockOf(most, workers) });
      }
      return promise;
    },
    granted(name, slots) {
      if (slots > 0) add(borrowed, name, slots);
      const queue = waiting.get(name) ?? [];
      waiting.delete(name);
      for (const resolve of queue) resolve(slots > 0);
    },
  };
}
