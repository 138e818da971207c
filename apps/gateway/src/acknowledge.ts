import { setTimeout as sleep } from 'node:timers/promises';
import { acknowledge } from '@propusk/contract/feed';
import type { Log } from './log.ts';

/** Reports to the api which policy versions this gateway enforces: one call at a time, only the newest version of a company. */

export interface Acknowledger {
  note(companyId: number, version: number): void;
}

export interface AcknowledgerOptions {
  readonly apiUrl: string;
  readonly key: string;
  /** This gateway's name at the api. */
  readonly gateway: string;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const CALL_MS = 5_000;
const RETRY_MS = 2_000;

/** Creates an acknowledger that works until the signal aborts. */
export function createAcknowledger({ apiUrl, key, gateway, log, signal }: AcknowledgerOptions): Acknowledger {
  // grows: by companies in the feed; bound: one number for each company; at the bound: a newer version replaces the older
  // one
  const pending = new Map<number, number>();
  let running = false;

  async function tell(companyId: number, version: number): Promise<number> {
    const reply = await fetch(`${apiUrl}/api${acknowledge.path}`, {
      method: acknowledge.method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ gateway, companyId, version }),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]),
    });
    await reply.body?.cancel();
    return reply.status;
  }

  async function run(): Promise<void> {
    running = true;
    for (const [companyId, version] of pending) {
      if (signal.aborted) break;
      pending.delete(companyId);
      const status = await tell(companyId, version).catch(() => 0);
      if (status >= 200 && status < 300) continue;
      log.debug({ companyId, version, status }, 'Not acknowledged');
      // Retry while the api is unavailable, unless a newer version waits. Drop a call that the api rejects.
      if (status !== 0 && status < 500) continue;
      if (!pending.has(companyId)) pending.set(companyId, version);
      await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => {});
    }
    running = false;
  }

  return {
    note(companyId, version) {
      pending.set(companyId, version);
      if (!running) void run();
    },
  };
}
