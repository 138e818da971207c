import * as t from '@propusk/phrases/console';
import { IconHistory } from '@tabler/icons-react';
import { list } from '../../routes.ts';

const item = { label: t.nav.audit, Icon: IconHistory };
const load = () => import('./page.tsx');

export const auditPage = list('/dashboard/creator/audit', load, 'AuditPage', item);
export const platformAuditPage = list('/dashboard/admin/audit', load, 'PlatformAuditPage', item);
