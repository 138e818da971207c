import * as t from '@propusk/phrases/console';
import { IconWorld } from '@tabler/icons-react';
import { dialog, list } from '../../routes.ts';

const item = { label: t.nav.sites, Icon: IconWorld };
const create = () => import('./new-site-dialog.tsx');
const forms = () => import('../../entities/site/form.tsx');
const imports = () => import('./import-dialog.tsx');
const lock = () => import('./lock-dialog.tsx');
const why = () => import('../../entities/site/why-dialog.tsx');

const sites = list('/dashboard/creator/domains', () => import('./page.tsx'), 'SitesPage', item);
export const sitesPage = sites.addChildren([
  dialog(sites, 'new', create, 'NewSiteDialog'),
  dialog(sites, 'import', imports, 'ImportSitesDialog'),
  dialog(sites, '$id/edit', forms, 'EditSiteDialog'),
  dialog(sites, '$id/lock', lock, 'LockDialog'),
  dialog(sites, '$id/check', lock, 'CheckDialog'),
  dialog(sites, '$id/why', why, 'WhyDialog'),
]);

export const ownSitesPage = list(
  '/dashboard/user/domains',
  () => import('./own-sites-page.tsx'),
  'OwnSitesPage',
  item,
);
