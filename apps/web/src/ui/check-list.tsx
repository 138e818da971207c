import { VisuallyHidden } from '@mantine/core';
import { IconAlertCircle, IconCircleCheck, IconCircleDashed, IconCircleMinus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Card } from './card.tsx';
import classes from './check-list.module.css';

export type CheckState = 'waiting' | 'passed' | 'failed' | 'skipped';

export interface Check {
  key: string;
  title: string;
  state: CheckState;
  /** The state of the check as a word, for screen readers. */
  says: string;
  /** The result of the check. */
  detail?: string;
  /** What the user can do about a failed check. Shown below the check. */
  advice?: ReactNode;
}

/** The icon of each state. */
export const checkIcons = {
  waiting: IconCircleDashed,
  passed: IconCircleCheck,
  failed: IconAlertCircle,
  skipped: IconCircleMinus,
};

/** A list of checks: icon, title, result. */
export function CheckList({ label, checks }: { label: string; checks: readonly Check[] }) {
  return (
    <Card>
      <ul aria-label={label}>
        {checks.map(({ key, title, state, says, detail, advice }) => {
          const Icon = checkIcons[state];
          return (
            <li key={key} className={classes.check} data-state={state}>
              <Icon size={18} stroke={1.75} aria-hidden />
              <span className={classes.title}>{title}</span>
              <VisuallyHidden>: {says}</VisuallyHidden>
              {detail && <span className={classes.detail}>{detail}</span>}
              {advice && <p className={classes.advice}>{advice}</p>}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
