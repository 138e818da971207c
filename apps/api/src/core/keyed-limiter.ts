import { AppError } from './errors.ts';

/** Runs work of a key when there is room for it. */
export type KeyedLimiter = <T>(key: number, work: () => Promise<T>) => Promise<T>;

/**
 * Lets a few pieces of work of one key run at once and the next ones wait in turn: many writes of one company wait for
 * its lock anyway, and while they wait on connections of the pool everybody else is without one.
 * @param atOnce how many of one key may run together
 * @param waiting how many may wait; more are refused with AppError busy
 */
export function createKeyedLimiter(atOnce: number, waiting: number): KeyedLimiter {
  // grows: by callers, by company or by other keys of the queue; bound: as many waiting pieces of work for each key
  // as the caller of createKeyedLimiter says; at the bound: 429 or 503 with Retry-After; test:
  // apps/api/src/http/races.db.test.ts
  const lines = new Map<number, { running: number; next: (() => void)[] }>();
  return async (key, work) => {
    const line = lines.get(key) ?? { running: 0, next: [] };
    lines.set(key, line);
    if (line.running < atOnce) line.running++;
    else if (line.next.length < waiting) await new Promise<void>((resolve) => line.next.push(resolve));
    else throw new AppError('busy', { retryAfter: 1 });
    try {
      return await work();
    } finally {
      const next = line.next.shift();
      // The place goes to the next one as it is, so that nobody who comes now takes it.
      if (next !== undefined) next();
      else if (--line.running === 0) lines.delete(key);
    }
  };
}
