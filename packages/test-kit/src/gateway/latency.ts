import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** What the neighbours of an attack notice. */

/** Latencies in milliseconds, of work that was repeated. */
export interface Latency {
  readonly count: number;
  readonly failed: readonly string[];
  readonly p50: number;
  readonly p99: number;
}

interface MeasureOptions<T> {
  /** Between the end of one and the next. */
  readonly pauseMs?: number;
  /** How many at once: a hundredth of few tries is the slowest one. */
  readonly parallel?: number;
  /** What comes before each, unmeasured. */
  readonly prepare?: () => Promise<T>;
}

/**
 * Does the work again and again while it is wanted, and measures it.
 * @param work takes what was prepared; throws when it was refused or cut off
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

/** True for so many milliseconds from now on. */
export function during(ms: number): () => boolean {
  const until = performance.now() + ms;
  return () => performance.now() < until;
}

/** A call on a connection of its own. @param from the address that it comes from @throws Error for any status but 200 */
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
