import * as t from '@propusk/phrases/console';
import type { Column } from '../ui/data-table.tsx';
import { Day } from '../ui/day.tsx';

const width = 'clamp(94px, 11cqi, 96px)';

/** The column of the day of the last visit. */
export function visitColumn<Row extends { lastVisitAt?: string | null | undefined }>(): Column<Row> {
  return {
    ...{ key: 'lastVisitAt', title: t.lastVisit.title, width, short: true },
    render: ({ lastVisitAt: iso }) =>
      iso ? <Day iso={iso} /> : iso === null ? t.lastVisit.never : t.lastVisit.unknown,
  };
}

/** The last two columns of every list: the days of creation and of the last change. */
export function dayColumns<Row extends { createdAt: string; updatedAt: string }>(): readonly Column<Row>[] {
  return (['createdAt', 'updatedAt'] as const).map((key) => ({
    key,
    title: t.columns[key],
    width,
    short: true,
    render: (row) => <Day iso={row[key]} />,
  }));
}
