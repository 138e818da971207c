import type { CompanySnapshot } from '@propusk/contract/feed';
import type { Registry } from 'prom-client';

/**
 * What the processes of one gateway say to each other, in order and over pipes that end with either.
 *
 *   primary ─> worker   `company` `gone` `contact`: what the feed said; `enforce`: judge all that is live again, and say so
 *                       `serve`: accept; `granted`: places; `count`: tell your metrics; `close`: drain and end
 *   worker ─> primary   `ready`; `serving` or `failed`; `enforced`; `ask` and `back`: places; `counted`
 */

export type ToWorker =
  /** A snapshot as JSON: made once, whatever the number of workers. */
  | { readonly type: 'company'; readonly snapshot: string }
  | { readonly type: 'gone'; readonly companyId: CompanySnapshot['companyId'] }
  /** When the feed last spoke, in ms since 1970. */
  | { readonly type: 'contact'; readonly at: number }
  | { readonly type: 'enforce'; readonly turn: number }
  | { readonly type: 'serve' }
  | { readonly type: 'granted'; readonly name: string; readonly slots: number }
  | { readonly type: 'count'; readonly turn: number }
  | { readonly type: 'close'; readonly deadlineMs: number };

/** Metrics as they travel. */
export type Counted = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

export type FromWorker =
  /** It listens to the primary from now on. */
  | { readonly type: 'ready' }
  | { readonly type: 'serving'; readonly port: number }
  | { readonly type: 'failed'; readonly code: string; readonly message: string }
  | { readonly type: 'enforced'; readonly turn: number }
  | { readonly type: 'request'; readonly name: string; readonly most: number; readonly slots: number }
  | { readonly type: 'giveBack'; readonly name: string; readonly slots: number }
  | { readonly type: 'counted'; readonly turn: number; readonly metrics: Counted };
