import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { feedRecords, type GatewayRecord } from '@propusk/contract/records';
import { add } from './concurrency-limits.ts';
import type { Log } from './log.ts';
import type { Left, RecordSpool, SpooledBatch } from './record-spool.ts';
import { SnapshotFault } from './snapshot-store.ts';

/**
 * Sends the records of access to the api, in order, one batch at a time. A batch is sent again until the api has stored it.
 *
 *   records ─> gzip ─> memory ──────────────────────┬─> POST /api/feed/records
 *                        └─ after a failure ─> spool ┘
 *
 * Batches wait in memory while the api stores them. After a failure they are written to disk, so that a killed process loses none of
 * them. A batch that fits neither in memory nor on disk is lost, and the next batches carry a record of loss for each company. The
 * first batch after a killed process carries one too, because its last records were in memory only. Once three quarters of the space
 * are used, a company that has more than its fair share of the waiting records loses its new records.
 */

const FIRST_RETRY_MS = 200;
const LAST_RETRY_MS = 5_000;
const REPLY_MS = 10_000;
const STOP_MS = 2_000;
/** The most compressed bytes in memory. */
const MEMORY = 1024 * 1024;
/** The least time between two records of loss of one company while the api does not answer. */
const LOSS_MS = 60_000;
/** The fraction of the space that may be filled before companies are limited to a fair share. */
const FREE_FOR_ALL = 0.75;
/** The most records of a batch (RecordBatch). */
const BATCH = 1_000;
/** The most batches that wait for compression. */
const MOST_UNPACKED = 20;
/** The statuses below 500 after which the same batch may succeed. An older api has no such call: 404. */
const TEMPORARY = new Set([401, 404, 408, 429]);

const compress = promisify(gzip);

/** Lost records. Times are in ms since 1970. */
export interface Loss {
  /** 0 for `killed`: nobody counted them. */
  readonly count: number;
  readonly reason: 'spool' | 'rejected' | 'killed' | 'access_log';
  /** The company of the records; absent when it is unknown. */
  readonly companyId?: number | undefined;
  readonly from: number;
  readonly to: number;
}

interface Batch {
  /** 0 for a batch of an earlier run. */
  readonly number: number;
  /** When the sender got its records, in ms since 1970. */
  readonly at: number;
  readonly count: number;
  /** The number of records of each company, without records of loss. Key 0: no known company. */
  readonly of: ReadonlyMap<number, number>;
  /** The losses that the batch reports. */
  readonly losses: readonly Loss[];
  /** Null once it is on disk. */
  body: Buffer | null;
  file: SpooledBatch | null;
}

export interface RecordSenderOptions {
  readonly apiUrl: string;
  /** The key of the feed. */
  readonly key: string;
  /** The number of companies of the snapshot. */
  readonly companies: () => number;
  readonly spool: RecordSpool;
  readonly log: Log;
}

export class RecordSender {
  readonly #options: RecordSenderOptions;
  readonly #run = randomUUID();
  readonly #startedAt = Date.now();
  #gateway: string = randomUUID();
  #number = 0;
  /** The unsent batches, oldest first. */
  // Grows with records while the api does not answer. Bound: 1 MB in memory and RECORD_SPOOL on disk. At the bound: batches are
  // lost and counted
  readonly #queue: Batch[] = [];
  #memory = 0;
  /** Opening, compressing and writing, one after another. */
  #work: Promise<void> = Promise.resolve();
  #unpacked = 0;
  #waiting = 0;
  /** The number of waiting records of each company. Key 0: no known company. */
  // Grows with waiting records. Bound: one entry for each company. At the bound: entries at 0 are removed
  readonly #waitingOf = new Map<number, number>();
  #sending: Promise<void> | null = null;
  /** Whether the last attempt failed. */
  #failing = false;
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

  /** Takes at most 900 records. Returns at once. */
  add(all: GatewayRecord[]): void {
    if (this.#unpacked >= MOST_UNPACKED) return this.#lose(countsOf(all), 'spool');
    const records = this.#withinShares(all);
    const json = JSON.stringify(records).slice(1, -1);
    const of = countsOf(records);
    this.#unpacked += 1;
    this.#wait(of, 1);
    const at = Date.now();
    this.#work = this.#work.then(() => this.#pack(json, of, at));
  }

  /** When space is nearly full, counts new records of companies above their fair share as lost. @returns the other records */
  #withinShares(records: GatewayRecord[]): GatewayRecord[] {
    const { used, most } = this.#options.spool;
    if (this.#memory + used < FREE_FOR_ALL * (MEMORY + most)) return records;
    // Key 0 counts records whose company is unknown. If the platform has several companies and only one has waiting records, its
    // share is half.
    const known = this.#waiting - (this.#waitingOf.get(0) ?? 0);
    const waiting = this.#waitingOf.size - (this.#waitingOf.has(0) ? 1 : 0);
    const share = known / Math.max(waiting, Math.min(2, this.#options.companies()));
    const isOver = ({ companyId = 0 }: GatewayRecord) => (this.#waitingOf.get(companyId) ?? 0) > share;
    this.#lose(countsOf(records.filter(isOver)), 'spool');
    return records.filter((record) => !isOver(record));
  }

  /** Changes the numbers of waiting records. @param sign 1 adds, -1 subtracts */
  #wait(of: ReadonlyMap<number, number>, sign: number): void {
    for (const [company, count] of of) {
      add(this.#waitingOf, company, sign * count);
      this.#waiting += sign * count;
    }
  }

  /** Writes what waits to the spool, then sends for at most 2 s, unless the api fails. */
  async stop(): Promise<void> {
    this.#work = this.#work.then(() => this.#save());
    await this.#work;
    await this.#options.spool.close().catch((error) => this.#diskFault(error));
    this.#stopping = true;
    const deadline = setTimeout(() => this.#stop.abort(), STOP_MS);
    this.#retry.abort();
    this.#send();
    await this.#sending;
    clearTimeout(deadline);
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
      const left = await this.#options.spool.take((each) => each === slot);
      this.#take(left, Date.now());
      if (left.killed !== null) this.add([]);
    } catch (error) {
      this.#diskFault(error);
    }
    this.#send();
  }

  #take({ batches, killed }: Left, to: number): void {
    if (killed !== null) this.#report({ count: 0, reason: 'killed', from: killed, to });
    for (const file of batches) {
      const of = new Map([[0, file.count]]);
      this.#queue.push({ number: 0, at: 0, count: file.count, of, losses: [], body: null, file });
      this.#wait(of, 1);
    }
  }

  async #pack(json: string, of: ReadonlyMap<number, number>, at: number): Promise<void> {
    const number = this.#number + 1;
    const records = [...of.values()].reduce((sum, count) => sum + count, 0);
    // Batches come each second. While the api does not answer, a record of loss covers at least a minute.
    const before = this.#failing ? at - LOSS_MS : at;
    const losses = [...this.#losses.values()].filter(({ from }) => from <= before).slice(0, BATCH - records);
    for (const { companyId = 0 } of losses) this.#losses.delete(companyId);
    const all = [json, ...losses.map((loss) => JSON.stringify(lossOf(loss)))].filter(Boolean).join();
    const text = `{"gateway":"${this.#gateway}","run":"${this.#run}","number":${number},"records":[${all}]}`;
    const body = await compress(text, { level: 1 });
    this.#unpacked -= 1;
    const batch: Batch = { number, at, count: records + losses.length, of, losses, body, file: null };
    this.#memory += body.length;
    if (this.#failing || this.#memory > MEMORY) await this.#write(batch);
    if (this.#memory > MEMORY && batch.body !== null) {
      this.#memory -= body.length;
      return this.#drop(batch, 'spool');
    }
    this.#number = number;
    this.#queue.push(batch);
    this.#send();
  }

  /** Writes all batches that are in memory, as far as the spool has space. */
  async #save(): Promise<void> {
    for (const batch of [...this.#queue]) await this.#write(batch);
  }

  /** Moves a batch from memory to disk, if there is space. */
  async #write(batch: Batch): Promise<void> {
    const { body, number, count } = batch;
    if (body === null) return;
    try {
      const name = { startedAt: this.#startedAt, run: this.#run, number, count };
      const file = await this.#options.spool.write(name, body);
      if (file === null) return;
      // It was sent while it was written.
      if (batch.body === null) return await this.#options.spool.remove(file);
      batch.file = file;
      batch.body = null;
      this.#memory -= body.length;
      this.#diskFailed = false;
      await this.#noteSafe(batch);
    } catch (error) {
      this.#diskFault(error);
    }
  }

  /** Notes that a kill loses nothing up to this batch, unless an older one is still in memory alone. */
  async #noteSafe({ number, at }: Batch): Promise<void> {
    if (number === 0 || this.#queue.some((other) => other.body !== null && other.number < number)) return;
    await this.#options.spool.touch(at);
  }

  #send(): void {
    if (this.#queue.length > 0) this.#sending ??= this.#sendAll().finally(() => (this.#sending = null));
  }

  async #sendAll(): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    for (let batch = this.#queue[0]; batch !== undefined; batch = this.#queue[0]) {
      const fault = await this.#attempt(batch);
      if (fault === null) {
        this.#failing = false;
        retryMs = FIRST_RETRY_MS;
        continue;
      }
      if (!this.#failing) this.#options.log.warn({ fault }, 'Cannot send records of access, retrying');
      this.#failing = true;
      if (this.#stopping) return;
      this.#work = this.#work.then(() => this.#save());
      // Jitter: gateways that lost one api must not all return at one moment.
      await sleep(retryMs * (0.5 + Math.random() / 2), undefined, { signal: this.#retry.signal }).catch(
        () => {},
      );
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    }
  }

  /** Sends the oldest batch, and removes it once it is stored or can never be. @returns why to retry */
  async #attempt(batch: Batch): Promise<string | null> {
    const { apiUrl, key, spool, log } = this.#options;
    try {
      const body = batch.body ?? (batch.file && (await spool.read(batch.file)));
      const reply = await fetch(`${apiUrl}/api${feedRecords.path}`, {
        method: feedRecords.method,
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'content-encoding': 'gzip',
        },
        body,
        // A redirect must not receive the key.
        redirect: 'error',
        signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(REPLY_MS)]),
      });
      await reply.body?.cancel();
      const { status } = reply;
      if (status === 204) {
        this.totals.sent += batch.count;
        this.#wait(batch.of, -1);
        await this.#noteSafe(batch);
      } else if (status < 400 || status >= 500 || TEMPORARY.has(status)) {
        return `The api answered ${status}`;
      } else {
        log.error({ status, records: batch.count }, 'The api refuses a batch of records, dropping it');
        this.#drop(batch, 'rejected');
      }
    } catch (error) {
      const gone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!(error instanceof SnapshotFault || gone)) return faultOf(error);
      if (gone && batch.number === 0) {
        // Two processes took it from a third, and the other one has sent it.
        this.#wait(batch.of, -1);
      } else {
        log.error({ file: batch.file?.path, fault: error.message }, 'Dropped an unreadable file of records');
        this.#drop(batch, 'rejected');
      }
    }
    await this.#remove(batch);
    return null;
  }

  async #remove(batch: Batch): Promise<void> {
    this.#queue.shift();
    this.#memory -= batch.body?.length ?? 0;
    batch.body = null;
    if (batch.file !== null)
      await this.#options.spool.remove(batch.file).catch((error) => this.#diskFault(error));
  }

  #drop({ of, losses }: Batch, reason: Loss['reason']): void {
    this.#wait(of, -1);
    this.#lose(of, reason);
    for (const loss of losses) this.#report(loss);
  }

  /** @param of the number of lost records of each company, as in `Batch.of` */
  #lose(of: ReadonlyMap<number, number>, reason: Loss['reason']): void {
    const now = Date.now();
    for (const [company, count] of of) {
      this.totals.lost += count;
      const companyId = company === 0 ? undefined : company;
      this.#report({ count, reason, companyId, from: now, to: now });
    }
  }

  #report(loss: Loss): void {
    const { companyId = 0 } = loss;
    this.#losses.set(companyId, both(loss, this.#losses.get(companyId) ?? null));
  }

  /** Logs once: a failing disk fails for every batch. */
  #diskFault(err: unknown): void {
    if (!this.#diskFailed) this.#options.log.error({ err }, 'Cannot use the spool of records');
    this.#diskFailed = true;
  }
}

/** Counts the records of each company. Key 0: no known company. */
function countsOf(records: readonly GatewayRecord[]): Map<number, number> {
  // Bounded: this structure exists for one call only
  const counts = new Map<number, number>();
  for (const { companyId = 0 } of records) add(counts, companyId, 1);
  return counts;
}

/** Adds two losses of one company. */
export function both(loss: Loss, other: Loss | null): Loss {
  if (other === null) return loss;
  const [from, to] = [Math.min(loss.from, other.from), Math.max(loss.to, other.to)];
  return { ...loss, count: loss.count + other.count, from, to };
}

/** The record that reports a loss. */
export function lossOf({ count, reason, companyId, from, to }: Loss): GatewayRecord {
  const startedAt = new Date(from).toISOString();
  const nothing = { open: false, address: '', host: '', port: 0, up: 0, down: 0 };
  return {
    ...nothing,
    id: randomUUID(),
    kind: 'loss',
    startedAt,
    ms: Math.max(0, to - from),
    reason,
    companyId,
    count,
  };
}

function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
