/** The most requests and tunnels in progress. Several processes share the limits (processes/shared-limits.ts). */
export interface Limits {
  /** The most active requests and tunnels of one user, or of all probes together. */
  readonly perCaller: number;
  readonly perCompany: number;
  readonly total: number;
}

export const LIMITS: Limits = { perCaller: 512, perCompany: 5_000, total: 20_000 };

/** The limits that count one request: the name of each counter, and its maximum. */
export type Slots = readonly (readonly [name: string, most: number])[];

export interface ConcurrencyLimits {
  /** The slots of a caller's request. @param companyId null for a probe */
  of(caller: string, companyId: number | null): Slots;
  /** Takes a slot under every limit, or no slot. @returns the name of a limit without a free slot; undefined on success */
  acquire(slots: Slots): string | undefined;
  release(slots: Slots): void;
  /**
   * Asks the primary for more slots.
   * @returns a promise that tells whether the primary gave some; null in a single process, which has no primary
   */
  request(slots: Slots): Promise<boolean> | null;
}

/** Names the counters of a request under these limits. */
export function slotsUnder(limits: Limits): ConcurrencyLimits['of'] {
  return (caller, companyId) => {
    const all = ['all', limits.total] as const;
    const own = [caller, limits.perCaller] as const;
    return companyId === null ? [own, all] : [own, all, [`company ${companyId}`, limits.perCompany]];
  };
}

/** The limits of a single process. */
export function localLimits(limits: Limits): ConcurrencyLimits {
  // Grows with users and companies with live requests. Bound: the total limit, with about 100 bytes for each counter. At the
  // bound: 503 too_many
  const taken = new Map<string, number>();
  const isFull = ([name, most]: Slots[number]) => (taken.get(name) ?? 0) >= most;
  return {
    of: slotsUnder(limits),
    acquire(slots) {
      const full = slots.find(isFull)?.[0];
      if (full === undefined) for (const [name] of slots) add(taken, name, 1);
      return full;
    },
    release(slots) {
      for (const [name] of slots) add(taken, name, -1);
    },
    request: () => null,
  };
}

/** Adds to a counter, and removes it at zero. */
export function add<K>(counts: Map<K, number>, key: K, by: number): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now === 0) counts.delete(key);
  else counts.set(key, now);
}
