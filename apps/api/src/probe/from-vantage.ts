import type { IncomingHttpHeaders } from 'node:http';
import { inconclusive, type StepResult } from './classify-response.ts';
import { ConnectError, type ConnectErrorReason } from './connect-error.ts';
import type { ResponseHead } from './connect-tunnel.ts';
import { resultOfFailure, resultOfResponse } from './http-probe.ts';
import { type OutsideStep, placeOf } from './plan.ts';

/** Sends requests from a vantage. A POSIX shell reads the plan and writes the report, both as text. */

/** Sends a plan to a vantage. @returns the report of each group, by its number */
export type SendPlan = (plan: { plan: string; groups: number }) => Promise<ReadonlyMap<number, string>>;

/**
 * Lets a vantage send the requests of all steps at once. Each group holds at most eleven steps, all of one list and to one address.
 * @returns the result of each step that the vantage reported
 */
export async function probeFromVantage(
  lists: readonly (readonly OutsideStep[])[],
  send: SendPlan,
): Promise<ReadonlyMap<OutsideStep, StepResult>> {
  const groups = lists.flatMap((steps) => [...Map.groupBy(steps, placeOf).values()]);
  const reports = await send({ plan: writePlan(groups), groups: groups.length });
  // grows: not, lives for one call
  const results = new Map<OutsideStep, StepResult>();
  for (const [at, group] of groups.entries()) {
    const sightings = readReport(reports.get(at) ?? '');
    for (const [index, step] of group.entries()) {
      const sighting = sightings.get(index);
      if (sighting === undefined) continue;
      const result =
        'exit' in sighting && sighting.exit === REFUSED
          ? inconclusive(step, { code: 'vantage_private' })
          : 'exit' in sighting
            ? resultOfFailure(
                step,
                new ConnectError('site', reasons[sighting.exit] ?? 'timeout'),
                sighting.connected,
              )
            : resultOfResponse(step, sighting, null);
      results.set(step, result);
    }
  }
  return results;
}

/** What a vantage saw for one request: the head of the response, or the exit status of curl without one. */
type Sighting = ResponseHead | { readonly exit: number; readonly connected: boolean };

/**
 * Writes a line for each request: group, step within it, scheme, host, port, address, path and header. The steps of
 * one group run one after another; the first failed connection ends the group.
 */
function writePlan(groups: readonly (readonly OutsideStep[])[]): string {
  const lines = groups.flatMap((group, at) =>
    group.map(({ scheme, host, port, address, path, headers }, step) => {
      const [header] = Object.entries(headers);
      const shown = header === undefined ? '' : `${header[0]}: ${header[1]}`;
      return [at, step, scheme, host, port, address, path, shown].join('\t');
    }),
  );
  return `${lines.join('\n')}\n`;
}

/** The exit status that vantage.sh reports for a private address, which it did not open. curl has no such status. */
const REFUSED = 250;

const LINE = /^(\d{1,3}) (\d{1,3}) (\d{1,3}) ([01]) ([A-Za-z0-9+/]+={0,2}|-)$/;
const MAX_HEADERS = 16;

/** Reads the report of a group: the sighting of each step. Lines that are no sighting are ignored. */
function readReport(report: string): ReadonlyMap<number, Sighting> {
  // grows: not, lives for one call
  const sightings = new Map<number, Sighting>();
  for (const line of Buffer.from(report, 'base64').toString('latin1').split('\n')) {
    const [, step, exit, status, connected, head] = LINE.exec(line) ?? [];
    if (step === undefined || head === undefined) continue;
    const code = Number(status);
    if (code >= 100 && code <= 599) sightings.set(Number(step), { status: code, headers: readHead(head) });
    else sightings.set(Number(step), { exit: Number(exit), connected: connected === '1' });
  }
  return sightings;
}

function readHead(head: string): IncomingHttpHeaders {
  if (head === '-') return {};
  const lines = Buffer.from(head, 'base64').toString('latin1').split(/\r?\n/).slice(0, MAX_HEADERS);
  const pairs = lines.flatMap((line): [string, string][] => {
    const [, name, value] = /^([A-Za-z0-9-]{1,60}):[ \t]*(.{0,300})/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name.toLowerCase(), value.trim()]];
  });
  return Object.fromEntries(pairs);
}

/** The connection errors of curl's exit statuses (man page of curl, EXIT CODES); the others are timeouts. */
const reasons: Readonly<Record<number, ConnectErrorReason>> = {
  // curl has one status for a refused connection and for a missing route; neither proves a firewall.
  7: 'connect_failed',
  35: 'tls_failed',
  52: 'broken_off',
  56: 'broken_off',
};
