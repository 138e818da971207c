import { Box, type BoxProps } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './notice.module.css';

const tones = { hint: 'warning', warning: 'warning', error: 'bad', success: 'good' };
const roles = { hint: 'note', warning: 'alert', error: 'alert', success: 'status' };

/**
 * A message in a form or a dialog: `hint` gives advice, `warning` asks to check the input, `error` reports a failure, and
 * `success` reports the outcome of the previous step. Screen readers announce all kinds except `hint` when they appear.
 */
export function Notice(
  props: Pick<BoxProps, 'mt' | 'mb'> & { kind: keyof typeof tones; children: ReactNode },
) {
  const { kind, children, ...margin } = props;
  const Icon = kind === 'success' ? IconCircleCheck : IconAlertTriangle;
  return (
    <Box {...margin} className={classes.notice} data-tone={tones[kind]} role={roles[kind]}>
      <Icon size={18} aria-hidden />
      <div>{children}</div>
    </Box>
  );
}
