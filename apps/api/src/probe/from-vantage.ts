import { cdnOf, classifyFailure, classifyOutside, type StepResult } from './classify-response.ts';
import { describeConnectError, describeResponse } from './messages.ts';
import type { OutsideStep } from './plan.ts';
import { failureOf, readReport, type Sighting, writePlan } from './vantage-text.ts';

/** Sends a plan to a vantage. @returns the report of each group, by its number */
export type SendPlan = (plan: { plan: string; groups: number }) => Promise<ReadonlyMap<number, string>>;

/** Lets a vantage send the requests of all steps at once. @returns the result of each step that the vantage reported */
export async function probeFromVantage(
  steps: readonly OutsideStep[],
  send: SendPlan,
): Promise<ReadonlyMap<OutsideStep, StepResult>> {
  const groups = [
    ...Map.groupBy(steps, ({ scheme, host, address }) => `${scheme} ${host} ${address}`).values(),
  ];
  const reports = await send({ plan: writePlan(groups), groups: groups.length });
  // grows: not, lives for one call
  const results = new Map<OutsideStep, StepResult>();
  for (const [at, group] of groups.entries()) {
    const sightings = readReport(reports.get(at) ?? '');
    for (const [index, step] of group.entries()) {
      const sighting = sightings.get(index);
      if (sighting !== undefined) results.set(step, resultOf(step, sighting));
    }
  }
  return results;
}

function resultOf(step: OutsideStep, sighting: Sighting): StepResult {
  if ('exit' in sighting) {
    const failed = failureOf(sighting);
    const finding = classifyFailure(failed, {
      first: step.kind === 'plain',
      connected: sighting.connected,
    });
    return { step, finding, detail: describeConnectError(failed), cdn: null };
  }
  const cdn = cdnOf(sighting.headers);
  return {
    step,
    finding: classifyOutside(step, sighting),
    detail: describeResponse(sighting, cdn, null),
    cdn,
  };
}
