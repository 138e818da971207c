import * as t from '@propusk/phrases/console';
import { IconUserCircle } from '@tabler/icons-react';
import { page } from '../../routes.ts';

const item = { label: t.nav.personalData, Icon: IconUserCircle };
const load = () => import('./page.tsx');

export const agentPersonalPage = page('/dashboard/user/personal-data', load, 'PersonalPage', item);
// ADMIN and CREATOR have no navigation item for this page: the user's name in the header links to it.
export const personalPage = page('/dashboard/personal-data', load, 'PersonalPage');
