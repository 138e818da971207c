import { createSecretKey, type KeyObject, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seal } from '@propusk/access/sealed';
import { open } from '../policy/snapshot-store.ts';
import type { Slots } from '../processes/generation.ts';

/**
 * Stores each batch of records in a file of its own, encrypted with AES-256-GCM. The name of the file contains the start of the run, the
 * id of the run, the number of the batch and the number of its records, so that names sort by age. The name is authenticated: a renamed
 * file is refused. Files are written without fsync, so they survive a killed process but not a power failure.
 *
 * Each slot (generation.ts) has folders of its own, 64 to a slot.
 *
 *   gateway-records/0/id                          the gateway's id
 *   gateway-records/0/running                     exists while a process runs; a kill loses no record that is older than its time
 *   gateway-records/0/1790000000000-RUN-000000001-999.batch
 */

/** The most processes of one gateway: the folders of slot 1 begin at this index. */
const MOST_WORKERS = 64;
const NAME = /^\d{13}-[0-9a-f-]{36}-\d{9}-(\d{1,4})\.batch$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface SpooledBatch {
  readonly path: string;
  readonly size: number;
  /** The number of its records. */
  readonly count: number;
}

export interface SpoolOptions {
  readonly folder: string;
  /**
   * The index of this process, and the number of processes. Folders with an index of that number or above, which no process has,
   * are divided among them.
   */
  readonly worker: number;
  readonly workers: number;
  readonly slots: Slots;
  /** 32 bytes. */
  readonly key: Buffer;
  /** The most bytes of this process; 0 disables the spool. */
  readonly most: number;
}

/** What runs that have ended left in the spool. */
export interface Left {
  /** Oldest first in each folder. */
  readonly batches: SpooledBatch[];
  /** Since when records may be lost if a run was killed, in ms since 1970. */
  readonly killed: number | null;
}

/** The spool of one process. */
export class RecordSpool {
  readonly #options: SpoolOptions;
  readonly #folder: string;
  readonly #key: KeyObject;
  #bytes = 0;

  constructor(options: SpoolOptions) {
    this.#options = options;
    this.#folder = join(options.folder, String(options.slots.own * MOST_WORKERS + options.worker));
    this.#key = createSecretKey(options.key);
  }

  /**
   * Opens the folder.
   * @returns the gateway's id, and what earlier runs have left
   * @throws Error when the folder cannot be used
   */
  async open(): Promise<{ gateway: string } & Left> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const idPath = join(this.#folder, 'id');
    let gateway = await readFile(idPath, 'utf8').catch(() => '');
    if (!UUID.test(gateway)) {
      gateway = randomUUID();
      await replace(idPath, gateway);
    }
    const { others } = this.#options.slots;
    const left = await this.take((slot) => !others.includes(slot));
    await writeFile(this.#running, '', { mode: 0o600 });
    return { gateway, ...left };
  }

  /** Takes over the batches of ended runs in the folders that fall to this process. @throws Error when a folder cannot be read */
  async take(isEnded: (slot: number) => boolean): Promise<Left> {
    const { folder, worker, workers } = this.#options;
    const batches: SpooledBatch[] = [];
    let killed: number | null = null;
    for (const index of await readdir(folder)) {
      const [slot, of] = [Math.floor(Number(index) / MOST_WORKERS), Number(index) % MOST_WORKERS];
      if (!/^\d+$/.test(index) || of % workers !== worker || !isEnded(slot)) continue;
      for (const name of (await readdir(join(folder, index))).toSorted()) {
        const path = join(folder, index, name);
        const count = NAME.exec(name)?.[1];
        // Another process of this gateway may have sent it just now.
        const found = await stat(path).catch(() => null);
        if (found === null) continue;
        const { size, mtimeMs } = found;
        if (count !== undefined) {
          this.#bytes += size;
          batches.push({ path, size, count: Number(count) });
        } else if (name === 'running') killed = Math.min(killed ?? mtimeMs, Math.floor(mtimeMs));
        if (count === undefined && name !== 'id') await rm(path, { force: true });
      }
    }
    return { batches, killed };
  }

  /**
   * Notes that all records up to this time, in ms since 1970, are stored by the api or in this spool. After a kill, the next run
   * reports the time since then as a loss (`killed`).
   */
  async touch(at: number): Promise<void> {
    const time = new Date(at);
    await utimes(this.#running, time, time).catch(() => {});
  }

  /** Notes that the process ended by itself. */
  async close(): Promise<void> {
    await rm(this.#running, { force: true });
  }

  /** The bytes on disk. */
  get used(): number {
    return this.#bytes;
  }

  /** The most bytes on disk. */
  get most(): number {
    return this.#options.most;
  }

  get #running(): string {
    return join(this.#folder, 'running');
  }

  /**
   * Writes a batch.
   * @param startedAt of the run, in ms since 1970
   * @returns null when the spool is full
   * @throws Error when the write fails
   */
  async write(
    { startedAt, run, number, count }: { startedAt: number; run: string; number: number; count: number },
    body: Buffer,
  ): Promise<SpooledBatch | null> {
    const name = `${startedAt}-${run}-${String(number).padStart(9, '0')}-${count}.batch`;
    const sealed = seal(this.#key, body, name);
    const size = sealed.length;
    if (this.#bytes + size > this.#options.most) return null;
    const path = join(this.#folder, name);
    await replace(path, sealed);
    this.#bytes += size;
    return { path, size, count };
  }

  /** @throws SnapshotFault for a changed or renamed file, Error when it cannot be read */
  async read({ path }: SpooledBatch): Promise<Buffer> {
    return open(this.#key, await readFile(path), path.slice(path.lastIndexOf('/') + 1));
  }

  async remove({ path, size }: SpooledBatch): Promise<void> {
    this.#bytes -= size;
    await rm(path, { force: true });
  }
}

async function replace(path: string, content: string | Buffer): Promise<void> {
  try {
    await writeFile(`${path}.new`, content, { mode: 0o600 });
    await rename(`${path}.new`, path);
  } catch (error) {
    await rm(`${path}.new`, { force: true }).catch(() => {});
    throw error;
  }
}
