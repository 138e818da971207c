import { AggregatorRegistry, type Registry } from 'prom-client';
import type { Counted, ToWorker } from './messages.ts';

/**
 * Sums the metrics of all workers. Counters of a dead worker stay in the sum: Prometheus would take a lower sum for a restart and
 * count it twice.
 */
export interface AggregateMetrics {
  /** Collects the metrics of every worker. @returns their sums */
  registry(): Promise<Registry>;
  counted(worker: number, turn: number, metrics: Counted): void;
  gone(worker: number): void;
  stop(): void;
}

interface MetricsSource {
  readonly id: number;
  readonly child: { send(message: ToWorker): void };
}

/** A worker that does not answer in this time contributes its last values. */
const ANSWER_MS = 1_000;
/** The interval of collecting, in ms. A worker that dies loses at most the counts of one interval. */
const COLLECT_MS = 5_000;

/** @param members the live workers */
export function createAggregateMetrics(members: () => readonly MetricsSource[]): AggregateMetrics {
  // Grows with workers. Bound: one set of counters for each worker, 64 at most. At the bound: a worker that ends is removed
  const latest = new Map<number, Counted>();
  let past: Counted = [];
  let turn = 0;
  let answered = (_worker: number, _turn: number) => {};

  /** Asks all workers. @returns when all have answered, or after ANSWER_MS */
  async function ask(): Promise<void> {
    turn += 1;
    const mine = turn;
    const missing = new Set(members().map(({ id }) => id));
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = answered;
    answered = (worker, of) => {
      before(worker, of);
      if (of >= mine) missing.delete(worker);
      if (missing.size === 0) resolve();
    };
    const late = setTimeout(resolve, ANSWER_MS);
    for (const { child } of members()) child.send({ type: 'count', turn: mine });
    if (missing.size === 0) resolve();
    await promise;
    clearTimeout(late);
    if (turn === mine) answered = () => {};
  }
  const timer = setInterval(() => void ask(), COLLECT_MS);
  timer.unref();

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
    stop: () => clearInterval(timer),
  };
}
