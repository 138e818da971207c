import { VisuallyHidden } from '@mantine/core';
import { IconAlertCircle, IconCircleCheck, IconCircleDashed, IconCircleMinus } from '@tabler/icons-react';
import classes from './check-list.module.css';

/** Whether one thing of a list is as it should be. */
type CheckState = 'waiting' | 'passed' | 'failed' | 'skipped';

/** One line of a list of checks. */
export interface Check {
  key: string;
  title: string;
  state: CheckState;
  /** The state in a word, for those who do not see the icon. */
  says: string;
  /** What came back. */
  detail?: string;
}

const icons = {
  waiting: IconCircleDashed,
  passed: IconCircleCheck,
  failed: IconAlertCircle,
  skipped: IconCircleMinus,
};

/** What was looked at, one line each: an icon, what it is, what came back. */
export function CheckList({ label, checks }: { label: string; checks: readonly Check[] }) {
  return (
    <ul className={classes.list} aria-label={label}>
      {checks.map(({ key, title, state, says, detail }) => {
        const Icon = icons[state];
        return (
          <li key={key} className={classes.check} data-state={state}>
            <Icon size={18} stroke={1.75} aria-hidden />
            <span className={classes.title}>{title}</span>
            <VisuallyHidden>: {says}</VisuallyHidden>
            {detail && <span className={classes.detail}>{detail}</span>}
          </li>
        );
      })}
    </ul>
  );
}
