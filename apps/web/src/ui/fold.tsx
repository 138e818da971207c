import { IconChevronDown } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { type CheckState, checkIcons } from './check-list.tsx';
import classes from './fold.module.css';

/** A result in one line. A click unfolds its children, if there are any; `always` is also visible while folded. */
export function Fold(props: { state: CheckState; title: string; always?: ReactNode; children?: ReactNode }) {
  const { state, title, always, children } = props;
  const Icon = checkIcons[state];
  const line = (
    <>
      <Icon size={20} stroke={1.75} aria-hidden />
      <h3>{title}</h3>
    </>
  );
  return (
    <div className={classes.fold} data-state={state}>
      {children ? (
        <details>
          <summary className={classes.line}>
            {line}
            <IconChevronDown size={18} className={classes.chevron} aria-hidden />
          </summary>
          <div className={classes.parts}>{children}</div>
        </details>
      ) : (
        <div className={classes.line}>{line}</div>
      )}
      {always && <div className={classes.parts}>{always}</div>}
    </div>
  );
}
