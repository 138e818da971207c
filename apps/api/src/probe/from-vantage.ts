import type { runTask } from '../vantage/task-store.ts';
import { inconclusive, type StepResult } from './classify-response.ts';
import { ConnectError, type ConnectErrorReason } from './connect-error.ts';
import { resultOfFailure, resultOfResponse } from './http-probe.ts';
import { type OutsideStep, placeOf } from './plan.ts';

/**
 * Runs several lists of probe steps on a vantage, as one task. Within a list, the steps with the same scheme, host name and
 * address form a group.
 * @param send runs the groups, and returns the outcome of each request by group number and step number
 * @returns the results of the steps that the vantage reported
 */
export async function probeFromVantage(
  lists: readonly (readonly OutsideStep[])[],
  send: (groups: OutsideStep[][]) => ReturnType<typeof runTask>,
): Promise<ReadonlyMap<OutsideStep, StepResult>> {
  const groups = lists.flatMap((steps) => [...Map.groupBy(steps, placeOf).values()]);
  const reports = await send(groups);
  // Bounded: this structure exists for one call only
  const results = new Map<OutsideStep, StepResult>();
  for (const [at, group] of groups.entries()) {
    for (const [index, step] of group.entries()) {
      const sighting = reports.get(at)?.get(index);
      if (sighting === undefined) continue;
      if ('status' in sighting) results.set(step, resultOfResponse(step, sighting, null));
      else if (sighting.exit === REFUSED) results.set(step, inconclusive(step, { code: 'vantage_private' }));
      else {
        const error = new ConnectError('site', reasons[sighting.exit] ?? 'timeout');
        results.set(step, resultOfFailure(step, error, sighting.connected));
      }
    }
  }
  return results;
}

/** The exit status of vantage.sh for a private address, which vantage.sh does not request. curl never uses this status. */
const REFUSED = 250;

/** Maps exit statuses of curl (its man page, EXIT CODES) to connection errors. Other statuses count as timeouts. */
const reasons: Readonly<Record<number, ConnectErrorReason>> = {
  // curl has the same exit status for a refused connection and a missing route, so this status does not prove a refusal.
  7: 'connect_failed',
  35: 'tls_failed',
  52: 'broken_off',
  56: 'broken_off',
};
