import type { ConnectionRefusal } from '@propusk/overload/connection-limit';
import type { Log } from '../log.ts';

const LOG_MS = 60_000;

/**
 * Logs once a minute how many connections were reset, by reason. A line for each would let a flood of connections fill the disk.
 * @param counts of the connections reset since the start, which grow @returns a function that logs the last ones and stops
 */
export function logConnectionRefusals(counts: ReadonlyMap<ConnectionRefusal, number>, log: Log): () => void {
  let logged = new Map(counts);
  const report = () => {
    const fresh = [...counts].map(([reason, count]) => [reason, count - (logged.get(reason) ?? 0)] as const);
    logged = new Map(counts);
    const reset = Object.fromEntries(fresh.filter(([, count]) => count > 0));
    if (Object.keys(reset).length > 0) log.warn({ reset }, 'Connections reset');
  };
  const timer = setInterval(report, LOG_MS);
  return () => {
    clearInterval(timer);
    report();
  };
}
