import type { Tally } from '../threat-case.ts';
import type { Latency } from './latency.ts';
import { MB } from './resources.ts';

/** Limits of memory and latency that must hold under every client attack. */

/** Resident memory under attack, relative to the time before. */
const RESIDENT_SHARE = 1.5;
/** Bytes held per byte sent, beyond a fixed allowance per connection. */
const HELD_PER_SENT = 4;
const PER_CONNECTION = 64 * 1024;
/** V8 sizes its young generation by the request rate: this much memory comes and goes without an attack. */
const HEAP_NOISE = 32 * MB;
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
  tally: Tally,
  name: string,
  { base, peak, sent, connections }: Held,
  ended: string | null,
): void {
  const megabytes = (bytes: number) => `${(bytes / MB).toFixed(0)} MB`;
  const figures = `${name}: ${megabytes(base)} before, ${megabytes(peak)} at most, ${megabytes(sent)} sent on ${connections} connections`;
  tally.note(figures);
  tally.see(ended === null, `${name}: the process ended: ${ended?.slice(0, 300)}`);
  tally.see(peak <= base * RESIDENT_SHARE, `more than ${RESIDENT_SHARE} × before: ${figures}`);
  tally.see(
    peak - base <= HELD_PER_SENT * sent + PER_CONNECTION * connections + HEAP_NOISE,
    `more than ${HELD_PER_SENT} bytes held for each one sent: ${figures}`,
  );
}

/** Checks the latency of others under attack. @param floorMs what a busy machine adds without an attack */
export function checkLatency(
  tally: Tally,
  name: string,
  calm: Latency,
  beside: Latency,
  floorMs: number,
): void {
  const most = Math.max(LATENCY_SHARE * calm.p99, calm.p99 + floorMs);
  const figures = `${name} p99 ${calm.p99.toFixed(0)} ms calm, ${beside.p99.toFixed(0)} ms beside (${beside.count} tries)`;
  tally.note(figures);
  tally.see(beside.p99 <= most, `slower than ${most.toFixed(0)} ms: ${figures}`);
  for (const failure of new Set(beside.failed)) tally.see(false, `${name} failed: ${failure}`);
  for (const failure of new Set(calm.failed))
    tally.see(false, `${name} failed without an attack: ${failure}`);
}
