import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './state.module.css';

/** Replaces missing content: empty, nothing found, not loaded. Shows a title, a reason and an action. */
export function State(props: {
  icon: ReactNode;
  title: string;
  hint?: string;
  action?: ReactNode;
  alert?: boolean;
  /** The page has no other content. */
  alone?: boolean;
}) {
  return (
    <div className={classes.state} role={props.alert ? 'alert' : undefined}>
      <div className={classes.icon} data-alert={props.alert || undefined} aria-hidden="true">
        {props.icon}
      </div>
      <Text component={props.alone ? 'h1' : 'p'} m={0} fw={600} size="md" maw={440}>
        {props.title}
      </Text>
      {props.hint && (
        <Text c="dimmed" maw={440}>
          {props.hint}
        </Text>
      )}
      {props.action && <div className={classes.action}>{props.action}</div>}
    </div>
  );
}
