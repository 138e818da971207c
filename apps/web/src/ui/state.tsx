import { Button, Text } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { IconCloudOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { langOf } from './lang-of.ts';
import classes from './state.module.css';

/** Shown instead of content that is empty, not found or not loaded: a title, a reason and a button. */
export function State(props: {
  icon: ReactNode;
  title: string;
  hint?: string;
  action?: ReactNode;
  alert?: boolean;
  /** Whether the page has no other content, so that the title is the page's heading. */
  alone?: boolean;
}) {
  return (
    <div className={classes.state} role={props.alert ? 'alert' : undefined}>
      <div className={classes.icon} data-alert={props.alert || undefined} aria-hidden="true">
        {props.icon}
      </div>
      <Text
        component={props.alone ? 'h1' : 'p'}
        lang={langOf(props.title)}
        m={0}
        fw={600}
        size="md"
        maw={440}
      >
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

/** The part of a query that `Failed` needs. */
export interface FailedQuery {
  error: Error | null;
  isFetching: boolean;
  refetch: () => unknown;
}

/** Shown instead of content that did not load: the reason, and a button that tries again. */
export function Failed({ query, ...props }: { query: FailedQuery; title?: string; alone?: boolean }) {
  const reason = query.error?.message ?? '';
  return (
    <State
      alert
      icon={<IconCloudOff size={24} />}
      {...(props.title === undefined ? { title: reason } : { title: props.title, hint: reason })}
      alone={props.alone === true}
      action={
        <Button variant="default" loading={query.isFetching} onClick={() => query.refetch()}>
          {t.common.retry}
        </Button>
      }
    />
  );
}
