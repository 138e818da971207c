import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './notice.module.css';

const tones = { warning: 'warning', error: 'bad', success: 'good' };

/**
 * A message in a form or a dialog: `warning` asks to check the input, `error` reports a failure, `success` the outcome of
 * the previous step.
 */
export function Notice({ kind, children }: { kind: keyof typeof tones; children: ReactNode }) {
  const Icon = kind === 'success' ? IconCircleCheck : IconAlertTriangle;
  return (
    <div className={classes.notice} data-tone={tones[kind]} role={kind === 'success' ? 'status' : 'alert'}>
      <Icon size={18} aria-hidden />
      <div>{children}</div>
    </div>
  );
}
