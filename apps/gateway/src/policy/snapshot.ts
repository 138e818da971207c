import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AccessIndex, emptyIndex, putCompany, removeCompany } from '@propusk/access/snapshot';
import type { CompanySnapshot } from '@propusk/contract/feed';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { DatabaseClock } from './database-clock.ts';
import { createAge, type SnapshotAge } from './snapshot-age.ts';
import { ID_PAGE, SnapshotFault, SnapshotStore, type SnapshotText } from './snapshot-store.ts';

/**
 * The policy snapshots of all companies, in memory and encrypted on disk: the gateway serves while the api is unavailable, across
 * its own restarts too.
 * After a restart, only the wall clock tells their age (snapshot-age.ts).
 */

export interface SnapshotView extends SnapshotAge {
  readonly index: AccessIndex;
  /** The time of the database in ms since 1970; NaN when it is not known. */
  readonly now: () => number;
}

export interface Snapshots extends SnapshotView {
  /** All snapshots as JSON, and the time of the last feed event in ms since 1970. */
  present(): { companies: Iterable<string>; contact: number };
  /**
   * Applies a snapshot and its text in memory if `anyVersion` is set or its version is higher than the known one.
   * @returns whether it changed anything
   */
  put(snapshot: CompanySnapshot, text: string, anyVersion: boolean): boolean;
  /** Removes a company in memory. @returns whether it existed */
  drop(companyId: number): boolean;
  /** Records the time of a feed event, once all earlier events are applied. */
  contact(): void;
  /** Notes the time of the database, which a feed event carries. @param at in ms since 1970 */
  setClock(at: number): void;
  /**
   * Writes what changed to disk. Call it in the turn of the event loop that enforced the changes, after that: a revocation
   * does not wait for the disk, and a process that is killed later starts without the revoked right.
   */
  save(): void;
  /**
   * Takes over the file that another process has closed, unless it is this process's already. The changes since the first `ready` are
   * written at once, all other companies in parts between turns of the event loop. Resolves after the last part.
   */
  own(): Promise<void>;
  /** Saves the changes, and closes the file: later ones are in memory alone. */
  close(): void;
}

/** The time for writing companies in one turn of the event loop, in milliseconds. The last company may exceed it. */
const PART_MS = 5;

/**
 * Loads the snapshots of the last run, unless another process still writes their file.
 * @param isOwner whether the file is free; otherwise it stays untouched until `own()`. A file that cannot be trusted is logged
 * and renamed, and every request is denied.
 * @throws Error with a `code` when the file cannot be read
 */
export function openSnapshots(
  options: Pick<Config, 'dataDir' | 'snapshotMaxAgeMs'>,
  key: Buffer,
  log: Log,
  isOwner = true,
): Snapshots {
  const store = new SnapshotStore(join(options.dataDir, 'gateway-snapshot.db'), key);
  const age = createAge(options.snapshotMaxAgeMs);
  const clock = new DatabaseClock();
  // Feed events without changes are written rarely. A file that overestimates its age denies earlier, which is safe.
  const rewriteMs = Math.min(60_000, options.snapshotMaxAgeMs / 10);
  /** The changes that are not on disk; null for a removed company. */
  // Grows with changes of policies. Bound: one snapshot for each company. At the bound: a change replaces the company's entry
  const unsaved = new Map<number, SnapshotText | null>();
  /**
   * The companies that were received before the first `ready`; null for a stored company that was not among them. `own()` writes
   * them in parts.
   */
  // Grows with companies. Bound: one snapshot for each company. At the bound: a change replaces the company's entry
  const rest = new Map<number, SnapshotText | null>();
  const { index, contact } = isOwner ? load(store, log) : { index: emptyIndex(), contact: null };
  if (contact !== null) age.touch(contact);
  let savedContact = Number.NEGATIVE_INFINITY;
  let failed = false;
  let owned = isOwner;
  // False while `own()` reads which companies are stored.
  let writable = isOwner;

  function changed(companyId: number, snapshot: SnapshotText | null): void {
    rest.delete(companyId);
    (writable || Number.isFinite(age.contact()) ? unsaved : rest).set(companyId, snapshot);
  }

  /**
   * Yields all unsaved changes, and then companies of `rest` until the given `performance.now()`. Each company of `rest` moves to
   * `unsaved`, so that it is written again after a failure.
   */
  function* due(until: number): Generator<readonly [number, SnapshotText | null]> {
    yield* unsaved;
    for (const [id, company] of rest) {
      if (performance.now() >= until) return;
      changed(id, company);
      yield [id, company];
    }
  }

  function save(until = 0): void {
    if (!writable) return;
    const wall = age.contact();
    if (unsaved.size === 0 && until === 0 && !(wall - savedContact >= rewriteMs)) return;
    try {
      store.write(due(until), Number.isFinite(wall) ? wall : 0);
      unsaved.clear();
      savedContact = wall;
      failed = false;
    } catch (error) {
      // Log once: a failing disk fails for every change. The next event tries again.
      if (!failed)
        log.error({ err: error }, 'Cannot save the snapshot; a restart without the api will deny everything');
      failed = true;
      for (const [id, company] of rest) changed(id, company);
      savedContact = Number.NEGATIVE_INFINITY;
    }
  }

  function* companies(): Generator<string> {
    for (const changes of [unsaved, rest])
      for (const company of changes.values()) if (company !== null) yield company.text;
    for (const [id, company] of store.companies()) if (!unsaved.has(id) && !rest.has(id)) yield company;
  }

  return {
    index,
    ageMs: age.ageMs,
    stale: age.stale,
    now: () => clock.now(),
    setClock: (at) => clock.set(at),
    present: () => ({ companies: companies(), contact: age.contact() }),
    put(snapshot, text, anyVersion) {
      const { companyId, version } = snapshot;
      // A reconnect repeats every company: most are known.
      const known = anyVersion && index.companies.get(companyId)?.version === version;
      if (known && !unsaved.has(companyId) && store.has(companyId, text)) return false;
      if (!putCompany(index, snapshot, anyVersion)) return false;
      changed(companyId, { version, text });
      return true;
    },
    drop(companyId) {
      if (!index.companies.has(companyId)) return false;
      removeCompany(index, companyId);
      changed(companyId, null);
      return true;
    },
    contact: () => age.touch(),
    save: () => save(),
    async own() {
      if (owned) return;
      owned = true;
      for (const ids of store.takeOver()) {
        for (const id of ids) if (!index.companies.has(id)) rest.set(id, null);
        if (ids.length === ID_PAGE) await nextTurn();
        if (!owned) return;
      }
      writable = true;
      savedContact = Number.NEGATIVE_INFINITY;
      save();
      for (; rest.size > 0; await nextTurn()) save(performance.now() + PART_MS);
      store.finish();
      savedContact = Number.NEGATIVE_INFINITY;
      save();
    },
    close() {
      if (!owned) return;
      owned = false;
      writable = true;
      savedContact = Number.NEGATIVE_INFINITY;
      save();
      writable = false;
      rest.clear();
      store.close();
    },
  };
}

function load(store: SnapshotStore, log: Log): { index: AccessIndex; contact: number | null } {
  const index = emptyIndex();
  try {
    const contact = store.load((company) => putCompany(index, company, true));
    const ageSeconds = contact === null ? null : Math.round((Date.now() - contact) / 1000);
    if (contact !== null)
      log.info({ companies: index.companies.size, ageSeconds }, 'Loaded the last snapshot');
    return { index, contact };
  } catch (error) {
    if (!(error instanceof SnapshotFault)) throw error;
    const details = { fault: error.message, aside: store.setAside() };
    log.error(details, 'Ignored the snapshot file, denying everything');
    return { index: emptyIndex(), contact: null };
  }
}
