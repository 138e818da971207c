import { VisuallyHidden } from '@mantine/core';
import type { Share, Statistics, StatisticsQuery } from '@propusk/contract/records';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatBytes, formatCount, nameOfHost, reasonLabel } from '../../entities/visit/visit-text.ts';
import type { Period } from '../../lists/list-search.ts';
import { Card } from '../../ui/card.tsx';
import { TwoLines } from '../../ui/two-lines.tsx';
import { Sorter } from '../../ui/use-sort.tsx';
import classes from './statistics.module.css';
import { useRemedy } from './use-remedy.tsx';

const { figures, nothing } = t.statistics;
const { site, person, traffic } = t.visits;

export type Order = NonNullable<StatisticsQuery['topBy']>;

/** Maps the title of a column to the order that a click on it sets. */
const orders = new Map<string, Order>([
  [figures.visits, 'visits'],
  [traffic, 'bytes'],
]);

/** Tables of a period: top sites and users, refusals, unused access, idle sites. Names open the access log of these days. */
export function Lists(props: {
  data: Statistics;
  days: Period;
  /** The measure by which the server chose the most active sites and users. */
  order: Order;
  onOrder: (order: Order) => void;
}) {
  const { data, days, order } = props;
  const remedy = useRemedy();
  return (
    <div className={classes.lists}>
      <Table
        title={t.statistics.topSites}
        none={t.statistics.none}
        head={[site, figures.visits, traffic]}
        order={props}
        rows={sharesOf(data.sites, order, ({ id, name }) => toLog(unicodeHost(name), { ...days, site: id }))}
      />
      <Table
        title={t.statistics.topPeople}
        none={t.statistics.none}
        head={[person, figures.visits, traffic]}
        order={props}
        rows={sharesOf(data.users, order, ({ id, name }) => toLog(name, { ...days, user: id }))}
      />
      <Table
        title={t.statistics.refused}
        lead={t.statistics.refusedHint}
        none={nothing}
        head={[person, figures.refusals, '']}
        rows={[...Map.groupBy(data.refused, ({ reason }) => reason)].flatMap(([reason, refusals]) => [
          { key: reason, name: reasonLabel(reason), cells: [] },
          ...refusals.map((refusal) => ({
            key: `${reason} ${refusal.user?.id} ${refusal.host}`,
            name: toLog(two(refusal.user?.name ?? t.visits.someone, nameOfHost(refusal.host)), {
              ...{ ...days, result: 'refused', reason, user: refusal.user?.id, site: refusal.site?.id },
            }),
            cells: [formatCount(refusal.count), remedy.button(refusal)],
          })),
        ])}
      />
      <Table
        title={t.statistics.unused}
        lead={t.statistics.unusedHint}
        none={nothing}
        head={[person, '']}
        rows={data.unused.map(({ user, site: { id, name } }) => ({
          key: `${user.id} ${id}`,
          name: two(user.name, unicodeHost(name)),
          cells: [open('/dashboard/creator/users/$id/edit', user.id)],
        }))}
      />
      <Table
        title={t.statistics.idle}
        none={nothing}
        head={[site, '']}
        rows={data.idle.map((idle) => ({
          key: String(idle.id),
          name: unicodeHost(idle.name),
          cells: [open('/dashboard/creator/domains/$id/edit', idle.id)],
        }))}
      />
      {remedy.dialog}
    </div>
  );
}

/** A link to the access log with these filters. */
export const toLog = (name: ReactNode, search: object) => (
  <Link
    {...{ className: classes.toLog, search }}
    to="/dashboard/creator/statistics/$part"
    params={{ part: 'log' }}
  >
    {name}
  </Link>
);

const two = (first: string, second: string) => <TwoLines first={first} second={second} />;
const open = (
  to: '/dashboard/creator/users/$id/edit' | '/dashboard/creator/domains/$id/edit',
  id: number,
) => (
  <Link className={classes.link} to={to} params={{ id: String(id) }}>
    {t.statistics.open}
  </Link>
);

/** Rows with a bar behind the name. Bar widths are relative to the first row, which has the most visits or bytes. */
function sharesOf(shares: readonly Share[], order: Order, nameOf: (share: Share) => ReactNode) {
  return shares.map((share) => ({
    key: String(share.id),
    name: nameOf(share),
    cells: [formatCount(share.visits), formatBytes(share.bytes)],
    percent: (100 * share[order]) / (shares[0]?.[order] || 1),
  }));
}

/** A card with a table, or with a sentence if the table has no rows. A row without cells is a heading of the rows below it. */
function Table(props: {
  title: string;
  lead?: string;
  none: string;
  head: readonly string[];
  /** A click on the header of the visits or of the traffic changes the order of the rows. */
  order?: { order: Order; onOrder: (order: Order) => void };
  rows: readonly { key: string; name: ReactNode; cells: readonly ReactNode[]; percent?: number }[];
}) {
  const { none, head, rows, order, ...card } = props;
  return (
    <Card {...card} footer={rows.length === 0 && <p>{none}</p>}>
      {rows.length > 0 && (
        <table className={classes.numbers}>
          <thead>
            <tr>
              {head.map((title) => {
                const by = order && orders.get(title);
                const direction = by && by === order.order ? 'descending' : 'none';
                return (
                  <th key={title} aria-sort={by && direction}>
                    {by ? (
                      <Sorter title={title} direction={direction} onClick={() => order.onOrder(by)} />
                    ) : (
                      title || <VisuallyHidden>{t.columns.actions}</VisuallyHidden>
                    )}
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, name, cells, percent }) => (
              <tr key={key}>
                <th scope="row" colSpan={head.length - cells.length}>
                  {percent !== undefined && <i style={{ width: `${percent}%` }} />}
                  {name}
                </th>
                {cells.map((cell, at) => (
                  <td key={head[at + 1]}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}
