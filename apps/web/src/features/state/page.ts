import * as t from '@propusk/phrases/console';
import { IconHeartbeat } from '@tabler/icons-react';
import { page } from '../../routes.ts';

const item = { label: t.nav.state, Icon: IconHeartbeat };

export const statePage = page('/dashboard/admin/state', () => import('./page.tsx'), 'StatePage', item);
