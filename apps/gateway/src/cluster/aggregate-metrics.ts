import { AggregatorRegistry, type Registry } from 'prom-client';
import type { Counted, ToWorker } from './messages.ts';

/**
 * The metrics of all workers as one. What a worker had counted stays counted when it dies: a sum that fell would look to
 * Prometheus like a restart, and be counted twice.
 */
export interface AggregateMetrics {
  /** Asks every worker and adds up. */
  registry(): Promise<Registry>;
  counted(worker: number, turn: number, metrics: Counted): void;
  gone(worker: number): void;
  stop(): void;
}

interface Asked {
  readonly worker: { readonly id: number };
  say(message: ToWorker): void;
}

/** One that is busy for longer is counted as it was. */
const ANSWER_MS = 1_000;
/** So much of its counting can die with a worker. */
const LOOK_MS = 5_000;

/** @param members the workers that are alive */
export function createAggregateMetrics(members: () => readonly Asked[]): AggregateMetrics {
  // grows: by workers; bound: one set of counters for each worker, 64 at most; at the bound: a worker that ends is
  // removed; test: none
  const latest = new Map<number, Counted>();
  let past: Counted = [];
  let turn = 0;
  let answered = (_worker: number, _turn: number) => {};

  /** Asks all. @returns when all have answered, or it has been long enough */
  async function ask(): Promise<void> {
    turn += 1;
    const mine = turn;
    const missing = new Set(members().map(({ worker }) => worker.id));
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = answered;
    answered = (worker, of) => {
      before(worker, of);
      if (of >= mine) missing.delete(worker);
      if (missing.size === 0) resolve();
    };
    const late = setTimeout(resolve, ANSWER_MS);
    for (const member of members()) member.say({ type: 'count', turn: mine });
    if (missing.size === 0) resolve();
    await promise;
    clearTimeout(late);
    if (turn === mine) answered = () => {};
  }
  const looking = setInterval(() => void ask(), LOOK_MS);
  looking.unref();

  return {
    async registry() {
      await ask();
      return AggregatorRegistry.aggregate([past, ...latest.values()]);
    },
    counted(worker, of, metrics) {
      latest.set(worker, metrics);
      answered(worker, of);
    },
    gone(worker) {
      const left = latest.get(worker)?.filter(({ type }) => String(type) !== 'gauge') ?? [];
      latest.delete(worker);
      answered(worker, Number.POSITIVE_INFINITY);
      if (left.length > 0) past = AggregatorRegistry.aggregate([past, left]).getMetricsAsArray() as Counted;
    },
    stop: () => clearInterval(looking),
  };
}
