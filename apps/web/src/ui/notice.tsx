import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './notice.module.css';

/** A message in a form or a dialog: `warning` asks to check the input, `error` reports a failure. */
export function Notice({ kind, children }: { kind: 'warning' | 'error'; children: ReactNode }) {
  return (
    <div className={classes.notice} data-kind={kind} role="alert">
      <IconAlertTriangle size={18} aria-hidden />
      <div>{children}</div>
    </div>
  );
}
