import * as t from '@propusk/phrases/console';
import type { ReactNode } from 'react';
import { Logo } from './logo.tsx';
import classes from './standalone.module.css';

/** The layout of a page outside the dashboard and the auth area: the logo, and the content in one column. */
export function Standalone(props: { width: number; end?: ReactNode; children: ReactNode }) {
  return (
    <div className={classes.page} style={{ maxWidth: props.width }}>
      <header>
        <Logo to="/" label={t.common.toSites} />
        {props.end}
      </header>
      <main>{props.children}</main>
    </div>
  );
}
