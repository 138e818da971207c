import { type ReactNode, useId } from 'react';
import classes from './form-card.module.css';

/** A card with a form or its outcome. Without a lead the body's first words take that place. */
export function FormCard(props: { title: string; lead?: string; children: ReactNode }) {
  const title = useId();
  return (
    <section className={classes.card} aria-labelledby={title}>
      <header className={classes.header}>
        <h2 id={title}>{props.title}</h2>
        {props.lead && <p>{props.lead}</p>}
      </header>
      <div className={classes.body}>{props.children}</div>
    </section>
  );
}
