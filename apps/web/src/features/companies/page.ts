import * as t from '@propusk/phrases/console';
import { IconBuilding } from '@tabler/icons-react';
import { dialog, list, page } from '../../routes.ts';

const item = { label: t.nav.companies, Icon: IconBuilding };
const forms = () => import('./form.tsx');
const edit = () => import('../../entities/company/form.tsx');
const tariffForms = () => import('./company/tariff-form.tsx');

const companies = list('/dashboard/admin/companies', () => import('./page.tsx'), 'CompaniesPage', item);
export const companiesPage = companies.addChildren([
  dialog(companies, 'new', forms, 'CreateCompanyDialog'),
  dialog(companies, 'invite', forms, 'InviteCompanyDialog'),
  dialog(companies, '$id/edit', edit, 'ChangeCompanyDialog'),
  dialog(companies, '$id/invite', forms, 'InviteOwnerDialog'),
]);

const company = page('/dashboard/admin/companies/$id', () => import('./company/page.tsx'), 'AnyCompanyPage');
export const anyCompanyPage = company.addChildren([
  dialog(company, 'tariff', tariffForms, 'TariffDialog'),
  dialog(company, 'proxy', tariffForms, 'PaidProxyDialog'),
]);

const load = () => import('./invitations-page.tsx');
const invitations = list('/dashboard/admin/invitations', load, 'InvitationsPage');
export const invitationsPage = invitations.addChildren([
  dialog(invitations, 'new', forms, 'InviteCompanyDialog'),
]);
