import * as t from '@propusk/phrases/console';
import { IconBuilding } from '@tabler/icons-react';
import { dialog, page } from '../../routes.ts';

const item = { label: t.nav.company, Icon: IconBuilding };
const edit = () => import('../../entities/company/form.tsx');

const company = page('/dashboard/creator/company', () => import('./page.tsx'), 'OwnCompanyPage', item);
export const companyPage = company.addChildren([dialog(company, 'edit', edit, 'ChangeCompanyDialog')]);
