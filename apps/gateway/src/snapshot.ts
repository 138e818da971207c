import { join } from 'node:path';
import { type AccessIndex, emptyIndex, putCompany, removeCompany } from '@propusk/access/snapshot';
import { CompanySnapshot } from '@propusk/contract/feed';
import * as z from 'zod/mini';
import { type ChangeJournal, openChangeJournal } from './change-journal.ts';
import type { Log } from './log.ts';
import {
  readSnapshotFile,
  removeSnapshotFile,
  SnapshotFault,
  seal,
  setAside,
  unseal,
  writeSnapshotFile,
} from './snapshot-file.ts';

/**
 * The policy snapshots of all companies, in memory and encrypted on disk: the gateway serves while the api is unavailable, across
 * its own restarts too.
 *
 * The age counts from the last feed event. It is the larger of two clocks: the monotonic clock stops while a machine sleeps, the
 * wall clock can be set back. A restart leaves only the wall clock; an event in the future does not count.
 */

export interface SnapshotView {
  readonly index: AccessIndex;
  /** Milliseconds since the last feed event; infinite before the first `ready`. */
  readonly ageMs: () => number;
  /** Whether every request is denied: before the first `ready`, and after too long a silence of the feed. */
  readonly stale: () => boolean;
}

export interface Snapshots extends SnapshotView {
  /** All snapshots, and the time of the last feed event in ms since 1970. */
  present(): { companies: Iterable<CompanySnapshot>; contact: number };
  /** Applies a snapshot, unless `anyVersion` is false and ours is as new. @returns whether it was applied */
  put(snapshot: CompanySnapshot, anyVersion: boolean): boolean;
  /** Removes a company. @returns whether it existed */
  drop(companyId: number): boolean;
  /** Records the time of a feed event, once all earlier events are applied. */
  contact(): void;
  /** Writes pending changes to disk. */
  close(): Promise<void>;
}

const StoredFile = z.object({ contact: z.int(), companies: z.array(z.unknown()) });

interface Stored {
  readonly contact: number;
  readonly companies: readonly CompanySnapshot[];
}

/**
 * Changes are batched for this time before a write, and writing takes at most a tenth of the time. Until then the change is in
 * the journal (`change-journal.ts`).
 */
const SETTLE_MS = 20;
const WRITING_SHARE = 10;

export interface SnapshotsOptions {
  readonly dataDir: string;
  readonly snapshotMaxAgeMs: number;
}

/** Loads the snapshots of the last run. An unreadable file is logged and renamed, and every request is denied. */
export async function openSnapshots(options: SnapshotsOptions, key: Buffer, log: Log): Promise<Snapshots> {
  const path = join(options.dataDir, 'gateway-snapshot.bin');
  const maxAgeMs = options.snapshotMaxAgeMs;
  // Feed events without changes are written rarely. A file that overestimates its age denies earlier, which is safe.
  const rewriteMs = Math.min(60_000, maxAgeMs / 10);
  const index = emptyIndex();
  // grows: by owners, by users, sites and policies; bound: the limits of each company (packages/contract/src/limits.ts);
  // at the bound: the api refuses with 409
  const companies = new Map<number, CompanySnapshot>();
  let wall = Number.NEGATIVE_INFINITY;
  let steady = Number.NEGATIVE_INFINITY;
  let writtenContact = Number.NEGATIVE_INFINITY;
  let tookMs = 0;
  /** Whether the last write to the journal succeeded. */
  let journaled = true;
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  const journal = await loadJournal(path, key, log);
  const stored = await load(path, key, log);
  /** Whether a snapshot file exists or is being written. */
  let isOnDisk = stored !== null;
  if (stored !== null) {
    for (const company of corrected(stored.companies, journal.companies)) {
      companies.set(company.companyId, company);
      putCompany(index, company);
    }
    const age = Date.now() - stored.contact;
    if (age >= 0) {
      wall = stored.contact;
      steady = performance.now() - age;
    }
    const counts = { companies: companies.size, changed: journal.companies.size };
    log.info({ ...counts, ageSeconds: Math.round(age / 1000) }, 'Loaded the last snapshot');
  }

  function write(): void {
    timer = undefined;
    const contact = wall;
    if (contact === Number.NEGATIVE_INFINITY) return;
    writing = writing.then(async () => {
      const started = performance.now();
      isOnDisk = true;
      journaled = true;
      journal.begin();
      try {
        // Above V8's longest string, 512 MiB, this throws.
        const plain = JSON.stringify({ contact, companies: [...companies.values()] });
        await writeSnapshotFile(path, seal(key, Buffer.from(plain)));
        // If the journal failed to record a change during the write, neither file has it: remove the snapshot.
        if (journaled) journal.settle();
        else removeSnapshotFile(path);
        writtenContact = contact;
        tookMs = performance.now() - started;
      } catch (error) {
        log.error(
          { err: error },
          'Cannot write the snapshot; a restart without the api will deny companies that changed since',
        );
      }
    });
  }

  function schedule(): void {
    timer ??= setTimeout(write, Math.max(SETTLE_MS, tookMs * WRITING_SHARE));
  }

  /** Records a change before it takes effect: the file may still grant revoked access and miss new host claims. */
  function journalChange(companyId: number, next?: CompanySnapshot): void {
    schedule();
    if (!isOnDisk) return;
    try {
      journal.note(companyId, newClaims(companies.get(companyId), next));
    } catch (error) {
      // Log once: a failing disk fails for every company.
      if (journaled)
        log.error(
          { err: error },
          'Cannot write the change journal; a restart without the api will deny everything',
        );
      journaled = false;
      removeSnapshotFile(path);
    }
  }

  const ageMs = () => Math.max(Date.now() - wall, performance.now() - steady);

  return {
    index,
    ageMs,
    stale: () => ageMs() > maxAgeMs,
    present: () => ({ companies: companies.values(), contact: wall }),
    put(snapshot, anyVersion) {
      if (!putCompany(index, snapshot, anyVersion)) return false;
      journalChange(snapshot.companyId, snapshot);
      companies.set(snapshot.companyId, snapshot);
      return true;
    },
    drop(companyId) {
      if (!companies.delete(companyId)) return false;
      journalChange(companyId);
      removeCompany(index, companyId);
      return true;
    },
    contact() {
      wall = Date.now();
      steady = performance.now();
      if (wall - writtenContact >= rewriteMs) schedule();
    },
    async close() {
      if (timer !== undefined) {
        clearTimeout(timer);
        write();
      }
      await writing;
    },
  };
}

/** The sites of a company with a host claim that is new. */
function newClaims(before: CompanySnapshot | undefined, next: CompanySnapshot | undefined) {
  const had = new Set(before?.sites.map(({ address, claim }) => `${address} ${claim}`));
  return (next?.sites ?? []).filter(
    ({ address, claim }) => claim !== null && !had.has(`${address} ${claim}`),
  );
}

/**
 * The snapshots of a file, corrected by its journal. A changed company keeps its claims alone: they grant nothing, and deny the
 * hosts to other companies.
 */
function* corrected(
  stored: readonly CompanySnapshot[],
  changed: ChangeJournal['companies'],
): Generator<CompanySnapshot> {
  const left = new Map(changed);
  const nobody = { users: [], proxies: [], policies: [] };
  for (const company of stored) {
    const claimed = left.get(company.companyId);
    left.delete(company.companyId);
    yield claimed === undefined ? company : { ...company, ...nobody, sites: [...company.sites, ...claimed] };
  }
  for (const [companyId, sites] of left) yield { companyId, version: 0, sites: [...sites], ...nobody };
}

async function loadJournal(path: string, key: Buffer, log: Log): Promise<ChangeJournal> {
  const list = path.replace(/bin$/, 'outdated');
  try {
    return openChangeJournal(list, key);
  } catch (error) {
    if (!(error instanceof SnapshotFault)) throw error;
    const details = { fault: error.message, aside: await setAside(list) };
    log.error(details, 'Ignored the change journal and the snapshot, denying everything');
    removeSnapshotFile(path);
    return openChangeJournal(list, key);
  }
}

async function load(path: string, key: Buffer, log: Log): Promise<Stored | null> {
  const bytes = await readSnapshotFile(path);
  if (bytes === null) return null;
  try {
    return read(unseal(key, bytes));
  } catch (error) {
    if (!(error instanceof SnapshotFault)) throw error;
    log.error(
      { fault: error.message, aside: await setAside(path) },
      'Ignored the snapshot file, denying everything',
    );
    return null;
  }
}

function read(plain: Buffer): Stored {
  let content: unknown;
  try {
    content = JSON.parse(plain.toString());
  } catch {
    throw new SnapshotFault('Its content is not JSON');
  }
  const { contact, companies } = checked(StoredFile, content);
  // In place: two copies of a whole platform would not fit into memory.
  for (let i = 0; i < companies.length; i++) companies[i] = checked(CompanySnapshot, companies[i]);
  return { contact, companies: companies as CompanySnapshot[] };
}

function checked<S extends z.ZodMiniType>(schema: S, content: unknown): z.output<S> {
  const read = schema.safeParse(content);
  if (!read.success) throw new SnapshotFault('Its content is of another version');
  return read.data;
}
