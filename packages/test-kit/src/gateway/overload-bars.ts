import { quickOrSoak, type Tally } from '../threat-case.ts';
import type { Latency } from './latency.ts';
import { MB } from './resources.ts';

/** Limits of memory and latency that must hold under every client attack. */

/** Resident memory under attack, relative to the time before. */
const RESIDENT_SHARE = 1.5;
/** Bytes held per byte sent, beyond a fixed allowance per connection. */
const HELD_PER_SENT = 4;
const PER_CONNECTION = 64 * 1024;
/**
 * Growth of memory without an attack: V8 sizes its young generation by the rate of requests, up to 192 MB
 * in Node 24. On a busy machine the resident memory may grow by 64 MB when clients send 6 MB.
 */
const HEAP_NOISE = 64 * MB;
/** 99th percentile of latency under attack, relative to the time before. */
const LATENCY_SHARE = 2;

export interface Held {
  /** Resident memory in bytes: after the warm-up, and the maximum under attack. */
  readonly base: number;
  readonly peak: number;
  readonly sent: number;
  readonly connections: number;
}

/** Checks a process's memory under attack. @param ended how the process ended, null while it runs */
export function checkMemory(
  round: Round,
  name: string,
  { base, peak, sent, connections }: Held,
  ended: string | null,
): void {
  const megabytes = (bytes: number) => `${(bytes / MB).toFixed(0)} MB`;
  const figures = `${name}: ${megabytes(base)} before, ${megabytes(peak)} at most, ${megabytes(sent)} sent on ${connections} connections`;
  round.note(figures);
  round.see(ended === null, `${name}: the process ended: ${ended?.slice(0, 300)}`);
  round.see(peak <= base * RESIDENT_SHARE, `more than ${RESIDENT_SHARE} × before: ${figures}`);
  round.see(
    peak - base <= HELD_PER_SENT * sent + PER_CONNECTION * connections + HEAP_NOISE,
    `more than ${HELD_PER_SENT} bytes held for each one sent: ${figures}`,
  );
}

/** One round of `measureAgain`: `slow` records a check of time, `see` any other. */
export interface Round extends Pick<Tally, 'see' | 'note'> {
  slow(held: boolean, otherwise: string): void;
}

/**
 * Records a failed check when an attack delays the requests of others too much.
 * @param floorMs the delay in ms that a busy machine adds without an attack
 */
export function checkLatency(
  round: Round,
  name: string,
  calm: Latency,
  beside: Latency,
  floorMs: number,
): void {
  const most = Math.max(LATENCY_SHARE * calm.p99, calm.p99 + floorMs);
  const figures = `${name} p99 ${calm.p99.toFixed(0)} ms calm, ${beside.p99.toFixed(0)} ms beside (${beside.count} tries)`;
  round.note(figures);
  round.slow(beside.p99 <= most, `slower than ${most.toFixed(0)} ms: ${figures}`);
  for (const failure of new Set(beside.failed)) round.see(false, `${name} failed: ${failure}`);
  for (const failure of new Set(calm.failed))
    round.see(false, `${name} failed without an attack: ${failure}`);
}

/**
 * `npm test` may share its machine, so a slow measurement gets three rounds. The soak runs one longer
 * round.
 */
const ROUNDS = quickOrSoak(3, 1);

/**
 * Repeats a measurement under attack while only checks of time fail, at most three times. An attack delays each
 * round, a stall of the machine does not. The last round counts. A round with any other failure counts at once.
 */
export async function measureAgain(tally: Tally, measure: (round: Round) => Promise<void>): Promise<void> {
  for (let left = ROUNDS; ; left--) {
    const checks: { held: boolean; otherwise: string; ofTime: boolean }[] = [];
    const notes: string[] = [];
    await measure({
      see: (held, otherwise) => void checks.push({ held, otherwise, ofTime: false }),
      slow: (held, otherwise) => void checks.push({ held, otherwise, ofTime: true }),
      note: (text) => void notes.push(text),
    });
    const missed = checks.filter(({ held }) => !held);
    if (left > 1 && missed.length > 0 && missed.every(({ ofTime }) => ofTime)) continue;
    for (const text of notes) tally.note(text);
    for (const { held, otherwise } of checks) tally.see(held, otherwise);
    return;
  }
}
