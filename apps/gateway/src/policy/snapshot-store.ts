import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SEAL_HEAD, seal, unseal } from '@propusk/access/sealed';
import { CompanySnapshot } from '@propusk/contract/feed';
import * as z from 'zod/mini';

/**
 * The snapshots on disk: an SQLite file with an encrypted row for each company, and an encrypted manifest.
 *
 *   companies: company, version, AES-256-GCM(snapshot), which authenticates company and version
 *   manifest:  AES-256-GCM({contact, shape, digest}): the time of the last feed event, the hash of the schema of snapshots, and a
 *              digest of all rows
 *
 * A row that was deleted, or replaced by an older one, contradicts the digest: then the file is ignored. The file as a whole may
 * be old; its contact shows the age.
 *
 * One transaction writes the rows of a change and the manifest, without fsync: it survives a killed process. After a power cut
 * the file may be damaged, and is ignored. When a change cannot be written, the file loses its write permission, which needs no
 * space on a full disk. A file without that permission is outdated, and is ignored.
 */

const TABLES = `
  PRAGMA trusted_schema = OFF; PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = OFF;
  CREATE TABLE IF NOT EXISTS companies (company INTEGER PRIMARY KEY, version INTEGER NOT NULL, sealed BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS manifest (id INTEGER PRIMARY KEY CHECK (id = 1), sealed BLOB NOT NULL) STRICT;`;
/**
 * SQLite's result codes for a fault of the environment, not of the file: permission, lock, memory, disk
 * (sqlite.org/rescode.html).
 */
const ENVIRONMENT = new Set([3, 5, 6, 7, 8, 10, 13, 14]);

/**
 * How many ids `takeOver()` reads in one step. A step takes about 5 ms, because SQLite skips over the encrypted rows to reach
 * the ids.
 */
export const ID_PAGE = 1_000;

/**
 * The shape: a hash of the schema of snapshots. Rows that were stored with this shape are read without validation, which would
 * take longer than all other steps together.
 *
 * A row holds the text that the api sent and the gateway validated. The schema only checks: it has neither defaults nor
 * conversions. Fields that it does not list stay in the text. No code reads them, and a release that reads them has another
 * shape.
 */
const SHAPE = createHash('sha256')
  .update(JSON.stringify(z.toJSONSchema(CompanySnapshot)))
  .digest('hex');

const Manifest = z.object({ contact: z.int(), shape: z.string(), digest: z.string() });

/** A file that exists and cannot be trusted. The message names the fault. */
export class SnapshotFault extends Error {}

/** Decrypts. @throws SnapshotFault for a wrong key, another `about`, or a single changed bit */
export function open(key: KeyObject, sealed: Uint8Array, about: string): Buffer {
  try {
    return unseal(key, sealed, about);
  } catch {
    throw new SnapshotFault('Damaged, or sealed with another GATEWAY_SECRET');
  }
}

type StoredRow = Readonly<{ company: number; version: number; sealed: Uint8Array }>;

/** The JSON text of a validated snapshot, as the api sent it. */
export type SnapshotText = Readonly<{ version: number; text: string }>;

type Changes = Iterable<readonly [number, SnapshotText | null]>;

/** The file of a gateway's snapshots. One process uses it. */
export class SnapshotStore {
  readonly #path: string;
  readonly #key: KeyObject;
  #db: DatabaseSync | null = null;
  /** The sum of the keyed hashes of all rows, modulo 2^256 (Clarke et al. 2003, MSet-Add-Hash). */
  #digest = 0n;
  /** Whether the file misses a change. */
  #outdated = false;
  /** Whether the next write replaces the file. */
  #untrusted = false;
  /** The contact and shape that the previous process stored. Between `takeOver()` and `finish()` each manifest repeats them. */
  #older: Pick<z.infer<typeof Manifest>, 'contact' | 'shape'> | null = null;

  /** @param key 32 bytes */
  constructor(path: string, key: Buffer) {
    this.#path = path;
    this.#key = createSecretKey(key);
  }

  /**
   * Reads the file. Rows of another shape are validated, so that the next manifest may name this product's shape.
   * @param each is called with every company, before the file is proved whole
   * @returns the time of the last feed event in ms since 1970; null without a file
   * @throws SnapshotFault; then nothing that `each` got may be used
   */
  load(each: (company: CompanySnapshot) => void): number | null {
    if (!this.#exists()) return null;
    try {
      const manifest = this.#manifest();
      const current = manifest.shape === SHAPE;
      for (const row of this.#rows()) {
        this.#digest += this.#mark(row.company, row.sealed);
        const company: unknown = JSON.parse(this.#unsealed(row));
        each(current ? (company as CompanySnapshot) : CompanySnapshot.parse(company));
      }
      this.#digest = BigInt.asUintN(256, this.#digest);
      if (String(this.#digest) !== manifest.digest) throw new SnapshotFault('A row is missing or old');
      return manifest.contact;
    } catch (error) {
      // Every other error of reading a damaged file is reported as a SnapshotFault too.
      if (!(error instanceof Error) || error instanceof SnapshotFault || accusesMachine(error)) throw error;
      throw new SnapshotFault(error.message);
    }
  }

  /**
   * Takes over the file after the previous process has closed it. Until `finish()`, some rows are still from the previous
   * process, so each manifest keeps the `contact` and `shape` of that process. The file therefore stays valid when this process
   * is killed after any write. If the file cannot be trusted, the next write replaces it. Do not write before the last page is
   * read: if the reading fails, the next write replaces the whole file.
   * @returns the ids of the stored companies, in pages of `ID_PAGE`; the last page is shorter
   */
  *takeOver(): Generator<readonly number[]> {
    this.#older = { contact: 0, shape: SHAPE };
    try {
      if (!this.#exists()) return;
      const manifest = this.#manifest();
      this.#digest = BigInt(manifest.digest);
      this.#older = manifest;
      const next = this.#open().prepare(
        'SELECT company FROM companies WHERE company > ? ORDER BY company LIMIT ?',
      );
      for (let last = 0, size = ID_PAGE; size === ID_PAGE; ) {
        const ids = next.all(last, ID_PAGE).map(({ company }) => Number(company));
        yield ids;
        size = ids.length;
        last = ids.at(-1) ?? last;
      }
    } catch {
      this.close();
      this.#untrusted = true;
      this.#digest = 0n;
      this.#older = { contact: 0, shape: SHAPE };
    }
  }

  /** Ends the takeover: later manifests have the shape of this release and the contact passed to `write()`. */
  finish(): void {
    this.#older = null;
  }

  /** The stored snapshots as JSON, by company. */
  *companies(): Generator<readonly [number, string]> {
    if (this.#db !== null) for (const row of this.#rows()) yield [row.company, this.#unsealed(row)];
  }

  /** Whether exactly this text is stored; false when the file cannot be read. */
  has(companyId: number, text: string): boolean {
    try {
      const row = this.#db
        ?.prepare('SELECT company, version, sealed FROM companies WHERE company = ?')
        .get(companyId);
      return row !== undefined && this.#unsealed(row as unknown as StoredRow) === text;
    } catch {
      return false;
    }
  }

  /**
   * Writes changes in one transaction. After a failure the file is not valid until a later write succeeds.
   * @param changes each company's snapshot; null removes it
   * @param contact the time of the last feed event, in ms since 1970
   * @throws Error when the write fails
   */
  write(changes: Changes, contact: number): void {
    try {
      if (this.#untrusted) rmSync(this.#path, { force: true });
      this.#untrusted = false;
      const db = this.#open();
      db.exec('BEGIN');
      try {
        const digest = String(this.#apply(db, changes));
        const manifest = JSON.stringify({ contact, shape: SHAPE, ...this.#older, digest });
        const sealed = seal(this.#key, manifest, 'manifest');
        db.prepare('INSERT OR REPLACE INTO manifest VALUES (1, ?)').run(sealed);
        db.exec('COMMIT');
        this.#digest = BigInt(digest);
      } finally {
        if (db.isTransaction) db.exec('ROLLBACK');
      }
      if (this.#outdated) chmodSync(this.#path, 0o600);
      this.#outdated = false;
    } catch (error) {
      this.#outdated = true;
      if (existsSync(this.#path)) chmodSync(this.#path, 0o400);
      throw error;
    }
  }

  /** Renames a file that cannot be trusted; it may be the only copy. @returns its new name */
  setAside(): string {
    this.close();
    const aside = `${this.#path}.damaged-${Date.now()}`;
    renameSync(this.#path, aside);
    rmSync(`${this.#path}-journal`, { force: true });
    this.#digest = 0n;
    return aside;
  }

  close(): void {
    this.#db?.close();
    this.#db = null;
  }

  /** @throws SnapshotFault when a change is missing in the file, Error with a `code` when the file cannot be read */
  #exists(): boolean {
    // `throwIfNoEntry: false` would hide ENOTDIR: a data folder that is a file.
    const { size, mode } = this.#stat();
    if (size === 0) return false;
    accessSync(this.#path, constants.R_OK);
    if ((mode & 0o200) === 0) throw new SnapshotFault('It misses a change');
    return true;
  }

  #stat(): { size: number; mode: number } {
    try {
      return statSync(this.#path);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { size: 0, mode: 0 };
      throw error;
    }
  }

  #manifest(): z.infer<typeof Manifest> {
    const found = this.#open().prepare('SELECT sealed FROM manifest').get();
    if (found === undefined) throw new SnapshotFault('It has no manifest');
    return Manifest.parse(JSON.parse(open(this.#key, found.sealed as Uint8Array, 'manifest').toString()));
  }

  #open(): DatabaseSync {
    if (this.#db !== null) return this.#db;
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    // SQLite would create the file readable for everybody. Its journal gets the same permissions as the file.
    closeSync(openSync(this.#path, 'a', 0o600));
    const db = new DatabaseSync(this.#path);
    try {
      db.exec(TABLES);
    } catch (error) {
      db.close();
      throw error;
    }
    // Deletes the files of release 0.1, which also hold passwords of proxies.
    for (const old of ['bin', 'outdated']) rmSync(this.#path.replace(/db$/, old), { force: true });
    this.#db = db;
    return db;
  }

  /** @returns the digest after the changes */
  #apply(db: DatabaseSync, changes: Changes): bigint {
    const find = db.prepare('SELECT sealed FROM companies WHERE company = ?');
    const put = db.prepare('INSERT OR REPLACE INTO companies VALUES (?, ?, ?)');
    const remove = db.prepare('DELETE FROM companies WHERE company = ?');
    let digest = this.#digest;
    for (const [id, company] of changes) {
      const old = find.get(id);
      if (old !== undefined) digest -= this.#mark(id, old.sealed as Uint8Array);
      if (company === null) remove.run(id);
      else {
        const sealed = seal(this.#key, company.text, about(id, company.version));
        put.run(id, company.version, sealed);
        digest += this.#mark(id, sealed);
      }
    }
    return BigInt.asUintN(256, digest);
  }

  #rows(): Iterable<StoredRow> {
    return this.#open()
      .prepare('SELECT company, version, sealed FROM companies')
      .iterate() as Iterable<unknown> as Iterable<StoredRow>;
  }

  #unsealed({ company, version, sealed }: StoredRow): string {
    return open(this.#key, sealed, about(company, version)).toString();
  }

  /** The keyed hash of a row. Its nonce and tag differ for each content, so that they are hashed instead of it. */
  #mark(company: number, sealed: Uint8Array): bigint {
    const row = createHmac('sha256', this.#key)
      .update(`mark ${company} `)
      .update(sealed.subarray(0, SEAL_HEAD));
    return BigInt(`0x${row.digest('hex')}`);
  }
}

const about = (company: number, version: number) => `company ${company} ${version}`;

function accusesMachine(error: Error): boolean {
  return 'errcode' in error && ENVIRONMENT.has(Number(error.errcode) & 0xff);
}
