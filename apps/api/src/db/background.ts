import { sql } from 'kysely';
import type { Logger } from 'pino';
import { advisoryLocks } from './advisory-locks.ts';
import type { Db, Tx } from './open.ts';

/** The dependencies of background work. */
export interface Background {
  readonly db: Db;
  readonly log: Pick<Logger, 'warn'>;
}

/** A task that runs repeatedly until `close` is called. */
export interface Repeating {
  /** Requests another run after the current one. Several requests cause one run. */
  tick(): Promise<void>;
  /** Stops the timer and aborts the signal. Resolves when the current run has ended. */
  close(): Promise<void>;
}

/**
 * Runs work now and every `ms` milliseconds, one run at a time.
 * @param work ends early once its signal is aborted
 * @param onError called with the error of a failed run, unless the previous run failed with the same message
 */
export function repeat(
  ms: number,
  work: (signal: AbortSignal) => Promise<void>,
  onError: (error: unknown) => void,
): Repeating {
  const closing = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | null = null;
  let fault: string | null = null;
  async function run(): Promise<void> {
    waiting = null;
    try {
      if (!closing.signal.aborted) await work(closing.signal);
      fault = null;
    } catch (error) {
      const isNew = fault !== String(error);
      fault = String(error);
      if (isNew && !closing.signal.aborted) onError(error);
    }
  }
  const tick = () => (waiting ??= running = running.then(run));
  const timer = setInterval(tick, ms).unref();
  void tick();
  return {
    tick,
    close: async () => {
      closing.abort();
      clearInterval(timer);
      await running;
    },
  };
}

/** Workers that process jobs from a queue in the database. The workers of other processes take jobs from the same queue. */
export interface Workers extends Repeating {
  /** Starts one more worker, unless the maximum number of workers is running. */
  wake(): void;
}

/**
 * Starts the workers of this process. Each worker claims one job after another until no job waits.
 * @param parallel the maximum number of concurrent jobs
 * @param ms milliseconds between polls, which find retries and the jobs of other processes
 * @param poll runs at each poll, before a worker starts
 * @param work processes a job. `close` aborts the signal of the job and waits until the job ends.
 */
export function startWorkers<Job>({
  parallel,
  ms,
  poll,
  claim,
  work,
  onError,
}: {
  parallel: number;
  ms: number;
  poll: () => Promise<unknown>;
  claim: () => Promise<Job | null>;
  work: (job: Job, closing: AbortSignal) => Promise<void>;
  onError: (error: unknown) => void;
}): Workers {
  // Grows with queued jobs. Bound: `parallel`. At the bound: further jobs wait in the database
  const workers = new Set<Promise<void>>();
  const closing = new AbortController();

  async function drain(): Promise<void> {
    while (!closing.signal.aborted) {
      const job = await claim();
      if (job === null) return;
      // The queue may hold more jobs, so start another worker.
      wake();
      await work(job, closing.signal);
    }
  }

  function wake(): void {
    if (workers.size >= parallel || closing.signal.aborted) return;
    const worker = drain()
      .catch((error: unknown) => (closing.signal.aborted ? undefined : onError(error)))
      .finally(() => workers.delete(worker));
    workers.add(worker);
  }

  const { tick, close } = repeat(ms, () => poll().then(wake), onError);
  return {
    wake,
    tick,
    async close() {
      closing.abort();
      await Promise.all([close(), ...workers]);
    },
  };
}

/**
 * Runs work in a transaction that holds an advisory lock, unless another process holds this lock.
 * @param limits.waitMs lock_timeout in milliseconds; 0 means no limit. While the work waits for a table lock, other
 *   transactions queue behind the work.
 * @param limits.statementMs statement_timeout in milliseconds; 0, the default, means no limit, because the
 *   work may count or move the rows of a month
 * @returns the result of the work; null when another process holds the advisory lock
 */
export function alone<T>(
  db: Db,
  lock: keyof typeof advisoryLocks,
  work: (tx: Tx) => Promise<T>,
  { waitMs = 200, statementMs = 0 } = {},
): Promise<T | null> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ held: boolean }>`select set_config('lock_timeout', ${String(waitMs)}, true),
      set_config('statement_timeout', ${String(statementMs)}, true), pg_try_advisory_xact_lock(${advisoryLocks[lock]}) as held`.execute(
      tx,
    );
    return rows[0]?.held === true ? work(tx) : null;
  });
}
