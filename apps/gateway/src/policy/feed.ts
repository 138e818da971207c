import { FEED_HEARTBEAT_MS, feed, feedEvents, type VisitEndEvent } from '@propusk/contract/feed';
import { Backoff } from '@propusk/processes/backoff';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { faultOf, type Log } from '../log.ts';
import type { Snapshots } from './snapshot.ts';

/**
 * Follows the api's feed (server-sent events, WHATWG HTML section 9.2) for as long as the gateway lives.
 *
 *   event ─> validated by the contract ─> put or drop ─> active requests authorized again
 *
 * A connection first sends every company, then `ready`: companies that it did not mention are gone. Only events after `ready`
 * renew the snapshot's age.
 */

export interface FeedOptions {
  readonly apiUrl: string;
  readonly key: string;
  readonly snapshots: Snapshots;
  /** Authorizes all active requests again. */
  readonly recheck: () => void;
  /** Ends the connections that an owner of the company has ended in the console. */
  readonly end: (event: VisitEndEvent) => void;
  /** Called when the snapshots of all companies are in force, and at every later event. */
  readonly upToDate?: () => void;
  /** Called when a connection fails. */
  readonly lost?: () => void;
  readonly log: Log;
  /** The connection is dead after this silence: two heartbeats and a margin. */
  readonly silenceMs?: number;
}

const SILENCE_MS = FEED_HEARTBEAT_MS * 2 + 10_000;

/** Follows the feed. @returns a function that stops it */
export function startFeed(options: FeedOptions): () => Promise<void> {
  const { log } = options;
  const stop = new AbortController();

  async function run(): Promise<void> {
    const pauses = new Backoff(200, 5_000);
    while (!stop.signal.aborted) {
      try {
        await follow(options, stop.signal, () => pauses.reset());
        log.info('Feed ended, reconnecting');
      } catch (error) {
        if (stop.signal.aborted) return;
        log.warn({ fault: feedFaultOf(error) }, 'Feed lost, reconnecting');
        options.lost?.();
      }
      await pauses.wait(stop.signal);
    }
  }

  const running = run();
  return async () => {
    stop.abort();
    await running;
  };
}

/** Follows one connection to its end. */
function follow(
  { apiUrl, key, snapshots, recheck, end, upToDate, log, silenceMs = SILENCE_MS }: FeedOptions,
  stop: AbortSignal,
  onReady: () => void,
): Promise<void> {
  // Grows with companies in the feed. Bound: one number for each company. At the bound: does not grow
  const mentioned = new Set<number>();
  let changed = false;
  let ready = false;

  function setClock({ now }: { now?: number | undefined }): void {
    if (now !== undefined) snapshots.setClock(now);
  }

  function drop(companyId: number): void {
    if (snapshots.drop(companyId)) changed = true;
  }

  function onEvent({ event = '', data }: EventSourceMessage): void {
    switch (event) {
      case 'company': {
        const snapshot = feedEvents.company.parse(JSON.parse(data));
        // Within a connection a lower version is outdated. The first event of a company is the database's state, which may have
        // been restored from a backup with lower versions: accept any version, or later revocations would be ignored.
        if (snapshots.put(snapshot, data, !mentioned.has(snapshot.companyId))) changed = true;
        mentioned.add(snapshot.companyId);
        break;
      }
      case 'gone': {
        const { companyId } = feedEvents.gone.parse(JSON.parse(data));
        mentioned.delete(companyId);
        drop(companyId);
        break;
      }
      case 'end':
        end(feedEvents.end.parse(JSON.parse(data)));
        break;
      case 'ready':
        setClock(feedEvents.ready.parse(JSON.parse(data)));
        for (const companyId of snapshots.index.companies.keys())
          if (!mentioned.has(companyId)) drop(companyId);
        ready = true;
        onReady();
        log.info({ companies: snapshots.index.companies.size }, 'The feed is up to date');
        break;
      case 'heartbeat':
        setClock(feedEvents.heartbeat.parse(JSON.parse(data)));
        break;
      default:
        // A newer api may send events that this gateway does not know.
        log.debug({ event }, 'Unknown event');
    }
    if (ready) snapshots.contact();
  }

  /** Enforces the events of one chunk together, then saves them. */
  function enforce(): void {
    if (changed) recheck();
    changed = false;
    snapshots.save();
    if (ready) upToDate?.();
  }

  async function run(): Promise<void> {
    const silence = new AbortController();
    const watchdog = setTimeout(() => silence.abort(new Error('Silence')), silenceMs);
    try {
      const reply = await fetch(`${apiUrl}/api${feed.path}`, {
        headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
        // A redirect must not receive the key.
        redirect: 'error',
        signal: AbortSignal.any([stop, silence.signal]),
      });
      const type = reply.headers.get('content-type') ?? '';
      if (reply.status !== 200 || reply.body === null || !type.startsWith('text/event-stream')) {
        await reply.body?.cancel();
        throw new Error(`The feed answered ${reply.status} ${type}`);
      }
      const parser = createParser({ onEvent });
      const decoder = new TextDecoder();
      for await (const chunk of reply.body) {
        watchdog.refresh();
        try {
          parser.feed(decoder.decode(chunk, { stream: true }));
        } finally {
          enforce();
        }
      }
    } finally {
      clearTimeout(watchdog);
    }
  }

  return run();
}

/** The log's description of a failure. An event that breaks the contract is described by its path, never by its content. */
function feedFaultOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'An event is not JSON';
  if (!(error instanceof Error && 'issues' in error && Array.isArray(error.issues))) return faultOf(error);
  const [issue] = error.issues as { code?: string; path?: PropertyKey[] }[];
  return `An event breaks the contract: ${issue?.code} at ${issue?.path?.join('.')}`;
}
