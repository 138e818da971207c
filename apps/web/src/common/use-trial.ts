import { myTariff, startTrial } from '@propusk/contract/tariff';
import * as t from '@propusk/phrases/console';
import { useQueryClient } from '@tanstack/react-query';
import { queryOptions, useCall } from '../api/queries.ts';
import { formatDay } from '../ui/day.tsx';
import { toastFailure, toastSuccess } from '../ui/toast.ts';
import { messageOf, useAttempt } from './use-attempt.ts';

/**
 * Returns a function that begins the trial and shows a toast.
 * @param ask called instead when the company has no trial to begin
 */
export function useTrial(ask: () => void): { begin: () => void; busy: boolean } {
  const client = useQueryClient();
  const { mutateAsync } = useCall(startTrial);
  const { busy, run } = useAttempt();
  const begin = () =>
    run(async () => {
      try {
        const { trialOffered } = await client.fetchQuery(queryOptions(myTariff, {}));
        if (!trialOffered) return ask();
        const { trialEndsAt } = await mutateAsync({});
        toastSuccess(
          t.tariff.trialBegan,
          trialEndsAt ? t.tariff.trialUntil(formatDay(trialEndsAt)) : undefined,
        );
      } catch (error) {
        toastFailure(messageOf(error));
      }
    });
  return { begin: () => void begin(), busy };
}
