import classes from './fault-list.module.css';

/** Rows that were not changed or cannot be imported, each with the reason. */
export function FaultList({ rows }: { rows: readonly { id: number; name: string; reason: string }[] }) {
  return (
    <ul className={classes.list}>
      {rows.map(({ id, name, reason }) => (
        <li key={id}>
          {name}
          <small>{reason}</small>
        </li>
      ))}
    </ul>
  );
}
