import type { Visit } from '@propusk/contract/records';
import * as t from '@propusk/phrases/console';

const columns: [title: string, value: (visit: Visit) => string | number][] = [
  [t.visits.when, ({ startedAt }) => startedAt],
  [t.statistics.detailTerms.duration, ({ ms }) => Math.round(ms / 1000)],
  [t.visits.person, ({ user }) => user?.name ?? ''],
  [t.visits.site, ({ host }) => host],
  [t.statistics.detailTerms.port, ({ port }) => port],
  [t.visits.where, ({ address }) => address],
  [t.statistics.detailTerms.client, ({ client }) => client ?? ''],
  [t.statistics.detailTerms.kind, ({ kind }) => t.visits.kinds[kind]],
  [
    t.visits.result,
    ({ kind, state }) =>
      kind === 'refusal' || kind === 'loss' ? t.visits.kinds[kind] : t.visits.states[state],
  ],
  [t.statistics.reason, ({ reason }) => reason],
  [t.statistics.detailTerms.policy, ({ policy }) => policy?.name ?? ''],
  [t.statistics.detailTerms.proxy, ({ proxy }) => proxy?.name ?? ''],
  [t.statistics.detailTerms.count, ({ count }) => count],
  [t.statistics.figures.visits, ({ kind, visits }) => (kind === 'refusal' || kind === 'loss' ? 0 : visits)],
  [t.statistics.detailTerms.up, ({ up }) => up],
  [t.statistics.detailTerms.down, ({ down }) => down],
];

// A quoted cell may hold separators and line ends (RFC 4180). An apostrophe keeps a spreadsheet from running a formula.
const cell = (value: string | number) =>
  `"${String(value)
    .replace(/^[=+\-@\t\r\n]/, "'$&")
    .replaceAll('"', '""')}"`;
const lineOf = (values: (string | number)[]) => `${values.map(cell).join(';')}\r\n`;

/** The beginning of a CSV for a Russian Excel: a byte order mark, and the titles between semicolons. */
export const csvHead = `\uFEFF${lineOf(columns.map(([title]) => title))}`;

/** Creates a converter of JSON lines, in chunks of any length, to lines of CSV. Each line is a `Visit`. */
export function csvConverter(): (chunk: Uint8Array) => string {
  const decoder = new TextDecoder();
  let rest = '';
  return (chunk) => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    return lines
      .map((line) => JSON.parse(line) as Visit)
      .map((visit) => lineOf(columns.map(([, value]) => value(visit))))
      .join('');
  };
}
