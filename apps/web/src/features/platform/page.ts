import * as t from '@propusk/phrases/console';
import { IconBuilding, IconCreditCard, IconHeartbeat } from '@tabler/icons-react';
import { dialogRoute } from '../../common/dialog-route.tsx';
import { dialog, list, page } from '../../routes.ts';
import { lazyOptional } from '../../ui/lazy.tsx';

const forms = () => import('./company-dialogs.tsx');
const edit = () => import('../../common/change-company-dialog.tsx');
const tariffForms = () => import('./company-tariff-dialogs.tsx');
const invite = dialogRoute(forms, 'InviteCompanyDialog');

const companies = list('/dashboard/admin/companies', () => import('./companies-page.tsx'), 'CompaniesPage', {
  label: t.nav.companies,
  Icon: IconBuilding,
});
export const companiesPage = companies.addChildren([
  dialog(companies, 'new', dialogRoute(forms, 'CreateCompanyDialog')),
  dialog(companies, 'invite', invite),
  dialog(companies, '$id/edit', dialogRoute(edit, 'ChangeCompanyDialog')),
  dialog(companies, '$id/invite', dialogRoute(forms, 'InviteOwnerDialog')),
]);

const company = page('/dashboard/admin/companies/$id', () => import('./company-page.tsx'), 'CompanyPage');
export const anyCompanyPage = company.addChildren([
  dialog(company, 'tariff', dialogRoute(tariffForms, 'TariffDialog')),
  dialog(company, 'proxy', dialogRoute(tariffForms, 'PaidProxyDialog')),
]);

const invitations = list(
  '/dashboard/admin/invitations',
  () => import('./invitations-page.tsx'),
  'InvitationsPage',
);
export const invitationsPage = invitations.addChildren([dialog(invitations, 'new', invite)]);

const planForms = () => import('./plan-dialogs.tsx');
const contact = () => import('./contact-dialog.tsx');

const plans = page('/dashboard/admin/plans', () => import('./plans-page.tsx'), 'PlansPage', {
  label: t.nav.plans,
  Icon: IconCreditCard,
  Mark: lazyOptional(() => import('./waiting-requests.tsx'), 'WaitingRequests'),
});
export const plansPage = plans.addChildren([
  dialog(plans, 'new', dialogRoute(planForms, 'CreatePlanDialog')),
  dialog(plans, 'contact', dialogRoute(contact, 'ContactDialog')),
  dialog(plans, '$id/edit', dialogRoute(planForms, 'EditPlanDialog')),
]);

export const statePage = page('/dashboard/admin/state', () => import('./state-page.tsx'), 'StatePage', {
  label: t.nav.state,
  Icon: IconHeartbeat,
});
