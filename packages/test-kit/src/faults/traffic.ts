import { setTimeout as sleep } from 'node:timers/promises';
import { createSite, listSites } from '@propusk/contract/sites';
import { companyUsers } from '@propusk/contract/users';
import type { TestApi } from '../api/api.ts';

/** One call with its result; times in milliseconds of `performance.now()`. */
export interface Seen {
  readonly what: 'read' | 'write';
  readonly began: number;
  readonly ended: number;
  readonly status: number;
}

export interface Traffic extends Disposable {
  readonly seen: readonly Seen[];
  /** Waits until one read and one write that began after `moment` have succeeded. @returns when the later of them ended */
  wellSince(moment: number): Promise<number>;
  /** Stops after the current writes are acknowledged. @returns the differences between acknowledged and stored sites */
  end(): Promise<string[]>;
}

const PAUSE_MS = 60;

/**
 * Starts readers and writers of one company that continue after errors. A writer repeats each create under its
 * `Idempotency-Key` until it is acknowledged, like a careful client.
 */
export function startTraffic(api: TestApi, owner: string, { readers = 2, writers = 2 } = {}): Traffic {
  const seen: Seen[] = [];
  const acknowledged: string[] = [];
  const stop = new AbortController();
  /** Aborts when the test has failed: writers then do not wait for their last acknowledgement. */
  const dropped = new AbortController();
  let serial = 0;

  async function call(what: Seen['what'], work: () => Promise<{ status: number }>): Promise<number> {
    const began = performance.now();
    const { status } = await work();
    seen.push({ what, began, ended: performance.now(), status });
    return status;
  }

  async function read(): Promise<void> {
    while (!stop.signal.aborted) {
      await call('read', () => api.call(owner, companyUsers));
      await sleep(PAUSE_MS);
    }
  }

  async function write(): Promise<void> {
    while (!stop.signal.aborted) {
      const address = `site${serial++}.example.ru`;
      const headers = { 'idempotency-key': address };
      while (
        !dropped.signal.aborted &&
        (await call('write', () => api.call(owner, createSite, { body: { address }, headers }))) !== 201
      )
        await sleep(PAUSE_MS);
      acknowledged.push(address);
      await sleep(PAUSE_MS);
    }
  }

  const running = [...Array.from({ length: readers }, read), ...Array.from({ length: writers }, write)];
  return {
    seen,
    async wellSince(moment) {
      const first = (what: Seen['what']) =>
        seen.find((one) => one.what === what && one.began > moment && one.status < 300);
      while (!dropped.signal.aborted) {
        const [ofRead, ofWrite] = [first('read'), first('write')];
        if (ofRead !== undefined && ofWrite !== undefined) return Math.max(ofRead.ended, ofWrite.ended);
        await sleep(20);
      }
      return Infinity;
    },
    [Symbol.dispose]() {
      dropped.abort();
      stop.abort();
    },
    async end() {
      stop.abort();
      await Promise.all(running);
      const { rows } = await api.must(owner, listSites);
      const stored = rows.map(({ address }) => address);
      return [
        ...acknowledged.filter((address) => !stored.includes(address)).map((address) => `${address} is lost`),
        ...stored
          .filter((address) => !acknowledged.includes(address))
          .map((address) => `${address} was never acknowledged`),
        ...stored
          .filter((address, place) => stored.indexOf(address) !== place)
          .map((address) => `${address} is stored twice`),
      ];
    },
  };
}
