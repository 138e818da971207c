/**
 * How many passages there may be at once, and who counts them. One process counts by itself; several share the same
 * places (cluster/shared-limits.ts).
 */

/** The most passages at once. */
export interface Limits {
  /** Of one person; of all probes together as well. */
  readonly perCaller: number;
  readonly perCompany: number;
  readonly total: number;
}

export const LIMITS: Limits = { perCaller: 512, perCompany: 5_000, total: 20_000 };

/** Whose places a passage takes. */
export interface SlotHolder {
  readonly caller: string;
  /** Null for a probe, which is nobody's. */
  readonly companyId: number | null;
}

export interface ConcurrencyLimits {
  /** Takes a place of each kind, or none. @returns whether there were */
  acquire(holder: SlotHolder): boolean;
  release(holder: SlotHolder): void;
  /** Where others count too: asks for more, and says later whether some came. Null: there are no more. */
  request(holder: SlotHolder): Promise<boolean> | null;
}

/** The name under which each of a holder's places is counted, with the most there may be of it. */
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

/** Places of one process alone. */
export function localLimits(limits: Limits): ConcurrencyLimits {
  // grows: by users and companies with live requests; bound: about 100 bytes for each of them; at the bound: entries
  // at 0 are removed; test: apps/gateway/src/active-requests.test.ts
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

/** Counts up or down; what is back at nothing is forgotten. */
export function add<K>(counts: Map<K, number>, key: K, by: number): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now === 0) counts.delete(key);
  else counts.set(key, now);
}
