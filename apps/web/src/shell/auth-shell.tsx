import * as t from '@propusk/phrases/console';
import { Outlet } from '@tanstack/react-router';
import { Logo } from '../frame/logo.tsx';
import classes from './auth-shell.module.css';

/** The dark layout of the auth area: the logo, the page's form, and on a wide screen a picture. */
export function AuthShell() {
  return (
    <div className={classes.shell}>
      <div className={classes.side}>
        <header className={classes.header}>
          <Logo to="/auth/login" />
        </header>
        <main className={classes.main}>
          <div className={classes.container}>
            <Outlet />
          </div>
        </main>
      </div>
      <aside className={classes.art}>
        <p className={classes.slogan}>{t.slogan}</p>
      </aside>
    </div>
  );
}
