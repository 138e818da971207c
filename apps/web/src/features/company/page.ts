import * as t from '@propusk/phrases/console';
import { IconBuilding } from '@tabler/icons-react';
import { dialog, page } from '../../routes.ts';

const item = { label: t.nav.company, Icon: IconBuilding };
const edit = () => import('../../common/change-company-dialog.tsx');

const company = page('/dashboard/creator/company', () => import('./company-page.tsx'), 'CompanyPage', item);
export const companyPage = company.addChildren([dialog(company, 'edit', edit, 'ChangeCompanyDialog')]);
