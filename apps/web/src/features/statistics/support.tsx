import { Button, Group } from '@mantine/core';
import { getSupport, setSupport } from '@propusk/contract/records';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { queryOptions, useCall } from '../../api/queries.ts';
import { ConfirmDialog, confirm } from '../../ui/confirm.ts';
import { formatMoment } from '../../ui/day.tsx';
import { toasting } from '../../ui/toast.ts';

/** Allows the platform's support to read the company's visits for 24 hours, shows when that ends, and can end it earlier. */
export function Support() {
  const query = useQuery({ ...queryOptions(getSupport, {}), refetchInterval: 60_000 });
  const { data } = query;
  const { mutate, mutateAsync, isPending } = useCall(setSupport);
  if (!data) {
    // A placeholder as high as the loaded button, so that the page does not move.
    if (!query.error) {
      return (
        <Button variant="default" loading>
          {t.statistics.support}
        </Button>
      );
    }
    return (
      <Group gap="4px 12px" role="alert">
        <span>{t.statistics.supportFailed}</span>
        <Button variant="default" loading={query.isFetching} onClick={() => query.refetch()}>
          {t.common.retry}
        </Button>
      </Group>
    );
  }
  const allow = () =>
    confirm({
      text: `${t.statistics.support}?`,
      hint: t.statistics.supportHint,
      yes: t.statistics.supportAllow,
      action: () => mutateAsync({ body: { allowed: true } }),
      done: [t.statistics.supportAllowed],
    });
  const end = () => mutate({ body: { allowed: false } }, toasting(t.statistics.supportEnded));
  if (data.until === null) {
    return (
      <Button variant="default" onClick={allow} {...ConfirmDialog.intent}>
        {t.statistics.support}
      </Button>
    );
  }
  return (
    <Group gap="4px 12px">
      <span>{t.statistics.supportUntil(formatMoment(data.until))}</span>
      <Button variant="default" loading={isPending} onClick={end}>
        {t.statistics.supportEnd}
      </Button>
    </Group>
  );
}
