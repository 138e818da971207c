import * as t from '@propusk/phrases/console';
import { IconCreditCard } from '@tabler/icons-react';
import { dialog, page } from '../../routes.ts';
import { lazyOptional } from '../../ui/lazy.tsx';

const Mark = lazyOptional(() => import('./waiting-requests.tsx'), 'WaitingRequests');
const item = { label: t.nav.plans, Icon: IconCreditCard, Mark };
const forms = () => import('./form.tsx');
const contact = () => import('./contact-form.tsx');

const plans = page('/dashboard/admin/plans', () => import('./page.tsx'), 'PlansPage', item);
export const plansPage = plans.addChildren([
  dialog(plans, 'new', forms, 'CreatePlanDialog'),
  dialog(plans, 'contact', contact, 'ContactDialog'),
  dialog(plans, '$id/edit', forms, 'EditPlanDialog'),
]);
