import type { IncomingHttpHeaders } from 'node:http';

/** Text formats of vantage plans and reports, which a POSIX shell reads and writes. */

/** A request that a vantage sends. */
export interface VantageRequest {
  readonly scheme: 'https' | 'http';
  readonly host: string;
  readonly port: number;
  readonly address: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The result of one request of a vantage: the response head, or the exit status of curl if there is no response. */
export type Sighting =
  | { readonly status: number; readonly headers: IncomingHttpHeaders }
  | { readonly exit: number; readonly connected: boolean };

/**
 * Writes a line for each request: group, step within the group, scheme, host, port, address, path and header. The steps of one
 * group run in sequence; the first failed connection ends the group.
 */
export function writePlan(groups: readonly (readonly VantageRequest[])[]): string {
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

/** Parses a vantage's report on one group of requests. @returns results by step; malformed lines are ignored */
export function readReport(report: string): ReadonlyMap<number, Sighting> {
  // Bounded: the map exists for one call, with one entry per line of the report
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
