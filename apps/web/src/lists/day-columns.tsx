import * as t from '@propusk/phrases/console';
import type { Column } from '../ui/data-table.tsx';
import { Day } from '../ui/day.tsx';

/** The last two columns of every list: the days of creation and of the last change. */
export function dayColumns<Row extends { createdAt: string; updatedAt: string }>(): readonly Column<Row>[] {
  return (['createdAt', 'updatedAt'] as const).map((key) => ({
    key,
    title: t.columns[key],
    width: 'clamp(94px, 11cqi, 96px)',
    short: true,
    render: (row) => <Day iso={row[key]} />,
  }));
}
