import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { feedRecords, type GatewayRecord } from '@propusk/contract/records';
import type { Log } from './log.ts';
import type { Left, RecordSpool, SpooledBatch } from './record-spool.ts';
import { SnapshotFault } from './snapshot-store.ts';

/**
 * Sends the records of access to the api, in order, one batch at a time, until the api has stored each.
 *
 *   records ─> gzip ─> memory ─────────────┬─> POST /api/feed/records
 *                        └─ api away ─> spool ┘
 *
 * Batches wait in memory while the api takes them. After a failure they are on disk, so that a killed process loses none. A batch
 * without room is lost: the next one carries a record of loss. So does the first batch after a killed process, whose last records
 * were in its memory.
 */

const FIRST_RETRY_MS = 200;
const LAST_RETRY_MS = 5_000;
const REPLY_MS = 10_000;
const STOP_MS = 2_000;
/** The most compressed bytes in memory. */
const MEMORY = 1024 * 1024;
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
  readonly from: number;
  readonly to: number;
}

interface Batch {
  /** 0 for a batch of an earlier run. */
  readonly number: number;
  /** When the sender got its records, in ms since 1970. */
  readonly at: number;
  readonly count: number;
  /** The loss that it reports. */
  readonly loss: Loss | null;
  /** Null once it is on disk. */
  body: Buffer | null;
  file: SpooledBatch | null;
}

export interface RecordSenderOptions {
  readonly apiUrl: string;
  /** The key of the feed. */
  readonly key: string;
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
  // grows: by records while the api is away; bound: 1 MB in memory and RECORD_SPOOL on disk; at the bound: batches are lost
  // and counted
  readonly #queue: Batch[] = [];
  #memory = 0;
  /** Opening, compressing and writing, one after another. */
  #work: Promise<void> = Promise.resolve();
  #unpacked = 0;
  #waiting = 0;
  #sending: Promise<void> | null = null;
  /** Whether the last attempt failed. */
  #failing = false;
  /** What the next batch reports. */
  #loss: Loss | null = null;
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

  /** Takes at most 999 records. Returns at once. */
  add(records: GatewayRecord[]): void {
    if (this.#unpacked >= MOST_UNPACKED) return this.#lose(records.length, 'spool');
    const json = JSON.stringify(records).slice(1, -1);
    this.#unpacked += 1;
    this.#waiting += records.length;
    const at = Date.now();
    this.#work = this.#work.then(() => this.#pack(json, records.length, at));
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
    if (killed !== null) this.#loss = both({ count: 0, reason: 'killed', from: killed, to }, this.#loss);
    for (const file of batches) {
      this.#queue.push({ number: 0, at: 0, count: file.count, loss: null, body: null, file });
      this.#waiting += file.count;
    }
  }

  async #pack(json: string, records: number, at: number): Promise<void> {
    const number = this.#number + 1;
    const loss = this.#loss;
    this.#loss = null;
    const all = loss === null ? json : `${json}${json && ','}${JSON.stringify(lossOf(loss))}`;
    const text = `{"gateway":"${this.#gateway}","run":"${this.#run}","number":${number},"records":[${all}]}`;
    const body = await compress(text, { level: 1 });
    this.#unpacked -= 1;
    const batch: Batch = { number, at, count: records + (loss === null ? 0 : 1), loss, body, file: null };
    this.#memory += body.length;
    if (this.#failing || this.#memory > MEMORY) await this.#write(batch);
    this.#waiting += batch.count - records;
    if (this.#memory > MEMORY && batch.body !== null) {
      this.#memory -= body.length;
      return this.#drop(batch, 'spool');
    }
    this.#number = number;
    this.#queue.push(batch);
    this.#send();
  }

  /** Writes all batches that are in memory, as far as the spool has room. */
  async #save(): Promise<void> {
    for (const batch of [...this.#queue]) await this.#write(batch);
  }

  /** Moves a batch from memory to disk, if there is room. */
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
        this.#waiting -= batch.count;
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
        this.#waiting -= batch.count;
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

  #drop({ count, loss }: Batch, reason: Loss['reason']): void {
    this.#waiting -= count;
    this.#lose(loss === null ? count : count - 1, reason);
    if (loss !== null) this.#loss = both(loss, this.#loss);
  }

  #lose(count: number, reason: Loss['reason']): void {
    this.totals.lost += count;
    const now = Date.now();
    this.#loss = both({ count, reason, from: now, to: now }, this.#loss);
  }

  /** Logs once: a failing disk fails for every batch. */
  #diskFault(err: unknown): void {
    if (!this.#diskFailed) this.#options.log.error({ err }, 'Cannot use the spool of records');
    this.#diskFailed = true;
  }
}

/** Adds two losses. */
export function both(loss: Loss, other: Loss | null): Loss {
  if (other === null) return loss;
  const [from, to] = [Math.min(loss.from, other.from), Math.max(loss.to, other.to)];
  return { count: loss.count + other.count, reason: loss.reason, from, to };
}

/** The record that reports a loss. */
export function lossOf({ count, reason, from, to }: Loss): GatewayRecord {
  const startedAt = new Date(from).toISOString();
  const nothing = { open: false, address: '', host: '', port: 0, up: 0, down: 0 };
  return { ...nothing, id: randomUUID(), kind: 'loss', startedAt, ms: Math.max(0, to - from), reason, count };
}

function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
