import { readFileSync } from 'node:fs';

/** Shorter processor times say nothing about the machine. */
const LEAST_RUN_NS = 2_000_000;

/** Nanoseconds that the main thread ran, and that it was ready but waited for a processor (proc_pid_schedstat(5)). */
function processorTimes(): [ran: number, waited: number] {
  try {
    const [ran = 0, waited = 0] = readFileSync('/proc/self/schedstat', 'utf8').split(' ').map(Number);
    return [ran, waited];
  } catch {
    return [0, 0];
  }
}

/** @returns a function that returns by which factor this process has run slower since than on an idle machine, where it is 1 */
export function startControl(): () => number {
  const [ranBefore, waitedBefore] = processorTimes();
  return () => {
    const [ran, waited] = processorTimes();
    return 1 + (waited - waitedBefore) / Math.max(ran - ranBefore, LEAST_RUN_NS);
  };
}

/**
 * Measures elapsed time for a promise of time, such as "revoked within a second". Its control is this process itself: the time is divided
 * by the factor by which the process ran slower than on an idle machine.
 * @returns a function that returns milliseconds since the start
 */
export function stopwatch(): () => number {
  const [started, factor] = [performance.now(), startControl()];
  return () => (performance.now() - started) / factor();
}
