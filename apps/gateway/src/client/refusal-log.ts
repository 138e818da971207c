import { subscriberOf } from '@propusk/overload/networks';
import type { Log } from '../log.ts';

/** The maximum number of lines a minute for one user, or for one client network (an IPv4 address or an IPv6 /64). */
const LINES = 60;
const MINUTE_MS = 60_000;
/** The maximum number of lines a minute for requests without valid credentials, over all client networks together. */
const OF_STRANGERS = 600;
/** The most users and networks that are counted one by one. All others are counted together as `OTHERS`. */
const COUNTED = 1_000;
const OTHERS = 'others';

/**
 * Logs refused requests: 60 lines a minute of each user or client network, then one line with the number of further refusals.
 * All networks together have 600 lines, apart from those of users.
 */
export class RefusalLog {
  readonly #log: Log;
  // Grows with users who are refused. Bound: 1,001 entries, emptied each minute. At the bound: further ones share one entry
  readonly #users = new Map<string, number>();
  // Grows with subscribers who are refused. Bound: 1,001 entries, emptied each minute. At the bound: further ones share one entry
  readonly #strangers = new Map<string, number>();
  #linesOfStrangers = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * @param user the authenticated user; undefined without valid credentials: then the client's network is counted
   * @param target at most 260 characters
   */
  add(reason: string, user: string | undefined, target: string, address: string): void {
    const counts = user === undefined ? this.#strangers : this.#users;
    const own = user ?? subscriberOf(address);
    const key = counts.has(own) || counts.size < COUNTED ? own : OTHERS;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count > LINES) return;
    if (user === undefined && ++this.#linesOfStrangers > OF_STRANGERS) return;
    this.#log.info({ reason, user, target }, 'Refused');
  }

  /** Logs the numbers of unlogged refusals each minute. @returns a function that logs them once more and stops */
  start(): () => void {
    const timer = setInterval(() => this.#summarize(), MINUTE_MS);
    return () => {
      clearInterval(timer);
      this.#summarize();
    };
  }

  #summarize(): void {
    for (const counts of [this.#users, this.#strangers]) {
      let lines = 0;
      for (const [of, count] of counts) {
        if (count > LINES && ++lines <= LINES)
          this.#log.info({ of, unlogged: count - LINES }, 'Further refusals');
      }
      counts.clear();
    }
    if (this.#linesOfStrangers > OF_STRANGERS)
      this.#log.info({ unlogged: this.#linesOfStrangers - OF_STRANGERS }, 'Further refusals of strangers');
    this.#linesOfStrangers = 0;
  }
}
