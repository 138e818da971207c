import * as t from '@propusk/phrases/console';
import { IconServer2 } from '@tabler/icons-react';
import { dialog, list } from '../../routes.ts';

const item = { label: t.nav.proxies, Icon: IconServer2 };
const forms = () => import('./form.tsx');
const admin = () => import('./admin-pages.tsx');

const proxies = list('/dashboard/creator/proxies', () => import('./page.tsx'), 'ProxiesPage', item);
export const proxiesPage = proxies.addChildren([
  dialog(proxies, 'new', forms, 'CreateProxyDialog'),
  dialog(proxies, '$id/edit', forms, 'EditProxyDialog'),
]);

const all = list('/dashboard/admin/proxies', admin, 'AllProxiesPage', item);
export const allProxiesPage = all.addChildren([dialog(all, '$id/edit', forms, 'EditAnyProxyDialog')]);

// The ADMIN's page for policies shows the table of proxies too (spec section 2).
const policies = list('/dashboard/admin/politics', admin, 'AllProxiesPage');
export const adminPoliciesPage = policies.addChildren([
  dialog(policies, '$id/edit', forms, 'EditAnyProxyDialog'),
]);

const platform = list('/dashboard/admin/proxies-default', admin, 'PlatformProxiesPage');
export const platformProxiesPage = platform.addChildren([
  dialog(platform, 'new', forms, 'CreatePlatformProxyDialog'),
  dialog(platform, '$id/edit', forms, 'EditAnyProxyDialog'),
]);
