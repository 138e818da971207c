import type { ReactNode } from 'react';
import classes from './outcome.module.css';

/** How something stands, as its colour says it. The words say it too. */
export type OutcomeTone = 'good' | 'bad' | 'warning' | 'neutral';

/** What came of a check, before its details: an icon, the answer in a few words, and what it means. */
export function Outcome(props: { tone: OutcomeTone; icon: ReactNode; title: string; children?: ReactNode }) {
  return (
    <output className={classes.outcome} data-tone={props.tone}>
      <span className={classes.icon} aria-hidden="true">
        {props.icon}
      </span>
      <span className={classes.text}>
        <span className={classes.title}>{props.title}</span>
        {props.children}
      </span>
    </output>
  );
}
