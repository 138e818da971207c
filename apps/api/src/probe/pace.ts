import { setTimeout as pause } from 'node:timers/promises';

/** Limits the rate of direct requests of all probes of this process, so that probes do not overload sites. */
export interface Pace {
  /** Waits until a request to an address may be sent. @throws `signal.reason` after an abort */
  turn(address: string, signal: AbortSignal): Promise<void>;
  /** Halves the rate of requests to an address that answered 429 or 503. */
  slow(address: string): void;
  /**
   * Counts a request to a host.
   * @returns false if the host has reached its limit; the caller then must not send the request
   */
  count(host: string): boolean;
}

/** Limits of requests to one address: a burst, then a rate per second. */
const BURST = 20;
const PER_SECOND = 5;
/** At most this many requests to one host in ten minutes, for all companies together. */
const PER_HOST = 1_000;
const WINDOW_MS = 600_000;

export function createPace(): Pace {
  // Grows with site addresses. Bound: 1,000 addresses without waiting requests. At the bound: their entries are removed
  const lines = new Map<string, { next: number; interval: number }>();
  // Grows with the hosts of probed sites. Bound: hosts of the last ten minutes. At the bound: older hosts are removed
  const hosts = new Map<string, { requests: number; until: number }>();
  const interval = 1_000 / PER_SECOND;
  return {
    async turn(address, signal) {
      const now = performance.now();
      for (const [key, line] of lines.size > 1_000 ? lines : []) if (line.next < now) lines.delete(key);
      const line = lines.get(address) ?? { next: 0, interval };
      lines.set(address, line);
      if (line.next < now - 60_000) line.interval = interval;
      // The time at which the next request may be sent. If this time is past, several requests may be sent at once.
      line.next = Math.max(line.next, now - BURST * line.interval) + line.interval;
      const wait = line.next - now;
      if (wait <= 0) return;
      await pause(wait, null, { signal }).catch(() => {
        // The aborted request is not sent, so its time slot becomes free again.
        line.next -= line.interval;
        signal.throwIfAborted();
      });
    },
    slow(address) {
      const line = lines.get(address);
      if (line !== undefined) line.interval = 2 * interval;
    },
    count(host) {
      const now = performance.now();
      for (const [key, { until }] of hosts) if (until < now) hosts.delete(key);
      const window = hosts.get(host) ?? { requests: 0, until: now + WINDOW_MS };
      hosts.set(host, window);
      window.requests += 1;
      return window.requests <= PER_HOST;
    },
  };
}

/** A `Pace` that neither delays nor counts requests, for tests and measurements. */
export const unpaced: Pace = { turn: async () => {}, slow: () => {}, count: () => true };
