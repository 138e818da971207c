import { Button } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { IconChartBar, IconCreditCard } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { paths } from '../../paths.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { State } from '../../ui/state.tsx';

/** /dashboard/creator/statistics: a placeholder. */
export function StatisticsPage() {
  return (
    <>
      <PageHeader title={t.statistics.title} />
      <State icon={<IconChartBar size={24} />} title={t.statistics.soon} hint={t.statistics.soonHint} />
    </>
  );
}

/** /dashboard/creator/tariff: a placeholder. */
export function TariffPage() {
  return (
    <>
      <PageHeader title={t.tariff.title} />
      <State
        icon={<IconCreditCard size={24} />}
        title={t.tariff.soon}
        hint={t.tariff.soonHint}
        action={
          <Button component={Link} to={paths.creatorProxies} variant="default">
            {t.tariff.toProxies}
          </Button>
        }
      />
    </>
  );
}
