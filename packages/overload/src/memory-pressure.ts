import { getHeapStatistics } from 'node:v8';

/** Whether the process is short of memory and takes on no new work. */
export type MemoryPressure = () => boolean;

/** How long one reading counts. Reading costs some 10 µs. */
const READING_MS = 250;
/** New work is refused above the first share of the limit, and taken again below the second. */
const HIGH = 0.9;
const LOW = 0.8;

/**
 * Watches the memory that this process fills: V8's heap and the buffers beside it. Resident memory is no measure, since it
 * stays high after a peak.
 * @param limit in bytes; V8's own limit holds as well
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
