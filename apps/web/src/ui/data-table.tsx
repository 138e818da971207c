/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role --
   on a phone rows are cards with `display: block`, which removes the table's roles: these attributes restore them */
import { VisuallyHidden } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { type MouseEvent, type ReactNode, useRef } from 'react';
import classes from './data-table.module.css';

/** A column: its title, and how it renders the cell of a row. */
export interface Column<Row> {
  key: string;
  title: string;
  render: (row: Row) => ReactNode;
  /** Renders a main cell that contains controls: `opener` wraps the name into the button that opens the row. */
  renderOpening?: (row: Row, opener: (name: ReactNode) => ReactNode) => ReactNode;
  /** The CSS width; 1cqi is a hundredth of the table. Columns without a width share the rest equally. */
  width?: string;
  /** The main column: its cell names the row for screen readers, and is the heading of the row's card on a phone. */
  main?: boolean;
  /** The cell and its skeleton have two lines. */
  lines?: 2;
  /** On a phone, the cell shares a line of the card with the next short cell. A table below 900 px hides a `wide` column. */
  short?: boolean | 'wide';
  /** The header in place of the title, as of a column that sorts (use-sort.tsx), and its direction. */
  header?: ReactNode;
  direction?: 'none' | 'ascending' | 'descending';
}

/** The selected rows of a table, some of which may be on other pages. */
export interface Selection<Row> {
  chosen: ReadonlySet<number>;
  name: (row: Row) => string;
  /** The number of rows on all pages. */
  total: number;
  /** Selects exactly these rows. `isAll`: all rows of the list, those of other pages too. */
  onKeep: (ids: Iterable<number>, isAll?: boolean) => void;
}

/**
 * A table, whose rows are cards on a phone. While `rows` is undefined, it shows skeleton rows of the same size. Without
 * any rows it shows `fallback`.
 */
export function DataTable<Row extends { id: number | string }>(props: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  /** A CSS class for a row that looks different from the others. */
  rowClass?: (row: Row) => string | undefined;
  /** The rows have checkboxes. */
  selection?: Selection<Row> | undefined;
  /** Renders the menu at the end of a row. */
  rowMenu?: (row: Row) => ReactNode;
  /** The action of a click on a row and of Enter on its main cell; undefined for a row that does not open. */
  rowOpen?: (row: Row) => (() => void) | undefined;
  skeletonRows: number;
  /** The rows still belong to the previous page of the list, because the next one is loading. */
  stale?: boolean;
  fallback: ReactNode;
}) {
  const { columns, rowMenu, selection } = props;
  const last = useRef(0);
  const { rows } = props;
  if (rows?.length === 0) return <div className={classes.frame}>{props.fallback}</div>;
  const ids = rows?.map(({ id }) => id as number) ?? [];

  /** Selects a row or ends its selection; with Shift, does so for all rows from the last clicked one. */
  function choose(at: number, isChosen: boolean, hasShift: boolean) {
    const chosen = new Set(selection?.chosen);
    const from = hasShift ? last.current : at;
    for (const id of ids.slice(Math.min(from, at), Math.max(from, at) + 1))
      chosen[isChosen ? 'add' : 'delete'](id);
    last.current = at;
    selection?.onKeep(chosen);
  }

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
            {selection && (
              <td role="cell" className={classes.check}>
                <Check
                  label={t.list.chooseAll(selection.total)}
                  isOn={ids.every((id) => selection.chosen.has(id))}
                  isPartly={selection.chosen.size > 0}
                  onChange={(isOn) => selection.onKeep(isOn ? ids : [], isOn)}
                />
              </td>
            )}
            {columns.map((column) => (
              <th
                key={column.key}
                role="columnheader"
                scope="col"
                style={{ width: column.width }}
                data-short={column.short || undefined}
                aria-sort={column.direction}
              >
                {column.header ?? column.title}
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
            ? rows.map((row, at) => (
                <DataRow
                  key={row.id}
                  row={row}
                  columns={columns}
                  check={
                    selection && (
                      <Check
                        label={t.list.choose(selection.name(row))}
                        isOn={selection.chosen.has(row.id as number)}
                        onChange={(isOn, hasShift) => choose(at, isOn, hasShift)}
                      />
                    )
                  }
                  className={props.rowClass?.(row)}
                  menu={rowMenu?.(row)}
                  hasMenu={rowMenu !== undefined}
                  open={props.rowOpen?.(row)}
                />
              ))
            : Array.from({ length: props.skeletonRows }, (_, index) => (
                // A key that no row has. With an equal key, React would turn a skeleton into the row, and the layout would jump.
                <tr key={`skeleton-${index}`} role="row" aria-hidden="true">
                  {selection && <td className={classes.check}>&nbsp;</td>}
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

/** A row of the table. A click outside its controls opens the row. For the keyboard, its main cell is a button. */
function DataRow<Row extends { id: number | string }>(props: {
  row: Row;
  columns: readonly Column<Row>[];
  check: ReactNode;
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
      {props.check && (
        <td role="cell" className={classes.check}>
          {props.check}
        </td>
      )}
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

/** The checkbox of a row or of the header, which fills its cell. */
function Check(props: {
  label: string;
  isOn: boolean;
  /** Some rows are selected. */
  isPartly?: boolean;
  onChange: (isOn: boolean, hasShift: boolean) => void;
}) {
  return (
    <label>
      <input
        type="checkbox"
        aria-label={props.label}
        checked={props.isOn}
        ref={(input) => {
          if (input) input.indeterminate = props.isPartly === true && !props.isOn;
        }}
        onChange={({ currentTarget, nativeEvent }) =>
          props.onChange(currentTarget.checked, (nativeEvent as globalThis.MouseEvent).shiftKey)
        }
      />
    </label>
  );
}

/** Whether a click should open the row: not a click on a control or a menu, and not the end of a text selection. */
function isOnRow({ currentTarget, target }: MouseEvent<HTMLElement>): boolean {
  if (!(target instanceof Element) || !currentTarget.contains(target)) return false;
  return target.closest('button, a, input, label') === null && window.getSelection()?.isCollapsed !== false;
}

/** A cell's skeleton, as high as the cell. Plain elements, which render faster than Mantine's Skeleton. */
function Bones({ column }: { column: Pick<Column<never>, 'short' | 'main' | 'lines' | 'renderOpening'> }) {
  const first = <Bone width={column.short ? '72px' : column.main ? '55%' : '40%'} />;
  if (column.lines !== 2) return first;
  return (
    <div className={classes.bones} data-targets={column.renderOpening !== undefined || undefined}>
      {first}
      <Bone width="75%" />
    </div>
  );
}

const Bone = ({ width }: { width: string }) => <span className={classes.bone} style={{ width }} />;
