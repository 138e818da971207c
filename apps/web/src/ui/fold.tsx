import { type Icon, IconChevronDown } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import card from './card.module.css';
import { type CheckState, checkIcons } from './check-list.tsx';
import classes from './fold.module.css';

/**
 * A titled line. With children, a click unfolds them. The content `always` is visible also while the line is folded.
 * @param props.state the result that the line shows as its icon, unless `icon` is given
 */
export function Fold(props: {
  state?: CheckState;
  icon?: Icon;
  title: string;
  always?: ReactNode;
  children?: ReactNode;
}) {
  const { state = 'skipped', title, always, children } = props;
  const LineIcon = props.icon ?? checkIcons[state];
  const line = (
    <>
      <LineIcon size={20} stroke={1.75} aria-hidden />
      <h3>{title}</h3>
    </>
  );
  return (
    <div className={`${card.box} ${classes.fold}`} data-state={state}>
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
