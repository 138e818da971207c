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

export const ownPoliciesPage = list('/dashboard/user/politics', load, 'PoliciesPage', item);
