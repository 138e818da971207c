import { useState } from 'react';
import type { Column } from './data-table.tsx';
import { nextSort, type Sort, sorted } from './sort.ts';
import classes from './use-sort.module.css';

/** A column whose header sorts the rows. Lists with pages have none (spec sections 2 and 4). */
export interface SortColumn<Row> extends Column<Row> {
  /** Compares two rows. */
  sort?: (one: Row, other: Row) => number;
}

/** Sorts the rows of a table by a click on a header. @returns the columns and the sorted rows for DataTable */
export function useSort<Row>(columns: readonly SortColumn<Row>[], rows: readonly Row[] | undefined) {
  const [sort, setSort] = useState<Sort>(null);
  return {
    rows: rows && sorted(rows, columns, sort),
    columns: columns.map(({ sort: compare, ...column }): Column<Row> => {
      if (compare === undefined) return column;
      const direction = sort?.key !== column.key ? 'none' : sort.down ? 'descending' : 'ascending';
      const onClick = () => setSort(nextSort(sort, column.key));
      return {
        ...column,
        direction,
        header: <Sorter title={column.title} direction={direction} onClick={onClick} />,
      };
    }),
  };
}

/** The header of a column that sorts. */
export function Sorter(props: {
  title: string;
  direction: 'none' | 'ascending' | 'descending';
  onClick: () => void;
}) {
  return (
    <button type="button" className={classes.sorter} data-direction={props.direction} onClick={props.onClick}>
      {props.title}
    </button>
  );
}
