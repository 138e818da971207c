import type { Reach } from './reach.ts';

/** What slices are given that call out. */
export interface Outbound {
  readonly reach: Reach;
  readonly echoUrl: URL;
  /** Runs one call out when there is room for it. @throws AppError busy */
  readonly turns: <T>(work: () => Promise<T>) => Promise<T>;
  /** Aborted when the server closes: calls that are under way end. */
  readonly stop: AbortSignal;
}
