import { listVisits, type Visit, type VisitQuery } from '@propusk/contract/records';
import * as t from '@propusk/phrases/console';
import { call } from '../../api/call.ts';

/** The most rows of a file: more would weigh on the browser's memory. */
export const MOST_ROWS = 10_000;
const PAGE = 100;

/**
 * Reads the pages of the access log up to `MOST_ROWS`.
 * @param onRows called after each page with the number of rows so far
 * @throws ApiError on a failed page; the signal's reason after an abort
 */
export async function readRows(
  query: Partial<VisitQuery>,
  onRows: (count: number) => void,
  signal: AbortSignal,
) {
  const rows: Visit[] = [];
  let before: string | undefined;
  do {
    const page = await call(listVisits, { query: { ...query, before, take: PAGE } }, signal);
    rows.push(...page.rows);
    before = page.next ?? undefined;
    onRows(rows.length);
  } while (before !== undefined && rows.length < MOST_ROWS);
  return { rows, complete: before === undefined };
}

const columns: [title: string, value: (visit: Visit) => string | number][] = [
  [t.visits.when, ({ startedAt }) => startedAt],
  [t.statistics.detailTerms.duration, ({ ms }) => Math.round(ms / 1000)],
  [t.visits.person, ({ user }) => user?.name ?? ''],
  [t.visits.site, ({ host }) => host],
  [t.statistics.detailTerms.port, ({ port }) => port],
  [t.visits.where, ({ address }) => address],
  [t.statistics.detailTerms.kind, ({ kind }) => t.visits.kinds[kind]],
  [t.visits.result, ({ kind, state }) => (kind === 'refusal' ? t.visits.refused : t.visits.states[state])],
  [t.statistics.reason, ({ reason }) => reason],
  [t.statistics.detailTerms.policy, ({ policy }) => policy?.name ?? ''],
  [t.statistics.detailTerms.proxy, ({ proxy }) => proxy?.name ?? ''],
  [t.statistics.detailTerms.count, ({ count }) => count],
  [t.statistics.detailTerms.up, ({ up }) => up],
  [t.statistics.detailTerms.down, ({ down }) => down],
];

/** Renders visits as CSV for a Russian Excel: a byte order mark, semicolons. An apostrophe keeps Excel from running a formula. */
export function csvOf(rows: readonly Visit[]): string {
  const cell = (value: string | number) =>
    `"${String(value)
      .replace(/^[=+\-@\t\r]/, "'$&")
      .replaceAll('"', '""')}"`;
  const lines = [
    columns.map(([title]) => title),
    ...rows.map((row) => columns.map(([, value]) => value(row))),
  ];
  return `\uFEFF${lines.map((line) => `${line.map(cell).join(';')}\r\n`).join('')}`;
}
