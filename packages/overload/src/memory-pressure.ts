import { getHeapStatistics } from 'node:v8';

/** Whether the process is short of memory and must refuse new work. */
export type MemoryPressure = () => boolean;

/** A measurement of memory, which takes about 10 µs, is reused for this many ms. */
const READING_MS = 250;
/** Shares of the limit: work is refused above HIGH and accepted again below LOW. */
const HIGH = 0.9;
const LOW = 0.8;

/**
 * Measures V8's heap and external buffers. Resident memory is unsuitable: it stays high after a peak.
 * @param limit in bytes; V8's own heap limit applies too
 */
export function memoryPressure(limit: number): MemoryPressure {
  const heapLimit = getHeapStatistics().heap_size_limit;
  let readAt = Number.NEGATIVE_INFINITY;
  let short = false;
  return () => {
    const now = performance.now();
    if (now - readAt < READING_MS) return short;
    readAt = now;
    const { heapUsed, external } = process.memoryUsage();
    const share = short ? LOW : HIGH;
    short = heapUsed + external > limit * share || heapUsed > heapLimit * share;
    return short;
  };
}
