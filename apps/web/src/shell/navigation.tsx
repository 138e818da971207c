import type { User } from '@propusk/contract/me';
import type { Role } from '@propusk/contract/roles';
import * as t from '@propusk/phrases/console';
import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import type { Path } from '../dialog-route.tsx';
import { rolesOf, useMe } from '../entities/user/me.tsx';
import { pages } from '../pages.ts';
import { areas } from '../paths.ts';
import classes from './navigation.module.css';

const order: readonly Role[] = ['ADMIN', 'CREATOR', 'USER'];

/** The roles of a user, in the order of the navigation, each with its navigation items (spec section 2). */
function itemsOf(user: User) {
  const roles = rolesOf(user);
  return order
    .filter((role) => roles.includes(role))
    .map((role) => ({
      role,
      items: pages.flatMap(({ options }) => {
        // The cast: a page is created with a path, but the type of the options also allows an id.
        const { path: to } = options as unknown as { path: Path };
        const item = to.startsWith(areas[role]) ? options.staticData?.item : undefined;
        return item === undefined || item.isShown?.(user) === false ? [] : [{ ...item, to }];
      }),
    }));
}

/** The pages of a user's roles, in the order of the navigation. */
export const pagesOf = (user: User) => itemsOf(user).flatMap(({ items }) => items);

/** The side navigation. A user with several roles sees each role's pages under a heading. */
export function Navigation({ onGo }: { onGo?: () => void }) {
  const shown = itemsOf(useMe());
  return (
    <nav className={classes.navigation} aria-label={t.shell.navigation}>
      {shown.map(({ role, items }) => (
        <div key={role} className={classes.area}>
          {shown.length > 1 && <div className={classes.heading}>{t.nav.areas[role]}</div>}
          {items.map(({ to, label, Icon, Mark }) => (
            <Link key={to} to={to} onClick={onGo} className={classes.item} preload="intent">
              <Icon size={18} stroke={1.75} aria-hidden />
              {label}
              {Mark && (
                <Suspense>
                  <Mark />
                </Suspense>
              )}
            </Link>
          ))}
        </div>
      ))}
    </nav>
  );
}
