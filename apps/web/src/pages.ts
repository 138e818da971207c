import { createRoute } from '@tanstack/react-router';
import { auditPage, platformAuditPage } from './features/audit/page.ts';
import { anyCompanyPage, companiesPage, invitationsPage } from './features/companies/page.ts';
import { companyPage } from './features/company/page.ts';
import { agentPersonalPage, personalPage } from './features/personal/page.ts';
import { plansPage } from './features/plans/page.ts';
import { ownPoliciesPage, policiesPage } from './features/policies/page.ts';
import {
  adminPoliciesPage,
  allProxiesPage,
  platformProxiesPage,
  proxiesPage,
} from './features/proxies/page.ts';
import { rolloutPage } from './features/rollout/page.ts';
import { ownSitesPage, sitesPage } from './features/sites/page.ts';
import { statePage } from './features/state/page.ts';
import { statisticsPage, statisticsPartPage } from './features/statistics/page.ts';
import { tariffPage } from './features/tariff/page.ts';
import { allUsersPage, usersPage } from './features/users/page.ts';
import { dashboard } from './routes.ts';

// This path has no page: the gate redirects to the first page of the user's role. A route that is created in the argument of
// `addChildren` would turn the type of every path into `any`.
const start = createRoute({ getParentRoute: () => dashboard, path: '/dashboard' });

/** The pages of the dashboard, for each role in the order of the navigation (spec section 2). */
export const pages = [
  agentPersonalPage,
  ownSitesPage,
  ownPoliciesPage,
  sitesPage,
  proxiesPage,
  policiesPage,
  usersPage,
  rolloutPage,
  companyPage,
  statisticsPage,
  statisticsPartPage,
  tariffPage,
  auditPage,
  personalPage,
  companiesPage,
  anyCompanyPage,
  invitationsPage,
  allUsersPage,
  allProxiesPage,
  adminPoliciesPage,
  platformProxiesPage,
  plansPage,
  statePage,
  platformAuditPage,
] as const;

export const dashboardTree = dashboard.addChildren([start, ...pages]);
