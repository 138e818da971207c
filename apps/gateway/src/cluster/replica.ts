import { emptyIndex, putCompany, removeCompany } from '@propusk/access/snapshot';
import type { CompanySnapshot } from '@propusk/contract/feed';
import type { SnapshotView } from '../snapshot.ts';

/**
 * A worker's copy of the primary's snapshots. It counts its age itself, by both clocks (snapshot.ts): the copy becomes stale when
 * the primary hangs.
 */
export interface Replica extends SnapshotView {
  put(snapshot: CompanySnapshot): void;
  drop(companyId: number): void;
  /** @param at the time of the last feed event, in ms since 1970 */
  contact(at: number): void;
}

/** Creates an empty copy, which is stale. */
export function createReplica(maxAgeMs: number): Replica {
  const index = emptyIndex();
  let wall = Number.NEGATIVE_INFINITY;
  let steady = Number.NEGATIVE_INFINITY;
  const ageMs = () => Math.max(Date.now() - wall, performance.now() - steady);
  return {
    index,
    ageMs,
    stale: () => ageMs() > maxAgeMs,
    // The primary has compared the versions.
    put: (snapshot) => void putCompany(index, snapshot, true),
    drop: (companyId) => removeCompany(index, companyId),
    contact(at) {
      const age = Date.now() - at;
      // Ignore a time in the future.
      if (age < 0) return;
      wall = at;
      steady = performance.now() - age;
    },
  };
}
