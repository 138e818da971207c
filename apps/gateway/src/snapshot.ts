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
 * What the gateway knows, and for how long it may believe it. Every company's last snapshot is in memory and, sealed, on
 * disk, so that the gateway serves while the api is away, across its own restarts too.
 *
 * Its age counts from the last contact with the feed. In the process that is the larger of what the steady clock and the
 * wall clock say: the first stands still while a machine sleeps, the second can be set back. Across a restart only the
 * wall clock is left; a contact in the future is not believed.
 */

export interface SnapshotView {
  readonly index: AccessIndex;
  /** Since the feed last spoke; infinite before it has told all once. */
  readonly ageMs: () => number;
  /** True until the feed has told all once, and when it has been silent for too long: deny everything. */
  readonly stale: () => boolean;
}

export interface Snapshots extends SnapshotView {
  /** All that is known now, and when the feed last spoke, in ms since 1970. */
  present(): { companies: Iterable<CompanySnapshot>; contact: number };
  /** Applies a snapshot unless the one here is as new. @returns whether anything changed */
  put(snapshot: CompanySnapshot, anyVersion: boolean): boolean;
  /** Forgets a company. @returns whether it was known */
  drop(companyId: number): boolean;
  /** The feed spoke, and all that it said before has been applied. */
  contact(): void;
  /** Writes what is not on disk yet. */
  close(): Promise<void>;
}

const StoredFile = z.object({ contact: z.int(), companies: z.array(z.unknown()) });

interface Stored {
  readonly contact: number;
  readonly companies: readonly CompanySnapshot[];
}

/**
 * A change waits so long for others before it is written, and no more than a tenth of the time is spent on writing. Until
 * then its company is listed as outdated (`change-journal.ts`).
 */
const SETTLE_MS = 20;
const WRITING_SHARE = 10;

export interface SnapshotsOptions {
  readonly dataDir: string;
  readonly snapshotMaxAgeMs: number;
}

/** Loads the snapshots of the last run. A file that cannot be read is told of, set aside, and all is denied. */
export async function openSnapshots(options: SnapshotsOptions, key: Buffer, log: Log): Promise<Snapshots> {
  const path = join(options.dataDir, 'gateway-snapshot.bin');
  const maxAgeMs = options.snapshotMaxAgeMs;
  // A contact alone is written now and then: a file that looks older than it is errs on the safe side.
  const rewriteMs = Math.min(60_000, maxAgeMs / 10);
  const index = emptyIndex();
  // grows: by owners, by users, sites and policies; bound: what the limits of a company allow
  // (packages/contract/src/limits.ts); at the bound: the api refuses with 409; test:
  // apps/gateway/src/snapshot.test.ts
  const companies = new Map<number, CompanySnapshot>();
  let wall = Number.NEGATIVE_INFINITY;
  let steady = Number.NEGATIVE_INFINITY;
  let writtenContact = Number.NEGATIVE_INFINITY;
  let tookMs = 0;
  /** Whether the disk took the last note of a change. */
  let noted = true;
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  const outdated = await loadOutdated(path, key, log);
  const stored = await load(path, key, log);
  /** Whether there is a file that somebody could believe, now or in a moment. */
  let isOnDisk = stored !== null;
  if (stored !== null) {
    for (const company of believable(stored.companies, outdated.companies)) {
      companies.set(company.companyId, company);
      putCompany(index, company);
    }
    const age = Date.now() - stored.contact;
    if (age >= 0) {
      wall = stored.contact;
      steady = performance.now() - age;
    }
    const counts = { companies: companies.size, outdated: outdated.companies.size };
    log.info({ ...counts, ageSeconds: Math.round(age / 1000) }, 'Loaded the last snapshot');
  }

  function write(): void {
    timer = undefined;
    const contact = wall;
    if (contact === Number.NEGATIVE_INFINITY) return;
    writing = writing.then(async () => {
      const started = performance.now();
      isOnDisk = true;
      noted = true;
      outdated.begin();
      const plain = JSON.stringify({ contact, companies: [...companies.values()] });
      try {
        await writeSnapshotFile(path, seal(key, Buffer.from(plain)));
        // A change that could not be noted meanwhile is not in it.
        if (noted) outdated.settle();
        else removeSnapshotFile(path);
        writtenContact = contact;
        tookMs = performance.now() - started;
      } catch (error) {
        log.error(
          { err: error },
          'Cannot write the snapshot; a restart without the api will deny what has changed since the last one',
        );
      }
    });
  }

  function schedule(): void {
    timer ??= setTimeout(write, Math.max(SETTLE_MS, tookMs * WRITING_SHARE));
  }

  /** Before a change: from now on the file says too much of the company, and too little of what it claims. */
  function outdate(companyId: number, next?: CompanySnapshot): void {
    schedule();
    if (!isOnDisk) return;
    try {
      outdated.note(companyId, newClaims(companies.get(companyId), next));
    } catch (error) {
      // Once: a disk that refuses does so for every company.
      if (noted)
        log.error({ err: error }, 'Cannot note a change; a restart without the api will deny everything');
      noted = false;
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
      outdate(snapshot.companyId, snapshot);
      companies.set(snapshot.companyId, snapshot);
      return true;
    },
    drop(companyId) {
      if (!companies.delete(companyId)) return false;
      outdate(companyId);
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

/** The sites that a company claims from now on, and did not before. */
function newClaims(before: CompanySnapshot | undefined, next: CompanySnapshot | undefined) {
  const had = new Set(before?.sites.map(({ address, claim }) => `${address} ${claim}`));
  return (next?.sites ?? []).filter(
    ({ address, claim }) => claim !== null && !had.has(`${address} ${claim}`),
  );
}

/**
 * What can be believed of a file after later changes: of a company that has changed, its claims alone. They open nothing, and
 * refuse others.
 */
function* believable(
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

async function loadOutdated(path: string, key: Buffer, log: Log): Promise<ChangeJournal> {
  const list = path.replace(/bin$/, 'outdated');
  try {
    return openChangeJournal(list, key);
  } catch (error) {
    if (!(error instanceof SnapshotFault)) throw error;
    const told = { fault: error.message, aside: await setAside(list) };
    log.error(told, 'Ignored the list of changes and the snapshot, denying everything');
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
  // One after another, each in the place of what it was made of: a whole platform twice would not fit.
  for (let i = 0; i < companies.length; i++) companies[i] = checked(CompanySnapshot, companies[i]);
  return { contact, companies: companies as CompanySnapshot[] };
}

function checked<S extends z.ZodMiniType>(schema: S, content: unknown): z.output<S> {
  const read = schema.safeParse(content);
  if (!read.success) throw new SnapshotFault('Its content is of another version');
  return read.data;
}
