import type { ReactNode } from 'react';
import classes from './two-lines.module.css';

/** What a cell is about, and under it, quieter, what tells it apart. */
export function TwoLines({ first, second }: { first: ReactNode; second: ReactNode }) {
  return (
    <span className={classes.lines}>
      <span>{first}</span>
      {second && <span className={classes.second}>{second}</span>}
    </span>
  );
}
