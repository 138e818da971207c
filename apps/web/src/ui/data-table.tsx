/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role --
   on a phone rows are cards, `display: block`, which takes the table's meaning away: the roles give it back */
import { VisuallyHidden } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { type MouseEvent, type ReactNode, useState } from 'react';
import classes from './data-table.module.css';
import { nextSort, type Sort, sorted } from './sort.ts';

/** One column: its title, and what a row shows in it. */
export interface Column<Row> {
  key: string;
  title: string;
  render: (row: Row) => ReactNode;
  /** The same for a main cell with controls of its own: `opener` makes the name alone open the row. */
  renderOpening?: (row: Row, opener: (name: ReactNode) => ReactNode) => ReactNode;
  /** CSS width; columns without one share what is left in equal parts. */
  width?: string;
  /** Names the row for screen readers, and heads its card on a phone. */
  main?: boolean;
  /** The cell has two lines, and so has its skeleton. */
  lines?: 2;
  /** Short enough to share a line of the card with the next one like it. */
  short?: boolean;
  /** Makes its header sort the rows on the screen. The lists of the console have no such column (spec section 2). */
  sort?: (one: Row, other: Row) => number;
}

/**
 * A table, and on a phone the same rows as cards. `rows` undefined is loading: skeleton rows, the size of real ones.
 * Without rows the `fallback` stands in its place.
 */
export function DataTable<Row extends { id: number }>(props: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  /** A class for rows that look different. */
  rowClass?: (row: Row) => string | undefined;
  /** The menu at the end of a row; a row without one leaves the place empty. */
  rowMenu?: (row: Row) => ReactNode;
  /** What a click on a row does, and Enter on its main cell; undefined for a row that does not open. */
  rowOpen?: (row: Row) => (() => void) | undefined;
  skeletonRows: number;
  /** The rows belong to the previous page while the next one loads. */
  stale?: boolean;
  fallback: ReactNode;
}) {
  const { columns, rowMenu } = props;
  const [sort, setSort] = useState<Sort>(null);
  const rows = props.rows && sorted(props.rows, columns, sort);
  if (rows?.length === 0) return <div className={classes.frame}>{props.fallback}</div>;
  return (
    <div className={classes.frame}>
      <table
        role="table"
        aria-label={props.label}
        aria-busy={rows === undefined || props.stale}
        className={classes.table}
        data-stale={props.stale || undefined}
      >
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th
                key={column.key}
                role="columnheader"
                scope="col"
                style={{ width: column.width }}
                data-short={column.short || undefined}
                aria-sort={column.sort && directionOf(column.key, sort)}
              >
                {column.sort ? (
                  <Sorter
                    title={column.title}
                    direction={directionOf(column.key, sort)}
                    onClick={() => setSort(nextSort(sort, column.key))}
                  />
                ) : (
                  column.title
                )}
              </th>
            ))}
            {rowMenu && (
              <th role="columnheader" scope="col" className={classes.menu}>
                <VisuallyHidden>{t.columns.actions}</VisuallyHidden>
              </th>
            )}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows
            ? rows.map((row) => (
                <DataRow
                  key={row.id}
                  row={row}
                  columns={columns}
                  className={props.rowClass?.(row)}
                  menu={rowMenu?.(row)}
                  hasMenu={rowMenu !== undefined}
                  open={props.rowOpen?.(row)}
                />
              ))
            : Array.from({ length: props.skeletonRows }, (_, index) => (
                // Not a row's key: React would reuse the skeleton with that number, and the layout would jump.
                <tr key={`skeleton-${index}`} role="row" aria-hidden="true">
                  {columns.map((column) => (
                    <td
                      key={column.key}
                      data-label={column.title}
                      data-main={column.main || undefined}
                      data-short={column.short || undefined}
                    >
                      <Bones column={column} />
                    </td>
                  ))}
                  {rowMenu && <td className={classes.menu}>&nbsp;</td>}
                </tr>
              ))}
        </tbody>
      </table>
    </div>
  );
}

/** One row. A click anywhere but on a control opens it; for the keyboard its main cell is a button. */
function DataRow<Row extends { id: number }>(props: {
  row: Row;
  columns: readonly Column<Row>[];
  className: string | undefined;
  menu: ReactNode;
  hasMenu: boolean;
  open: (() => void) | undefined;
}) {
  const { row, open } = props;
  const opener = (name: ReactNode) => (
    <button type="button" className={classes.opener} aria-haspopup="dialog" onClick={open}>
      {name}
    </button>
  );
  return (
    <tr
      role="row"
      className={props.className}
      data-opens={open !== undefined || undefined}
      onClick={open && ((event) => isOnRow(event) && open())}
    >
      {props.columns.map((column) => (
        <td
          key={column.key}
          role={column.main ? 'rowheader' : 'cell'}
          data-label={column.title}
          data-main={column.main || undefined}
          data-short={column.short || undefined}
        >
          {column.main && open
            ? (column.renderOpening?.(row, opener) ?? opener(column.render(row)))
            : column.render(row)}
        </td>
      ))}
      {props.hasMenu && (
        <td role="cell" className={classes.menu}>
          {props.menu}
        </td>
      )}
    </tr>
  );
}

/** Whether a click is meant for the row: not for a control in it, a menu over it, or a selection of text. */
function isOnRow({ currentTarget, target }: MouseEvent<HTMLElement>): boolean {
  if (!(target instanceof Element) || !currentTarget.contains(target)) return false;
  return target.closest('button, a, input, label') === null && window.getSelection()?.isCollapsed !== false;
}

const arrows = { none: '', ascending: '↑', descending: '↓' };
type Direction = keyof typeof arrows;

function directionOf(key: string, sort: Sort): Direction {
  if (sort?.key !== key) return 'none';
  return sort.down ? 'descending' : 'ascending';
}

/** The title of a column that can be sorted by. */
function Sorter(props: { title: string; direction: Direction; onClick: () => void }) {
  return (
    <button type="button" className={classes.sorter} onClick={props.onClick}>
      {props.title}
      <span aria-hidden="true">{arrows[props.direction]}</span>
    </button>
  );
}

/** A cell's skeleton, as high as the cell. Plain elements, because a loading list has about fifty of them. */
function Bones({ column }: { column: Pick<Column<never>, 'short' | 'main' | 'lines'> }) {
  const first = <Bone width={column.short ? '72px' : column.main ? '55%' : '40%'} />;
  if (column.lines !== 2) return first;
  return (
    <div className={classes.bones}>
      {first}
      <Bone width="75%" />
    </div>
  );
}

const Bone = ({ width }: { width: string }) => <span className={classes.bone} style={{ width }} />;
