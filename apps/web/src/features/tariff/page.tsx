import { Button, Group, Stack, Text } from '@mantine/core';
import type { Named } from '@propusk/contract/fields';
import { myTariff, type Tariff, withdrawRequest } from '@propusk/contract/tariff';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useState } from 'react';
import { queryOptions, useCall } from '../../api/queries.ts';
import { useOpen } from '../../dialog-route.tsx';
import { ContactLines } from '../../entities/plan/contact.tsx';
import { priceOf, trialOf, untilPhrase } from '../../entities/plan/plan-text.ts';
import { RequestList, requestName } from '../../entities/plan/request-list.tsx';
import { Usage } from '../../entities/plan/usage.tsx';
import { useTrial } from '../../entities/plan/use-trial.ts';
import card from '../../ui/card.module.css';
import { Card, FormCard } from '../../ui/card.tsx';
import { ConfirmDialog, confirm } from '../../ui/confirm.ts';
import { lazyDialog } from '../../ui/lazy.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Offers } from './offers.tsx';
import { PaidEnd } from './paid-end.tsx';
import classes from './tariff.module.css';

const RequestDialog = lazyDialog(() => import('../../entities/plan/request-dialog.tsx'), 'RequestDialog');

/** /dashboard/creator/tariff: the company's plan, its use, the offers, and the requests. */
export function TariffPage() {
  const query = useQuery(queryOptions(myTariff, {}));
  return (
    <>
      <PageHeader title={t.tariff.title} help={t.tariff.help} />
      <Loaded query={query} title={t.tariff.failed} height={180}>
        {(tariff) => <Sections tariff={tariff} />}
      </Loaded>
      <Outlet />
    </>
  );
}

type Dialog = { kind: 'plan' | 'trial'; plan?: Named } | null;

function Sections({ tariff }: { tariff: Tariff }) {
  const [dialog, setDialog] = useState<Dialog>(null);
  const close = () => setDialog(null);
  const open = useOpen();
  return (
    <Stack gap="xl">
      {tariff.paidEnd && <PaidEnd end={tariff.paidEnd} />}
      <Summary tariff={tariff} onAsk={() => setDialog({ kind: 'trial' })} />
      {tariff.offers.length > 0 && (
        <Offers tariff={tariff} onRequest={(plan) => setDialog({ kind: 'plan', plan })} />
      )}
      <Requests requests={tariff.requests} />
      <div className={classes.pair}>
        <FormCard title={t.tariff.manager} lead={t.tariff.managerHint}>
          <ContactLines contact={tariff.contact} />
        </FormCard>
        <FormCard title={t.tariff.phone} lead={t.tariff.phoneHint}>
          <Group>
            {t.shownPhone(tariff.phone) || t.tariff.noPhone}
            <Button variant="subtle" size="compact-sm" {...open('/dashboard/creator/tariff/phone')}>
              {t.common.edit}
            </Button>
          </Group>
        </FormCard>
      </div>
      {dialog && <RequestDialog {...dialog} onClose={close} />}
    </Stack>
  );
}

function Summary({ tariff, onAsk }: { tariff: Tariff; onAsk: () => void }) {
  const { plan, planEndsAt, trialEndsAt, trialRuns } = tariff;
  const trial = useTrial(onAsk);
  const end =
    trialRuns && trialEndsAt
      ? untilPhrase(t.tariff.trialRuns, trialEndsAt)
      : planEndsAt && untilPhrase(t.tariff.runs, planEndsAt);
  return (
    <section className={`${card.box} ${classes.summary}`} aria-label={t.tariff.current}>
      <Stack gap={0} align="flex-start">
        <Text c="dimmed">{t.tariff.current}</Text>
        <h2 className={classes.name}>{plan.name}</h2>
        <p>{priceOf(plan)}</p>
        <Text c="dimmed">{end ?? t.tariff.noEnd}</Text>
        {trialOf(tariff) && (
          <Button mt="md" loading={trial.busy} onClick={trial.begin}>
            {t.tariff.trial}
          </Button>
        )}
      </Stack>
      <Usage plan={plan} used={tariff.used} />
    </section>
  );
}

function Requests({ requests }: Pick<Tariff, 'requests'>) {
  const { mutateAsync } = useCall(withdrawRequest);
  const withdraw = (id: number, name: string) =>
    confirm({
      text: t.requests.withdrawQuestion,
      hint: `${name}. ${t.requests.withdrawHint}`,
      yes: t.requests.withdraw,
      action: () => mutateAsync({ params: { id } }),
      done: [t.requests.withdrawn, name],
    });
  if (requests.length === 0) return null;
  return (
    <Card title={t.requests.title}>
      <RequestList
        requests={requests}
        actions={(request) => (
          <Button
            variant="default"
            size="xs"
            onClick={() => withdraw(request.id, requestName(request))}
            {...ConfirmDialog.intent}
          >
            {t.requests.withdraw}
          </Button>
        )}
      />
    </Card>
  );
}
