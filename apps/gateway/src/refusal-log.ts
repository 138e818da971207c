import { subscriberOf } from '@propusk/overload/networks';
import type { Log } from './log.ts';

/** Lines that one user or subscriber gets in a minute. */
const LINES = 60;
const MINUTE_MS = 60_000;
/** Users and subscribers that are counted apart; the refusals of further ones share the lines of `OTHERS`. */
const COUNTED = 1_000;
const OTHERS = 'others';

/** Logs refused requests: 60 lines a minute of each user or subscriber, then one line with the number of further ones. */
export class RefusalLog {
  readonly #log: Log;
  // grows: by users and strangers who are refused; bound: 1,001 entries, emptied each minute; at the bound: further ones share
  // one entry
  readonly #counts = new Map<string, number>();

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * @param user the authenticated user; undefined for a stranger, who counts by the address
   * @param target at most 260 characters
   */
  add(reason: string, user: string | undefined, target: string, address: string): void {
    const own = user ?? subscriberOf(address);
    const key = this.#counts.has(own) || this.#counts.size < COUNTED ? own : OTHERS;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    if (count <= LINES) this.#log.info({ reason, user, target }, 'Refused');
  }

  /** Starts the minutes. @returns a function that stops them, and logs the numbers of the last one */
  start(): () => void {
    const timer = setInterval(() => this.#summarize(), MINUTE_MS);
    return () => {
      clearInterval(timer);
      this.#summarize();
    };
  }

  #summarize(): void {
    for (const [of, count] of this.#counts) {
      if (count > LINES) this.#log.info({ of, unlogged: count - LINES }, 'Further refusals');
    }
    this.#counts.clear();
  }
}
