import type { User } from '@propusk/contract/me';
import type { Role } from '@propusk/contract/roles';
import * as t from '@propusk/phrases/console';
import {
  IconBuilding,
  IconChartBar,
  IconCreditCard,
  IconHeartbeat,
  IconHistory,
  IconServer2,
  IconShieldCheck,
  IconUserCircle,
  IconUsers,
  IconWorld,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { rolesOf, useMe } from '../common/me.tsx';
import { paths } from '../paths.ts';
import { lazyOptional } from '../ui/lazy.tsx';
import classes from './navigation.module.css';

const WaitingRequests = lazyOptional(() => import('./waiting-requests.tsx'), 'WaitingRequests');

/** The items of the navigation, by role (spec section 2). */
const items = {
  USER: [
    { to: paths.userPersonalData, label: t.nav.personalData, Icon: IconUserCircle },
    { to: paths.userSites, label: t.nav.sites, Icon: IconWorld },
    { to: paths.userPolicies, label: t.nav.policies, Icon: IconShieldCheck },
  ],
  CREATOR: [
    { to: paths.creatorSites, label: t.nav.sites, Icon: IconWorld },
    { to: paths.creatorProxies, label: t.nav.proxies, Icon: IconServer2 },
    { to: paths.creatorPolicies, label: t.nav.policies, Icon: IconShieldCheck },
    { to: paths.creatorUsers, label: t.nav.users, Icon: IconUsers },
    { to: paths.creatorCompany, label: t.nav.company, Icon: IconBuilding },
    { to: paths.creatorStatistics, label: t.nav.statistics, Icon: IconChartBar },
    { to: paths.creatorTariff, label: t.nav.tariff, Icon: IconCreditCard },
    { to: paths.creatorAudit, label: t.nav.audit, Icon: IconHistory },
  ],
  ADMIN: [
    { to: paths.adminCompanies, label: t.nav.companies, Icon: IconBuilding },
    { to: paths.adminUsers, label: t.nav.users, Icon: IconUsers },
    { to: paths.adminProxies, label: t.nav.proxies, Icon: IconServer2 },
    { to: paths.adminPlans, label: t.nav.plans, Icon: IconCreditCard },
    { to: paths.adminState, label: t.nav.state, Icon: IconHeartbeat },
    { to: paths.adminAudit, label: t.nav.audit, Icon: IconHistory },
  ],
} as const;

const order: readonly Role[] = ['ADMIN', 'CREATOR', 'USER'];

/** The navigation items of a role. The tariff page belongs to them where the platform has plans to choose from. */
function itemsOf(role: Role, { company }: User) {
  return items[role].filter(({ to }) => to !== paths.creatorTariff || company?.hasTariff === true);
}

/** The pages of a user's roles, in the order of the navigation. */
export function pagesOf(user: User): readonly { to: string; label: string }[] {
  const roles = rolesOf(user);
  return order.filter((role) => roles.includes(role)).flatMap((role) => itemsOf(role, user));
}

/** The side navigation. A user with several roles sees each role's pages under a heading. */
export function Navigation({ onGo }: { onGo?: () => void }) {
  const user = useMe();
  const roles = rolesOf(user);
  const shown = order.filter((role) => roles.includes(role));
  return (
    <nav className={classes.navigation} aria-label={t.shell.navigation}>
      {shown.map((role) => (
        <div key={role} className={classes.area}>
          {shown.length > 1 && <div className={classes.heading}>{t.nav.areas[role]}</div>}
          {itemsOf(role, user).map(({ to, label, Icon }) => (
            <Link key={to} to={to} onClick={onGo} className={classes.item} preload="intent">
              <Icon size={18} stroke={1.75} aria-hidden />
              {label}
              {to === paths.adminPlans && (
                <Suspense>
                  <WaitingRequests />
                </Suspense>
              )}
            </Link>
          ))}
        </div>
      ))}
    </nav>
  );
}
