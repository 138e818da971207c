import type { CompanySnapshot, VisitEndEvent } from '@propusk/contract/feed';
import type { Registry } from 'prom-client';

/**
 * The messages between the processes of one gateway, in order, over pipes that close with either process.
 *
 *   primary ─> worker   `company` `gone` `contact` `clock`: the feed's events; `enforce`: authorize active requests again and confirm;
 *                       `end`: end visits; `serve`: accept connections; `granted`: slots; `count`: send metrics; `adopt` records; `drain`, `close`: exit then
 *   worker ─> primary   `ready`; `serving` or `failed`; `enforced`; `request` and `giveBack`: slots; `counted`: metrics
 */

/** The environment variable with a worker's index, from 0. A worker that replaces another has its index. */
export const WORKER_INDEX = 'PROPUSK_WORKER';

export type ToWorker =
  /** A validated snapshot as JSON, as the api sent it. */
  | { readonly type: 'company'; readonly snapshot: string }
  | { readonly type: 'gone'; readonly companyId: CompanySnapshot['companyId'] }
  /** The time of the last feed event, in ms since 1970. */
  | { readonly type: 'contact'; readonly at: number }
  /** The time of the database in ms since 1970, and the monotonic clock of the machine at that moment in ns. */
  | { readonly type: 'clock'; readonly at: number; readonly steady: bigint }
  | { readonly type: 'enforce'; readonly turn: number }
  | { readonly type: 'end'; readonly event: VisitEndEvent }
  /** @param fd of the listening socket in the primary; undefined without a keeper */
  | { readonly type: 'serve'; readonly fd: number | undefined }
  | { readonly type: 'granted'; readonly name: string; readonly slots: number }
  | { readonly type: 'count'; readonly turn: number }
  | { readonly type: 'adopt'; readonly slot: number }
  | { readonly type: 'drain' }
  | { readonly type: 'close'; readonly deadlineMs: number };

export type Counted = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

export type FromWorker =
  /** The worker handles messages from now on. */
  | { readonly type: 'ready' }
  | { readonly type: 'serving'; readonly port: number }
  | { readonly type: 'failed'; readonly code: string; readonly message: string }
  | { readonly type: 'enforced'; readonly turn: number }
  | { readonly type: 'request'; readonly name: string; readonly most: number; readonly slots: number }
  | { readonly type: 'giveBack'; readonly name: string; readonly slots: number }
  | { readonly type: 'counted'; readonly turn: number; readonly metrics: Counted };
