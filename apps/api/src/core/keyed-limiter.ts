import { AppError } from './errors.ts';

/** Runs work as soon as a slot for the key is free. @throws AppError busy when too many tasks of the key are queued */
export type KeyedLimiter = <T>(key: number, work: () => Promise<T>) => Promise<T>;

/**
 * Creates a limiter that runs a few tasks of each key at once and queues the next ones. Concurrent writes of one company wait for
 * the lock of the company. Without the limiter, the waiting writes would occupy pooled connections that other companies need.
 * @param atOnce the maximum number of concurrent tasks of a key
 * @param waiting the maximum number of queued tasks of a key; further tasks throw AppError busy
 */
export function createKeyedLimiter(atOnce: number, waiting: number): KeyedLimiter {
  // Grows with running and queued tasks. Bound: `atOnce` running and `waiting` queued tasks for each key. At the bound: 503 with
  // Retry-After
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
      // The slot passes directly to the next queued task, so that no later caller takes the slot.
      if (next !== undefined) next();
      else if (--line.running === 0) lines.delete(key);
    }
  };
}
