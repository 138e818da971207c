import { DialError } from './dial-error.ts';

/** The owner of a look-up: a company's id, or another name for a caller without a company. */
export type Tenant = number | string;

export interface SlotHolder {
  readonly tenant: Tenant;
  /** Ends its work at once: another tenant takes its slot, which is already free. */
  cancel(why: 'names_busy'): void;
}

export interface FairSlots {
  /**
   * Gives the holder a slot, perhaps that of another holder, which is cancelled.
   * @throws DialError names_busy
   */
  take(holder: SlotHolder): void;
  /** Frees a slot. Idempotent. */
  free(holder: SlotHolder): void;
}

/** The most slots of one tenant, and of all. */
const OF_TENANT = 16;
const IN_ALL = 512;

/**
 * Creates the slots for names that DNS has not answered yet: 16 for a tenant, 512 in all.
 *
 * Tenants whose name servers are silent can fill all slots: 50 of them want 800. A fixed share would waste slots while few tenants
 * look names up, and a full table would starve the tenants that come late. So the longest queue loses (longest queue drop, used
 * for shared packet buffers): at the limit a new look-up evicts the oldest one of the tenant that holds most slots, unless the
 * tenant that asks would then hold more than it. So each of n tenants can always hold 512 / n slots.
 */
export function createFairSlots(): FairSlots {
  // Grows with names of users that DNS has not answered. Bound: 16 for each company, 512 in all. At the bound: 503 names_busy,
  // and the company that holds most loses its oldest
  const held = new Map<Tenant, Set<SlotHolder>>();
  let taken = 0;

  function free(holder: SlotHolder): void {
    const own = held.get(holder.tenant);
    if (own?.delete(holder) !== true) return;
    taken--;
    if (own.size === 0) held.delete(holder.tenant);
  }

  /** Evicts the oldest holder of the tenant that holds most. @throws DialError names_busy when that is not above `least` */
  function evictAbove(least: number): void {
    let longest: ReadonlySet<SlotHolder> = new Set();
    for (const each of held.values()) if (each.size > longest.size) longest = each;
    const [oldest] = longest;
    if (oldest === undefined || longest.size <= least) throw new DialError('names_busy');
    free(oldest);
    oldest.cancel('names_busy');
  }

  return {
    take(holder) {
      const own = held.get(holder.tenant)?.size ?? 0;
      if (own >= OF_TENANT) throw new DialError('names_busy');
      if (taken >= IN_ALL) evictAbove(own + 1);
      const set = held.get(holder.tenant) ?? new Set();
      held.set(holder.tenant, set.add(holder));
      taken++;
    },
    free,
  };
}
