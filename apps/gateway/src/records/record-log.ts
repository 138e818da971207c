import { randomUUID } from 'node:crypto';
import { write } from 'node:fs';
import { constants, type FileHandle, open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type GatewayRecord, recordOf } from '@propusk/contract/gateway-records';
import { faultOf, type Log } from '../log.ts';
import { both, type Loss, lossRow } from './record-loss.ts';

/**
 * Writes the records of access as JSON lines to ACCESS_LOG, for other systems. Each record gets a line at its end. A visit
 * that lasts longer than a second gets another line at its start. Lines wait in memory while the file cannot be written. Those without room are lost, and a line
 * of kind `loss` counts them once writing works again.
 */

/** The most bytes in memory. */
const MEMORY = 4 * 1024 * 1024;
/**
 * Lines are added to a write until it has this many bytes; its last line may exceed them. A pipe takes 4096 at once or not at
 * all (PIPE_BUF, pipe(7)).
 */
const WRITE = { file: 65_536, stdout: 3_072 };
/** The age from which an open record is an update: its line with the start was written before, and updates get no line. */
const UPDATED_MS = 60_000;
const RETRY_MS = 1_000;
const WARN_MS = 60_000;
const STOP_MS = 2_000;
const STDOUT = 1;
const NEWLINE = 10;
/** O_APPEND: several processes write one file, each whole lines. O_NONBLOCK: a FIFO without a reader must not hold a thread. */
const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NONBLOCK;

const writeTo = promisify(write);

export class RecordLog {
  /** Null for standard output. */
  readonly #path: string | null;
  readonly #log: Log;
  // Grows with records while the file cannot be written. Bound: 4 MB. At the bound: lines are lost and counted
  readonly #lines: string[] = [];
  #bytes = 0;
  #file: { handle: FileHandle; ino: number; dev: number } | null = null;
  #writing: Promise<void> | null = null;
  #stopping = false;
  /** Whether the last write ended within a line, as on a full disk. */
  #torn = false;
  #loss: Loss | null = null;
  #warnedAt = Number.NEGATIVE_INFINITY;
  #warnedLost = 0;
  readonly #stop = new AbortController();
  /** Lines that were written, and records that were lost. */
  readonly totals = { written: 0, lost: 0 };

  /** @param target the value of ACCESS_LOG: a file, or `-` for standard output */
  constructor(target: string, log: Log) {
    this.#path = target === '-' ? null : resolve(target);
    this.#log = log;
  }

  /** Takes a record, and returns at once. */
  add(record: GatewayRecord): void {
    if (record.open && record.ms >= UPDATED_MS) return;
    const line = `${JSON.stringify(record)}\n`;
    if (this.#bytes + line.length <= MEMORY) this.#push(line);
    else {
      this.totals.lost += 1;
      const now = Date.now();
      this.#loss = both({ count: 1, reason: 'access_log', companyId: 0, from: now, to: now }, this.#loss);
    }
    if (this.#bytes > MEMORY / 4) this.flush();
  }

  /** Begins to write. The first call opens the file. */
  flush(): void {
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = null));
  }

  /** Writes the waiting lines for at most 2 s, and closes the file. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#stop.abort();
    await Promise.race([this.#writing, sleep(STOP_MS, undefined, { ref: false })]);
    if (this.#lines.length > 0)
      this.#log.error({ lost: this.#lines.length }, 'Stopped with lines of ACCESS_LOG that were not written');
    await this.#file?.handle.close();
  }

  #push(line: string): void {
    this.#lines.push(line);
    this.#bytes += line.length;
  }

  async #writeAll(): Promise<void> {
    for (;;) {
      try {
        const fd = await this.#open();
        while (this.#lines.length > 0) await this.#write(fd);
        return;
      } catch (error) {
        this.#warn(error);
      }
      // stop() ends the wait: one last attempt follows.
      if (this.#stopping) return;
      await sleep(RETRY_MS, undefined, { signal: this.#stop.signal }).catch(() => {});
    }
  }

  /** Writes the oldest lines. */
  async #write(fd: number): Promise<void> {
    const most = this.#path === null ? WRITE.stdout : WRITE.file;
    let [count, bytes] = [0, 0];
    for (; count < this.#lines.length && bytes < most; count++) bytes += this.#lines[count]?.length ?? 0;
    // The torn line is repeated as a whole: another process may have written behind its first half.
    const chunk = Buffer.from(`${this.#torn ? '\n' : ''}${this.#lines.slice(0, count).join('')}`);
    const { bytesWritten } = await writeTo(fd, chunk);
    if (bytesWritten < chunk.length) {
      const newlines = chunk.subarray(0, bytesWritten).filter((byte) => byte === NEWLINE).length;
      count = this.#torn ? newlines - 1 : newlines;
    }
    const done = this.#lines.splice(0, count);
    for (const line of done) this.#bytes -= line.length;
    this.totals.written += done.length;
    this.#torn = chunk[bytesWritten - 1] !== NEWLINE;
    if (this.#loss === null || this.#torn) return;
    this.#push(`${JSON.stringify(recordOf(randomUUID(), lossRow(this.#loss, 1)))}\n`);
    this.#loss = null;
  }

  /** Opens the file that has the name now: rotation moves the last one, with or without SIGHUP. */
  async #open(): Promise<number> {
    const path = this.#path;
    if (path === null) return STDOUT;
    const named = await stat(path).catch(() => null);
    if (this.#file !== null && named?.ino === this.#file.ino && named.dev === this.#file.dev)
      return this.#file.handle.fd;
    await this.#file?.handle.close();
    this.#file = null;
    const handle = await open(path, FLAGS, 0o640);
    const { ino, dev } = await handle.stat();
    this.#file = { handle, ino, dev };
    // The mode is set in spite of a stricter umask, because a log shipper such as rsyslog reads the file by its group.
    if (named === null) await handle.chmod(0o640);
    this.#torn = false;
    return handle.fd;
  }

  #warn(error: unknown): void {
    const now = performance.now();
    if (now - this.#warnedAt < WARN_MS) return;
    this.#warnedAt = now;
    const lost = this.totals.lost - this.#warnedLost;
    this.#warnedLost = this.totals.lost;
    const details = { file: this.#path ?? '-', fault: faultOf(error), waiting: this.#lines.length, lost };
    this.#log.warn(details, 'Cannot write ACCESS_LOG, retrying each second');
  }
}
