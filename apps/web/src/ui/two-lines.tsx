import type { ReactNode } from 'react';
import classes from './two-lines.module.css';

/** A cell with a main line and a dimmed second line. */
export function TwoLines({ first, second }: { first: ReactNode; second: ReactNode }) {
  return (
    <span className={classes.lines}>
      <span>{first}</span>
      {second && <span className={classes.second}>{second}</span>}
    </span>
  );
}
