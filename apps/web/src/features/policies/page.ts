import * as t from '@propusk/phrases/console';
import { IconShieldCheck } from '@tabler/icons-react';
import { dialog, list } from '../../routes.ts';

const item = { label: t.nav.policies, Icon: IconShieldCheck };
const load = () => import('./page.tsx');
const forms = () => import('./form.tsx');

const policies = list('/dashboard/creator/politics', load, 'PoliciesPage', item);
export const policiesPage = policies.addChildren([
  dialog(policies, 'new', forms, 'CreatePolicyDialog'),
  dialog(policies, '$id/edit', forms, 'EditPolicyDialog'),
]);

// A user who is also an owner changes policies here too.
const own = list('/dashboard/user/politics', load, 'PoliciesPage', item);
export const ownPoliciesPage = own.addChildren([
  dialog(own, 'new', forms, 'CreatePolicyDialog'),
  dialog(own, '$id/edit', forms, 'EditPolicyDialog'),
]);
