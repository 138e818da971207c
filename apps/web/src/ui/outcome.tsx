import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './outcome.module.css';

/** The tone of an outcome, which sets its colour. The text must state the same for users who do not see colours. */
export type OutcomeTone = 'good' | 'bad' | 'warning' | 'neutral';

/** The outcome of a check: icon, result, explanation. */
export function Outcome(props: { tone: OutcomeTone; icon: ReactNode; title: string; children?: ReactNode }) {
  return (
    <output className={classes.outcome} data-tone={props.tone}>
      <span className={classes.icon} aria-hidden="true">
        {props.icon}
      </span>
      <Stack component="span" gap={4} miw={0}>
        <span className={classes.title}>{props.title}</span>
        {props.children}
      </Stack>
    </output>
  );
}
