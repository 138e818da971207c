import type { runTask } from '../vantage/task-store.ts';
import { inconclusive, type StepResult } from './classify-response.ts';
import { ConnectError, type ConnectErrorReason } from './connect-error.ts';
import { resultOfFailure, resultOfResponse } from './http-probe.ts';
import { type OutsideStep, placeOf } from './plan.ts';

/**
 * Lets a vantage send the requests of all steps at once. Each group holds at most eleven steps, all of one list and to one address.
 * @param send sends the groups, and returns the sighting of each step by the numbers of its group and the step
 * @returns the result of each step that the vantage reported
 */
export async function probeFromVantage(
  lists: readonly (readonly OutsideStep[])[],
  send: (groups: OutsideStep[][]) => ReturnType<typeof runTask>,
): Promise<ReadonlyMap<OutsideStep, StepResult>> {
  const groups = lists.flatMap((steps) => [...Map.groupBy(steps, placeOf).values()]);
  const reports = await send(groups);
  // grows: not, lives for one call
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

/** The exit status that vantage.sh reports for a private address, which it did not open. curl has no such status. */
const REFUSED = 250;

/** The connection errors of curl's exit statuses (man page of curl, EXIT CODES); the others are timeouts. */
const reasons: Readonly<Record<number, ConnectErrorReason>> = {
  // curl has one status for a refused connection and for a missing route; neither proves a firewall.
  7: 'connect_failed',
  35: 'tls_failed',
  52: 'broken_off',
  56: 'broken_off',
};
