/** The part of the age that the handling of requests uses. */
export type SnapshotAge = Pick<ReturnType<typeof createAge>, 'ageMs' | 'stale'>;

/**
 * Creates the age of a snapshot, which counts from the last feed event. It is the larger of two clocks: the monotonic clock stops while
 * a machine sleeps, the wall clock can be set back.
 */
export function createAge(maxAgeMs: number) {
  let wall = Number.NEGATIVE_INFINITY;
  let steady = Number.NEGATIVE_INFINITY;
  /** Milliseconds since the last feed event; infinite before the first `ready`. */
  const ageMs = () => Math.max(Date.now() - wall, performance.now() - steady);
  return {
    ageMs,
    /** Whether every request is denied: before the first `ready`, and after too long a silence of the feed. */
    stale: () => ageMs() > maxAgeMs,
    /** The time of the last feed event, in ms since 1970. */
    contact: () => wall,
    /** Notes a feed event. A time in the future does not count. @param at in ms since 1970 */
    touch(at = Date.now()): void {
      const age = Date.now() - at;
      if (age < 0) return;
      wall = at;
      steady = performance.now() - age;
    },
  };
}
