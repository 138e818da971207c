import type { IncomingHttpHeaders } from 'node:http';
import type { ResponseHead } from './classify-response.ts';
import { ConnectError } from './connect-error.ts';
import type { OutsideStep } from './plan.ts';

/** The text in which a vantage gets its requests and reports what it saw. A POSIX shell reads and writes it. Pure functions. */

/** One request of a plan. Steps of one group run one after another; the first failed connection ends the group. */
export type PlannedRequest = Pick<OutsideStep, 'scheme' | 'host' | 'port' | 'address' | 'path' | 'headers'>;

/** What a vantage saw for one request: the head of the response, or the exit status of curl without one. */
export type Sighting = ResponseHead | { readonly exit: number; readonly connected: boolean };

/** Writes a line for each request: group, step within it, scheme, host, port, address, path and header. */
export function writePlan(groups: readonly (readonly PlannedRequest[])[]): string {
  const lines = groups.flatMap((group, at) =>
    group.map(({ scheme, host, port, address, path, headers }, step) => {
      const [header] = Object.entries(headers);
      const shown = header === undefined ? '' : `${header[0]}: ${header[1]}`;
      return [at, step, scheme, host, port, address, path, shown].join('\t');
    }),
  );
  return `${lines.join('\n')}\n`;
}

const LINE = /^(\d{1,3}) (\d{1,3}) (\d{1,3}) ([01]) ([A-Za-z0-9+/]+={0,2}|-)$/;
const MAX_HEADERS = 16;

/** Reads the report of a group: the sighting of each step. Lines that are no sighting are ignored. */
export function readReport(report: string): ReadonlyMap<number, Sighting> {
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

/** The failure that an exit status of curl stands for (man page of curl, EXIT CODES). */
export function failureOf({ exit }: { readonly exit: number }): ConnectError {
  // curl has one status (7) for a refused connection and for a missing route; neither proves a firewall.
  if (exit === 7) return new ConnectError('site', 'connect_failed');
  if (exit === 35) return new ConnectError('site', 'tls_failed');
  if (exit === 52 || exit === 56) return new ConnectError('site', 'broken_off');
  return new ConnectError('site', 'timeout');
}
