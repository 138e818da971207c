import * as t from '@propusk/phrases/console';
import { IconBuilding, IconCreditCard, IconHeartbeat } from '@tabler/icons-react';
import { dialog, list, page } from '../../routes.ts';
import { lazyOptional } from '../../ui/lazy.tsx';

const forms = () => import('./company-dialogs.tsx');
const edit = () => import('../../common/change-company-dialog.tsx');
const tariffForms = () => import('./company-tariff-dialogs.tsx');

const companies = list('/dashboard/admin/companies', () => import('./companies-page.tsx'), 'CompaniesPage', {
  label: t.nav.companies,
  Icon: IconBuilding,
});
export const companiesPage = companies.addChildren([
  dialog(companies, 'new', forms, 'CreateCompanyDialog'),
  dialog(companies, 'invite', forms, 'InviteCompanyDialog'),
  dialog(companies, '$id/edit', edit, 'ChangeCompanyDialog'),
  dialog(companies, '$id/invite', forms, 'InviteOwnerDialog'),
]);

const company = page('/dashboard/admin/companies/$id', () => import('./company-page.tsx'), 'CompanyPage');
export const anyCompanyPage = company.addChildren([
  dialog(company, 'tariff', tariffForms, 'TariffDialog'),
  dialog(company, 'proxy', tariffForms, 'PaidProxyDialog'),
]);

const invitations = list(
  '/dashboard/admin/invitations',
  () => import('./invitations-page.tsx'),
  'InvitationsPage',
);
export const invitationsPage = invitations.addChildren([
  dialog(invitations, 'new', forms, 'InviteCompanyDialog'),
]);

const planForms = () => import('./plan-dialogs.tsx');
const contact = () => import('./contact-dialog.tsx');

const plans = page('/dashboard/admin/plans', () => import('./plans-page.tsx'), 'PlansPage', {
  label: t.nav.plans,
  Icon: IconCreditCard,
  Mark: lazyOptional(() => import('./waiting-requests.tsx'), 'WaitingRequests'),
});
export const plansPage = plans.addChildren([
  dialog(plans, 'new', planForms, 'CreatePlanDialog'),
  dialog(plans, 'contact', contact, 'ContactDialog'),
  dialog(plans, '$id/edit', planForms, 'EditPlanDialog'),
]);

export const statePage = page('/dashboard/admin/state', () => import('./state-page.tsx'), 'StatePage', {
  label: t.nav.state,
  Icon: IconHeartbeat,
});
