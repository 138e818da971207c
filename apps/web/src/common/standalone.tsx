import * as t from '@propusk/phrases/console';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { paths } from '../paths.ts';
import { Logo } from '../ui/logo.tsx';
import classes from './standalone.module.css';

/** The layout of a page outside the dashboard and the auth area: the logo, and the content in one column. */
export function Standalone(props: { width: number; end?: ReactNode; children: ReactNode }) {
  return (
    <div className={classes.page} style={{ maxWidth: props.width }}>
      <header>
        <Link to={paths.home} className={classes.logo} aria-label={t.common.toSites}>
          <Logo name={t.product} />
        </Link>
        {props.end}
      </header>
      <main>{props.children}</main>
    </div>
  );
}
