import { myTariff, startTrial } from '@propusk/contract/tariff';
import * as t from '@propusk/phrases/console';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { queryOptions, useCall } from '../../api/queries.ts';
import { messageOf, useAttempt } from '../../forms/use-attempt.ts';
import { confirm } from '../../ui/confirm.ts';
import { formatDay } from '../../ui/day.tsx';
import { toastFailure, toastSuccess } from '../../ui/toast.ts';
import { type Trial, trialOf } from './plan-text.ts';

/**
 * Returns a function that asks the owner to confirm, begins the trial and shows a toast.
 * @param ask opens the request form instead, if there is no trial that the owner may begin
 */
export function useTrial(ask: () => void): { begin: () => void; busy: boolean } {
  const client = useQueryClient();
  const { mutateAsync } = useCall(startTrial);
  const { busy, run } = useAttempt();
  const [found, setFound] = useState<{ trial: Trial; opener: Element | null }>();
  const offer = useEffectEvent(async ({ name, gains }: Trial) => {
    let end: string | null = null;
    const began = await confirm({
      text: t.tariff.trialQuestion,
      hint: t.tariff.trialHint(name, gains.join(', ').toLowerCase()),
      yes: t.tariff.trialBegin,
      no: t.common.cancel,
      action: async () => {
        end = (await mutateAsync({})).trialEndsAt;
      },
    });
    if (began) toastSuccess(t.tariff.trialBegan, end ? t.tariff.trialUntil(formatDay(end)) : undefined);
  });
  // In an effect, because only then is the button enabled again: it takes the focus, and gets it back after the question.
  useEffect(() => {
    if (found?.opener instanceof HTMLElement) found.opener.focus();
    if (found) void offer(found.trial);
  }, [found]);
  const begin = () => {
    const opener = document.activeElement;
    return run(async () => {
      try {
        const trial = trialOf(await client.fetchQuery(queryOptions(myTariff, {})));
        if (trial === null) return ask();
        setFound({ trial, opener });
      } catch (error) {
        toastFailure(messageOf(error));
      }
    });
  };
  return { begin: () => void begin(), busy };
}
