import * as t from '@propusk/phrases/console';
import { IconCreditCard } from '@tabler/icons-react';
import { dialog, type NavigationItem, page } from '../../routes.ts';

const item: NavigationItem = {
  label: t.nav.tariff,
  Icon: IconCreditCard,
  isShown: ({ company }) => company?.hasTariff === true,
};
const phone = () => import('./phone-dialog.tsx');

const tariff = page('/dashboard/creator/tariff', () => import('./page.tsx'), 'TariffPage', item);
export const tariffPage = tariff.addChildren([dialog(tariff, 'phone', phone, 'PhoneDialog')]);
