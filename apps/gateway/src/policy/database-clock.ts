/**
 * The number of estimates that are kept. One comes with each heartbeat, every 15 s, so a change of the database's clock takes
 * effect within a minute.
 */
const KEPT = 4;

/**
 * The time of the database, by which time rules are judged. Feed events carry it, and the monotonic clock of this process
 * advances it: a step of this machine's wall clock changes nothing. A delayed event makes the time seem too early. Therefore the
 * largest of the recent estimates is used.
 */
export class DatabaseClock {
  /** The time of the database minus that of the monotonic clock, in ms. */
  // Grows with feed events. Bound: the last four. At the bound: the oldest is dropped
  #ahead: readonly number[] = [];

  /** Notes the time of a feed event. @param at in ms since 1970 */
  set(at: number): void {
    this.#ahead = [...this.#ahead, at - performance.now()].slice(-KEPT);
  }

  /** @returns ms since 1970; NaN before the first event, and after a start from the stored snapshot alone */
  now(): number {
    return this.#ahead.length === 0 ? Number.NaN : Math.max(...this.#ahead) + performance.now();
  }
}
