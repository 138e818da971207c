import { emptyIndex, putCompany, removeCompany } from '@propusk/access/snapshot';
import type { CompanySnapshot } from '@propusk/contract/feed';
import type { SnapshotView } from '../snapshot.ts';

/**
 * What a worker knows: what the primary told it, which read and checked the feed. Its age is its own to count, by both
 * clocks (snapshot.ts), so that a primary that says nothing more is not believed for ever.
 */
export interface Replica extends SnapshotView {
  put(snapshot: CompanySnapshot): void;
  drop(companyId: number): void;
  /** @param at when the feed last spoke, in ms since 1970 */
  contact(at: number): void;
}

/** Makes an empty one, which is stale. */
export function createReplica(maxAgeMs: number): Replica {
  const index = emptyIndex();
  let wall = Number.NEGATIVE_INFINITY;
  let steady = Number.NEGATIVE_INFINITY;
  const ageMs = () => Math.max(Date.now() - wall, performance.now() - steady);
  return {
    index,
    ageMs,
    stale: () => ageMs() > maxAgeMs,
    // Which of two versions counts has been decided where the feed was read.
    put: (snapshot) => void putCompany(index, snapshot, true),
    drop: (companyId) => removeCompany(index, companyId),
    contact(at) {
      const age = Date.now() - at;
      // A contact in the future is not believed.
      if (age < 0) return;
      wall = at;
      steady = performance.now() - age;
    },
  };
}
