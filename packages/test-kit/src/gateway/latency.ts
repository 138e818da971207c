import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Measures latency and failures of work beside an attack. */

/** Latencies of repeated work, in milliseconds. */
export interface Latency {
  readonly count: number;
  readonly failed: readonly string[];
  readonly p50: number;
  readonly p99: number;
}

interface MeasureOptions<T> {
  /** Milliseconds between the end of one run and the next. */
  readonly pauseMs?: number;
  /** Number of parallel runs: with few samples the 99th percentile is the slowest one. */
  readonly parallel?: number;
  /** Unmeasured preparation of each run. */
  readonly prepare?: () => Promise<T>;
}

/**
 * Repeats work while `wanted` is true, and measures it.
 * @param work receives the prepared value; throws when it was refused or cut off
 */
export async function measure<T = undefined>(
  work: (prepared: T | undefined) => Promise<unknown>,
  wanted: () => boolean,
  { pauseMs = 20, parallel = 1, prepare }: MeasureOptions<T> = {},
): Promise<Latency> {
  const times: number[] = [];
  const failed: string[] = [];
  const repeat = async () => {
    while (wanted()) {
      let began = performance.now();
      try {
        const prepared = await prepare?.();
        began = performance.now();
        await work(prepared);
      } catch (error) {
        failed.push(String(error));
      }
      times.push(performance.now() - began);
      await sleep(pauseMs);
    }
  };
  await Promise.all(Array.from({ length: parallel }, repeat));
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.ceil(times.length * share) - 1] ?? Infinity;
  return { count: times.length, failed, p50: at(0.5), p99: at(0.99) };
}

/** Returns a function that is true for a number of milliseconds. */
export function during(ms: number): () => boolean {
  const until = performance.now() + ms;
  return () => performance.now() < until;
}

/** Makes a call on a new connection. @param from its source address @throws Error for any status but 200 */
export function ask(
  port: number,
  path: string,
  { token, body, from }: { token?: string; body?: unknown; from?: string } = {},
): Promise<string> {
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(from !== undefined && { 'x-forwarded-for': from }),
  };
  const method = body === undefined ? 'GET' : 'POST';
  const to = { port, host: '127.0.0.1', path, method, headers, agent: false, timeout: 20_000 };
  return new Promise((resolve, reject) => {
    const asked = request(to, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (more: string) => (text += more));
      res.once('end', () =>
        res.statusCode === 200 ? resolve(text) : reject(new Error(`${path}: ${res.statusCode}`)),
      );
      res.once('error', reject);
    });
    asked.once('timeout', () => asked.destroy(new Error(`${path}: no answer within 20 s`)));
    asked.once('error', reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
