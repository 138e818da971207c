import type { Queue } from '../http/queue.ts';
import type { Reach } from './reach.ts';

/** What slices are given that call out. */
export interface Outbound {
  readonly reach: Reach;
  readonly echoUrl: URL;
  /** Runs one call out at the word of a company's person when there is room for it. @throws AppError busy */
  readonly turns: Queue;
  /** Aborted when the server closes: calls that are under way end. */
  readonly stop: AbortSignal;
}
