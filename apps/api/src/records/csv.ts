import type { Visit } from '@propusk/contract/records';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { BOM, lineOf } from '../http/csv.ts';
import type { ExportedVisit } from './log.ts';

const { detailTerms: terms } = t.statistics;
const isVisit = ({ kind }: Visit) => kind !== 'refusal' && kind !== 'loss';
const reasonOf = ({ kind, reason }: Visit) =>
  (kind === 'loss' ? t.visits.losses : t.visits.reasons)[reason] ?? reason;

const columns: [title: string, value: (visit: ExportedVisit) => string | number][] = [
  [t.visits.when, ({ localTime }) => localTime],
  [terms.duration, ({ ms }) => Math.round(ms / 1000)],
  [t.visits.person, ({ user }) => user?.name ?? ''],
  [t.statistics.export.mail, ({ mail }) => mail ?? ''],
  [t.visits.site, ({ host }) => (host === '*' ? t.visits.several : unicodeHost(host))],
  [terms.port, ({ port }) => port],
  [t.visits.where, ({ address }) => address],
  [terms.client, ({ client }) => client ?? ''],
  [terms.kind, ({ kind }) => t.visits.kinds[kind]],
  [t.visits.result, (visit) => (isVisit(visit) ? t.visits.states[visit.state] : t.visits.kinds[visit.kind])],
  [t.statistics.reason, reasonOf],
  [terms.policy, ({ policy }) => policy?.name ?? ''],
  [terms.proxy, ({ proxy }) => proxy?.name ?? ''],
  [terms.count, ({ count }) => count],
  [t.statistics.figures.visits, (visit) => (isVisit(visit) ? visit.visits : 0)],
  [terms.up, ({ up }) => up],
  [terms.down, ({ down }) => down],
];

export const csvHead = BOM + lineOf(columns.map(([title]) => title));

/** Converts JSON lines of exported visits to lines of CSV. */
export function csvOf(lines: string): string {
  const visits = lines.split('\n').filter((line) => line !== '');
  return visits
    .map((line) => JSON.parse(line) as ExportedVisit)
    .map((visit) => lineOf(columns.map(([, value]) => value(visit))))
    .join('');
}

/**
 * The name of an exported file, with the first and last day of its period in the company's time zone.
 * @param to the exclusive end of the period
 */
export function fileNameOf(
  company: string,
  timeZone: string,
  { from, to }: { from?: string | undefined; to?: string | undefined },
): string {
  const day = new Intl.DateTimeFormat('ru', { dateStyle: 'short', timeZone });
  const first = from && day.format(Date.parse(from));
  const last = to && day.format(Date.parse(to) - 1);
  return t.statistics.export.file(company, first, last);
}
