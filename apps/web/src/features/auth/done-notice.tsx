import { IconCircleCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './done-notice.module.css';

/** The success message of the previous step. */
export function DoneNotice({ children }: { children: ReactNode }) {
  return (
    <output className={classes.done}>
      <IconCircleCheck size={18} aria-hidden />
      <span>{children}</span>
    </output>
  );
}
