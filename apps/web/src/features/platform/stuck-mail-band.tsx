import { Box } from '@mantine/core';
import { stuckMail } from '@propusk/contract/mail';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { queryOptions } from '../../api/queries.ts';
import { formatMoment } from '../../ui/day.tsx';
import { Notice } from '../../ui/notice.tsx';

const LOOK_MS = 60_000;

/** Tells an ADMIN that mail does not leave, and what to check. Without stuck mail, or without a reply, it is absent. */
export function StuckMailBand() {
  const { data } = useQuery({ ...queryOptions(stuckMail, {}), refetchInterval: LOOK_MS });
  if (!data || data.since === null) return null;
  const { count, since, failure } = data;
  return (
    <Box mb="md">
      <Notice kind="warning">
        <strong>{t.stuckMail.waiting(count, formatMoment(since))}</strong>{' '}
        {failure === null ? t.stuckMail.untried : t.stuckMail.failures[failure]} {t.stuckMail.advice}
      </Notice>
    </Box>
  );
}
