import { setTimeout as sleep } from 'node:timers/promises';
import { FEED_HEARTBEAT_MS, feed, feedEvents } from '@propusk/contract/feed';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { createAcknowledger } from './acknowledge.ts';
import type { Log } from './log.ts';
import type { Snapshots } from './snapshot.ts';

/**
 * Follows the api's feed (server-sent events, WHATWG HTML section 9.2) for as long as the gateway lives.
 *
 *   event ─> checked by the contract ─> put or drop ─> live tunnels judged again ─> acknowledged
 *
 * A connection first tells of every company, then `ready`: what it did not mention is gone. Only from then on does
 * hearing from it count as knowing the present state.
 */

export interface FeedOptions {
  readonly apiUrl: string;
  readonly key: string;
  /** This gateway's name at the api. */
  readonly gateway: string;
  readonly snapshots: Snapshots;
  /** Judges again all that is live. What changed is enforced when it is done. */
  readonly recheck: () => Promise<void> | void;
  readonly log: Log;
  /** Silence that means a dead connection: two heartbeats missed, and some. */
  readonly silenceMs?: number;
}

const FIRST_RETRY_MS = 200;
const LAST_RETRY_MS = 5_000;
const SILENCE_MS = FEED_HEARTBEAT_MS * 2 + 10_000;

/** Starts to follow. @returns what stops it */
export function startFeed(options: FeedOptions): () => Promise<void> {
  const { log } = options;
  const stop = new AbortController();
  const acknowledger = createAcknowledger({ ...options, signal: stop.signal });

  async function run(): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    while (!stop.signal.aborted) {
      const connection = follow(options, acknowledger.note, stop.signal);
      try {
        await connection.ended;
        log.info('The feed ended, connecting again');
      } catch (error) {
        if (stop.signal.aborted) return;
        log.warn({ fault: faultOf(error) }, 'The feed broke off, connecting again');
      }
      if (connection.wasReady()) retryMs = FIRST_RETRY_MS;
      // Jitter: gateways that lost one api must not all come back to it at one moment.
      await sleep(retryMs * (0.5 + Math.random() / 2), undefined, { signal: stop.signal }).catch(() => {});
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    }
  }

  const running = run();
  return async () => {
    stop.abort();
    await running;
  };
}

interface Connection {
  /** Settles when the connection is over. */
  readonly ended: Promise<void>;
  readonly wasReady: () => boolean;
}

/** One connection, from its first byte to its last. */
function follow(
  { apiUrl, key, snapshots, recheck, log, silenceMs = SILENCE_MS }: FeedOptions,
  acknowledge: (companyId: number, version: number) => void,
  stop: AbortSignal,
): Connection {
  // grows: by the feed; bound: one number for each company; at the bound: does not grow; test: none
  const mentioned = new Set<number>();
  /** To be acknowledged once live tunnels have been judged. */
  // grows: by the feed; bound: one number for each company; at the bound: does not grow; test: none
  const applied = new Set<number>();
  let changed = false;
  /** Settles when all that was changed so far is enforced; undefined where that was at once. */
  let enforced: Promise<void> | undefined;
  let ready = false;

  function drop(companyId: number): void {
    if (snapshots.drop(companyId)) changed = true;
  }

  function onEvent({ event = '', data }: EventSourceMessage): void {
    switch (event) {
      case 'company': {
        const snapshot = feedEvents.company.parse(JSON.parse(data));
        // Within a connection a lower version is a late one. Its first word on a company is the database's own, which may
        // have been restored from a backup: then versions start lower, and what was revoked since must not live on.
        if (snapshots.put(snapshot, !mentioned.has(snapshot.companyId))) changed = true;
        mentioned.add(snapshot.companyId);
        applied.add(snapshot.companyId);
        break;
      }
      case 'gone': {
        const { companyId } = feedEvents.gone.parse(JSON.parse(data));
        mentioned.delete(companyId);
        drop(companyId);
        break;
      }
      case 'ready':
        feedEvents.ready.parse(JSON.parse(data));
        for (const companyId of snapshots.index.companies.keys())
          if (!mentioned.has(companyId)) drop(companyId);
        ready = true;
        log.info({ companies: snapshots.index.companies.size }, 'The feed is up to date');
        break;
      case 'heartbeat':
        feedEvents.heartbeat.parse(JSON.parse(data));
        break;
      default:
        // A newer api may say more than this gateway understands.
        log.debug({ event }, 'Unknown event');
    }
    if (ready) snapshots.contact();
  }

  /** Once for all events that came in together. */
  function enforce(): void {
    const versions = [...applied].map((id) => [id, snapshots.index.companies.get(id)?.version] as const);
    applied.clear();
    const tell = () => {
      for (const [companyId, version] of versions) if (version !== undefined) acknowledge(companyId, version);
    };
    if (changed) enforced = recheck() ?? undefined;
    changed = false;
    if (enforced === undefined) tell();
    else void enforced.then(tell);
  }

  async function run(): Promise<void> {
    const silence = new AbortController();
    const watchdog = setTimeout(() => silence.abort(new Error('Silence')), silenceMs);
    try {
      const reply = await fetch(`${apiUrl}/api${feed.path}`, {
        headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
        // The key must not follow a redirection elsewhere.
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

  return { ended: run(), wasReady: () => ready };
}

/** What is said of a failure in the log: of an event that broke the contract only where, never its content. */
function faultOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'An event is not JSON';
  if (!(error instanceof Error)) return 'unknown';
  if ('issues' in error && Array.isArray(error.issues)) {
    const [issue] = error.issues as { code?: string; path?: PropertyKey[] }[];
    return `An event breaks the contract: ${issue?.code} at ${issue?.path?.join('.')}`;
  }
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
