import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RecordBatch, RecordRow } from '@propusk/contract/gateway-records';
import type { StoredAddresses } from '@propusk/contract/record-settings';
import { Backoff } from '@propusk/processes/backoff';
import { faultOf, type Log } from '../log.ts';
import { add } from '../policy/concurrency-limits.ts';
import { SnapshotFault } from '../policy/snapshot-store.ts';
import { both, type Loss, lossRow } from './record-loss.ts';
import { RecordPost } from './record-post.ts';
import type { Left, RecordSpool, SpooledBatch } from './record-spool.ts';
import { storedAddress } from './stored-address.ts';

/**
 * Sends the records of access to the api, in order, one batch at a time. A batch is sent again until the api has stored it.
 *
 *   rows ── each second ─> spool ─> POST /api/feed/records
 *
 * Every batch is written to disk first. A killed process loses the records since its last batch, and the first batch of the next run
 * carries a record of loss for that time. Without a spool, or without space on the disk, batches wait in memory. Batches that do not fit
 * there are lost, and the next batches carry a record of loss for each company. Once three quarters of the space are used, a company
 * that has more than its fair share of the waiting records loses its new records.
 */

const STOP_MS = 2_000;
/** The most bytes of the batches in memory. */
const MEMORY = 1024 * 1024;
/** The least time between two records of loss of one company while the api does not answer. */
const LOSS_MS = 60_000;
/** The fraction of the space that may be filled before companies are limited to a fair share. */
const FREE_FOR_ALL = 0.75;
/** The largest number of records in a batch (RecordBatch), and the largest number of those that are not records of loss. */
const BATCH = 1_000;
const ROWS = 900;
/** The most batches that wait for the disk. */
const MOST_UNSTORED = 40;
/** The statuses below 500 after which the same batch may succeed. An older api has no such call: 404. */
const TEMPORARY = new Set([401, 404, 408, 429]);
/** The errors of a file that no later attempt can read. */
const UNREADABLE: ReadonlySet<unknown> = new Set(['ENOENT', 'EACCES', 'EIO']);

const compress = promisify(gzip);

interface Batch {
  /** 0 for a batch of an earlier run. */
  readonly number: number;
  readonly count: number;
  /** The number of records of each company, without records of loss. Key 0: no known company. */
  readonly of: ReadonlyMap<number, number>;
  /** The losses that the batch reports. */
  readonly losses: readonly Loss[];
  /** Its file, or its bytes if it waits in memory. */
  stored: SpooledBatch | Buffer;
}

export interface RecordSenderOptions {
  readonly apiUrl: string;
  /** The secret by which the api authenticates the gateway, for the feed too. */
  readonly key: string;
  /** The id of the run (RecordBatch). */
  readonly run: string;
  /** The number of companies of the snapshot. */
  readonly companies: () => number;
  /** How a company lets addresses be stored. */
  readonly addresses: (companyId: number) => StoredAddresses;
  readonly spool: RecordSpool;
  readonly log: Log;
}

export class RecordSender {
  readonly #options: RecordSenderOptions;
  readonly #startedAt = Date.now();
  /** On the loopback interface, compressing takes more time than it saves. */
  readonly #isNear: boolean;
  readonly #post: RecordPost;
  #gateway: string = randomUUID();
  #number = 0;
  /** The number of the latest record of loss. These numbers are in a high range that other records never reach. */
  #lossNumber = 2 ** 47;
  // Grows with records of a second. Bound: 900. At the bound: the next batch begins
  #rows: RecordRow[] = [];
  // Grows with companies of the next batch. Bound: its 900 rows. At the bound: the next batch begins
  #of = new Map<number, number>();
  /** The unsent batches, oldest first. */
  // Grows with records while the api does not answer. Bound: RECORD_SPOOL on disk, and 1 MB in memory. At the bound: batches are
  // lost and counted
  readonly #queue: Batch[] = [];
  #memory = 0;
  /** Opening and writing the spool, one after another. */
  #work: Promise<void> = Promise.resolve();
  #unstored = 0;
  #waiting = 0;
  /** The number of waiting records of each company. Key 0: no known company. */
  // Grows with waiting records. Bound: one entry for each company. At the bound: entries at 0 are removed
  readonly #waitingOf = new Map<number, number>();
  /** The time up to which all records are in rows that were given to the sender. */
  #safe = Date.now();
  #sending: Promise<void> | null = null;
  /** Whether the last attempt failed. */
  #failing = false;
  #isAnnounced = false;
  /** The losses that the next batches report, by company. Key 0: no known company. */
  // Grows with lost records. Bound: one entry for each company. At the bound: each batch reports as many as fit, and removes them
  readonly #losses = new Map<number, Loss>();
  #diskFailed = false;
  #stopping = false;
  /** Ends the wait for the next attempt. */
  readonly #retry = new AbortController();
  readonly #stop = new AbortController();
  /** Records that the api has stored, and that were lost. */
  readonly totals = { sent: 0, lost: 0 };

  constructor(options: RecordSenderOptions) {
    this.#options = options;
    this.#post = new RecordPost(options.apiUrl, options.key);
    this.#isNear = /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(options.apiUrl).hostname);
  }

  /** Opens the spool, and sends the batches of earlier runs first. */
  start(): void {
    this.#work = this.#open();
  }

  /** Sends what another process of this gateway has left. @param slot of a process that has ended */
  adopt(slot: number): void {
    this.#work = this.#work.then(() => this.#adopt(slot));
  }

  /** The records that the api has not stored. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Takes a record. Returns at once. */
  add(row: RecordRow): void {
    const companyId = row[5];
    if ((this.#waitingOf.get(companyId) ?? 0) > this.#fairShare()) return this.#lose(companyId, 1, 'spool');
    if (this.#rows.length === ROWS) this.#pack();
    this.#rows.push(row);
    add(this.#of, companyId, 1);
    add(this.#waitingOf, companyId, 1);
    this.#waiting += 1;
  }

  /**
   * Writes the rows of the last second to the spool, and sends them. The first batch may be empty: it announces the run.
   * @param safe as in `RecordSink`
   */
  flush(safe: number): void {
    this.#safe = safe;
    if (this.#rows.length > 0 || !this.#isAnnounced || (this.#losses.size > 0 && !this.#failing))
      this.#pack();
    else this.#work = this.#work.then(() => this.#noteSafe(safe));
  }

  /** Writes the waiting records to the spool, then sends batches for at most 2 s, or until the api fails. */
  async stop(): Promise<void> {
    this.#stopping = true;
    if (this.#rows.length > 0 || this.#losses.size > 0) this.#pack();
    await this.#work;
    await this.#rescue();
    // The process may be killed while it sends.
    await this.#closeSpool();
    const deadline = setTimeout(() => this.#stop.abort(), STOP_MS);
    this.#retry.abort();
    this.#send();
    await this.#sending;
    clearTimeout(deadline);
    await this.#closeSpool();
  }

  /**
   * Notes in the spool that this run has ended in an orderly way, and not by a crash or kill. Does nothing while records are in
   * memory only.
   */
  async #closeSpool(): Promise<void> {
    if (this.#memory === 0) await this.#options.spool.close().catch((error) => this.#diskFault(error));
  }

  async #open(): Promise<void> {
    try {
      const { gateway, ...left } = await this.#options.spool.open();
      this.#gateway = gateway;
      this.#take(left, this.#startedAt);
    } catch (error) {
      this.#diskFault(error);
    }
    this.#send();
  }

  async #adopt(slot: number): Promise<void> {
    try {
      this.#take(await this.#options.spool.take((each) => each === slot), Date.now());
    } catch (error) {
      this.#diskFault(error);
    }
    this.#send();
  }

  #take({ batches, killed }: Left, to: number): void {
    if (killed !== null) this.#report({ count: 0, reason: 'killed', companyId: 0, from: killed, to });
    for (const stored of batches) {
      const of = new Map([[0, stored.count]]);
      this.#queue.push({ number: 0, count: stored.count, of, losses: [], stored });
      this.#wait(of, 1);
    }
  }

  /** Changes the numbers of waiting records. @param sign 1 adds, -1 subtracts */
  #wait(of: ReadonlyMap<number, number>, sign: number): void {
    for (const [company, count] of of) {
      add(this.#waitingOf, company, sign * count);
      this.#waiting += sign * count;
    }
  }

  /** Ends the batch in the buffer. */
  #pack(): void {
    const { addresses } = this.#options;
    const [rows, of, safe] = [this.#rows, this.#of, this.#safe];
    // A company may have changed its setting since the record was made.
    for (const row of rows) row[10] = storedAddress(row[10], addresses(row[5]));
    this.#isAnnounced = true;
    this.#rows = [];
    this.#of = new Map();
    if (this.#unstored >= MOST_UNSTORED) return this.#drop({ of, losses: [] }, 'spool');
    this.#unstored += 1;
    this.#work = this.#work.then(() => this.#store(rows, of, safe));
  }

  /** The number of waiting records that a company may have: unlimited, or a fair share when the space is nearly full. */
  #fairShare(): number {
    const { used, most } = this.#options.spool;
    if (this.#memory + used < FREE_FOR_ALL * (MEMORY + most)) return Number.POSITIVE_INFINITY;
    // Key 0 counts records whose company is unknown. If the platform has several companies and only one has waiting records, its
    // share is half.
    const known = this.#waiting - (this.#waitingOf.get(0) ?? 0);
    const waiting = this.#waitingOf.size - (this.#waitingOf.has(0) ? 1 : 0);
    return known / Math.max(waiting, Math.min(2, this.#options.companies()));
  }

  async #store(rows: RecordRow[], of: ReadonlyMap<number, number>, safe: number): Promise<void> {
    const number = this.#number + 1;
    const own = [...of.values()].reduce((sum, count) => sum + count, 0);
    // Batches come each second. While the api does not answer, a record of loss covers at least a minute.
    const before = this.#failing && !this.#stopping ? Date.now() - LOSS_MS : Date.now();
    const losses = [...this.#losses.values()].filter(({ from }) => from <= before).slice(0, BATCH - own);
    for (const { companyId } of losses) this.#losses.delete(companyId);
    const { run } = this.#options;
    for (const loss of losses) rows.push(lossRow(loss, (this.#lossNumber += 1)));
    const batch: RecordBatch = { gateway: this.#gateway, run, number, rows };
    const text = Buffer.from(JSON.stringify(batch));
    const body = this.#isNear && !this.#failing ? text : await compress(text, { level: 1 });
    this.#unstored -= 1;
    const count = own + losses.length;
    const file = await this.#write({ number, count }, body);
    if (file === null) {
      if (this.#memory + body.length > MEMORY) return this.#drop({ of, losses }, 'spool');
      this.#memory += body.length;
    } else await this.#rescue();
    this.#number = number;
    this.#queue.push({ number, count, of, losses, stored: file ?? body });
    await this.#noteSafe(safe);
    this.#send();
  }

  /** Writes a batch to disk. @returns null if there is no space, and on a fault of the disk */
  async #write(batch: Pick<Batch, 'number' | 'count'>, body: Buffer): Promise<SpooledBatch | null> {
    const { run, spool } = this.#options;
    try {
      const file = await spool.write({ ...batch, startedAt: this.#startedAt, run }, body);
      this.#diskFailed = false;
      return file;
    } catch (error) {
      this.#diskFault(error);
      return null;
    }
  }

  /** Writes the batches to disk that wait in memory. */
  async #rescue(): Promise<void> {
    for (const batch of [...this.#queue]) {
      const body = batch.stored;
      if (!Buffer.isBuffer(body)) continue;
      const file = await this.#write(batch, body);
      if (file === null) return;
      if (this.#queue.includes(batch)) {
        batch.stored = file;
        this.#memory -= body.length;
      } else await this.#options.spool.remove(file).catch((error) => this.#diskFault(error));
    }
  }

  /** Stores the time up to which all records, and counts of lost ones, are on disk. Does nothing while batches wait in memory. */
  async #noteSafe(safe: number): Promise<void> {
    const known = [...this.#losses.values()].reduce((least, { from }) => Math.min(least, from), safe);
    if (this.#memory === 0) await this.#options.spool.touch(known);
  }

  #send(): void {
    if (this.#queue.length > 0) this.#sending ??= this.#sendAll().finally(() => (this.#sending = null));
  }

  async #sendAll(): Promise<void> {
    const pauses = new Backoff(200, 5_000);
    for (let batch = this.#queue[0]; batch !== undefined; batch = this.#queue[0]) {
      const fault = await this.#attempt(batch);
      if (fault === null) {
        this.#failing = false;
        pauses.reset();
        continue;
      }
      if (!this.#failing) this.#options.log.warn({ fault }, 'Cannot send records of access, retrying');
      this.#failing = true;
      if (this.#stopping) return;
      await pauses.wait(this.#retry.signal);
    }
  }

  /** Sends the oldest batch, and removes it once it is stored or can never be. @returns why to retry */
  async #attempt(batch: Batch): Promise<string | null> {
    const { spool, log } = this.#options;
    try {
      const { stored } = batch;
      const body = Buffer.isBuffer(stored) ? stored : await spool.read(stored);
      const status = await this.#post.post(body, this.#stop.signal);
      if (status === 204) {
        this.totals.sent += batch.count;
        this.#wait(batch.of, -1);
      } else if (status < 400 || status >= 500 || TEMPORARY.has(status)) {
        return `The api answered ${status}`;
      } else {
        log.error({ status, records: batch.count }, 'The api refuses a batch of records, dropping it');
        this.#drop(batch, 'rejected');
      }
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : '';
      const isUnreadable = error instanceof SnapshotFault || UNREADABLE.has(code);
      if (!isUnreadable) return faultOf(error);
      if (code === 'ENOENT' && batch.number === 0) {
        // Two processes took over this batch of an ended process, and the other one has sent and deleted it.
        this.#wait(batch.of, -1);
      } else {
        log.error({ fault: faultOf(error) }, 'Dropped an unreadable file of records');
        this.#drop(batch, 'rejected');
      }
    }
    await this.#remove(batch);
    return null;
  }

  async #remove({ stored }: Batch): Promise<void> {
    this.#queue.shift();
    if (Buffer.isBuffer(stored)) this.#memory -= stored.length;
    else await this.#options.spool.remove(stored).catch((error) => this.#diskFault(error));
  }

  #drop({ of, losses }: Pick<Batch, 'of' | 'losses'>, reason: Loss['reason']): void {
    this.#wait(of, -1);
    for (const [companyId, count] of of) this.#lose(companyId, count, reason);
    for (const loss of losses) this.#report(loss);
  }

  #lose(companyId: number, count: number, reason: Loss['reason']): void {
    const now = Date.now();
    this.totals.lost += count;
    this.#report({ count, reason, companyId, from: now, to: now });
  }

  #report(loss: Loss): void {
    const { companyId } = loss;
    this.#losses.set(companyId, both(loss, this.#losses.get(companyId) ?? null));
  }

  /** Logs once: a failing disk fails for every batch. */
  #diskFault(err: unknown): void {
    if (!this.#diskFailed) this.#options.log.error({ err }, 'Cannot use the spool of records');
    this.#diskFailed = true;
  }
}
