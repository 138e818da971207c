import type { ReactNode } from 'react';
import classes from './definition-card.module.css';

/** One term and its value, with what can be done with it at the end of the line. */
export interface Definition {
  key: string;
  term: string;
  value: ReactNode;
  tools?: ReactNode;
}

/** A card of terms and values. */
export function DefinitionCard(props: {
  title?: string;
  lead?: string;
  rows: readonly Definition[];
  footer?: ReactNode;
}) {
  return (
    <section className={classes.card} aria-label={props.title}>
      {props.title && (
        <header className={classes.header}>
          <h2>{props.title}</h2>
          {props.lead && <p>{props.lead}</p>}
        </header>
      )}
      <dl className={classes.list}>
        {props.rows.map((row) => (
          <div key={row.key} className={classes.row}>
            <dt>{row.term}</dt>
            <dd>
              <span className={classes.value}>{row.value}</span>
              {row.tools && <span className={classes.tools}>{row.tools}</span>}
            </dd>
          </div>
        ))}
      </dl>
      {props.footer && <footer className={classes.footer}>{props.footer}</footer>}
    </section>
  );
}
