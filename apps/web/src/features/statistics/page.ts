import * as t from '@propusk/phrases/console';
import { IconChartBar } from '@tabler/icons-react';
import { page } from '../../routes.ts';

const item = { label: t.nav.statistics, Icon: IconChartBar };
const load = () => import('./page.tsx');

export const statisticsPage = page('/dashboard/creator/statistics', load, 'StatisticsPage', item);
export const statisticsPartPage = page('/dashboard/creator/statistics/$part', load, 'StatisticsPage');
