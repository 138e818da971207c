/** The most requests and tunnels in progress. Several processes share the limits (cluster/shared-limits.ts). */
export interface Limits {
  /** The most active requests and tunnels of one user, or of all probes together. */
  readonly perCaller: number;
  readonly perCompany: number;
  readonly total: number;
}

export const LIMITS: Limits = { perCaller: 512, perCompany: 5_000, total: 20_000 };

/** The caller and company whose slots a request takes. */
export interface SlotHolder {
  readonly caller: string;
  /** Null for a probe. */
  readonly companyId: number | null;
}

export interface ConcurrencyLimits {
  /** Takes a slot of every limit, or none. @returns whether it took them */
  acquire(holder: SlotHolder): boolean;
  release(holder: SlotHolder): void;
  /** Asks the primary for more slots. @returns whether it lent some; null when it has none to lend */
  request(holder: SlotHolder): Promise<boolean> | null;
}

/** The limits that count a request of this holder: the name of each counter, and its maximum. */
export function counted(
  { caller, companyId }: SlotHolder,
  limits: Limits,
): readonly (readonly [string, number])[] {
  const kinds: [string, number][] = [
    ['all', limits.total],
    [caller, limits.perCaller],
  ];
  if (companyId !== null) kinds.push([`company ${companyId}`, limits.perCompany]);
  return kinds;
}

/** The limits of a single process. */
export function localLimits(limits: Limits): ConcurrencyLimits {
  // grows: by users and companies with live requests; bound: about 100 bytes for each of them; at the bound: entries at 0
  // are removed
  const taken = new Map<string, number>();

  return {
    acquire(holder) {
      const kinds = counted(holder, limits);
      if (kinds.some(([name, most]) => (taken.get(name) ?? 0) >= most)) return false;
      for (const [name] of kinds) add(taken, name, 1);
      return true;
    },
    release(holder) {
      for (const [name] of counted(holder, limits)) add(taken, name, -1);
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
