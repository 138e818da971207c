import { join } from 'node:path';
import { type AccessIndex, emptyIndex, putCompany, removeCompany } from '@propusk/access/snapshot';
import { CompanySnapshot } from '@propusk/contract/feed';
import * as z from 'zod/mini';
import type { Log } from './log.ts';
import {
  readSnapshotFile,
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

export interface Snapshots {
  readonly index: AccessIndex;
  /** Since the feed last spoke; infinite before it has told all once. */
  readonly ageMs: () => number;
  /** True until the feed has told all once, and when it has been silent for too long: deny everything. */
  readonly stale: () => boolean;
  /** Applies a snapshot unless the one here is as new. @returns whether anything changed */
  put(snapshot: CompanySnapshot, anyVersion: boolean): boolean;
  /** Forgets a company. @returns whether it was known */
  drop(companyId: number): boolean;
  /** The feed spoke, and all that it said before has been applied. */
  contact(): void;
  /** Writes what is not on disk yet. */
  close(): Promise<void>;
}

const Stored = z.object({ contact: z.int(), companies: z.array(CompanySnapshot) });

/**
 * A change waits so long for others before it is written, and no more than a tenth of the time is spent on writing. What a
 * crash loses in between comes back with the first word of the api; without the api the older state counts until it is
 * too old.
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
  const companies = new Map<number, CompanySnapshot>();
  let wall = Number.NEGATIVE_INFINITY;
  let steady = Number.NEGATIVE_INFINITY;
  let writtenContact = Number.NEGATIVE_INFINITY;
  let tookMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  const stored = await load(path, key, log);
  if (stored !== null) {
    for (const company of stored.companies) {
      companies.set(company.companyId, company);
      putCompany(index, company);
    }
    const age = Date.now() - stored.contact;
    if (age >= 0) {
      wall = stored.contact;
      steady = performance.now() - age;
    }
    log.info({ companies: companies.size, ageSeconds: Math.round(age / 1000) }, 'Loaded the last snapshot');
  }

  function write(): void {
    timer = undefined;
    const contact = wall;
    if (contact === Number.NEGATIVE_INFINITY) return;
    writing = writing.then(async () => {
      const started = performance.now();
      const plain = JSON.stringify({ contact, companies: [...companies.values()] });
      try {
        await writeSnapshotFile(path, seal(key, Buffer.from(plain)));
        writtenContact = contact;
        tookMs = performance.now() - started;
      } catch (error) {
        log.error(
          { err: error },
          'Cannot write the snapshot; a restart without the api will go by the last one written',
        );
      }
    });
  }

  function schedule(): void {
    timer ??= setTimeout(write, Math.max(SETTLE_MS, tookMs * WRITING_SHARE));
  }

  const ageMs = () => Math.max(Date.now() - wall, performance.now() - steady);

  return {
    index,
    ageMs,
    stale: () => ageMs() > maxAgeMs,
    put(snapshot, anyVersion) {
      if (!putCompany(index, snapshot, anyVersion)) return false;
      companies.set(snapshot.companyId, snapshot);
      schedule();
      return true;
    },
    drop(companyId) {
      if (!companies.delete(companyId)) return false;
      removeCompany(index, companyId);
      schedule();
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

async function load(path: string, key: Buffer, log: Log): Promise<z.infer<typeof Stored> | null> {
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

function read(plain: Buffer): z.infer<typeof Stored> {
  let content: unknown;
  try {
    content = JSON.parse(plain.toString());
  } catch {
    throw new SnapshotFault('Its content is not JSON');
  }
  const stored = Stored.safeParse(content);
  if (!stored.success) throw new SnapshotFault('Its content is of another version');
  return stored.data;
}
