import { Button } from '@mantine/core';
import { me } from '@propusk/contract/me';
import { registrationMode, sendCompanyConfirmation } from '@propusk/contract/registration';
import * as t from '@propusk/phrases/console';
import { IconMailForward } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { queryOptions, useCall } from '../api/queries.ts';
import { toastFailure, toastSuccess } from '../ui/toast.ts';
import classes from './factor-banner.module.css';

/** The link is often opened in another browser: the band looks whether it was. */
const LOOK_MS = 15_000;

/** The band of an unconfirmed company, with a button that sends the link again. */
export function ConfirmBanner({ email }: { email: string }) {
  useQuery({ ...queryOptions(me, {}), refetchInterval: LOOK_MS, refetchOnWindowFocus: 'always' });
  // A reply that is late or lost leaves the usual sentence.
  const mailed = useQuery(queryOptions(registrationMode, {})).data?.mailed ?? true;
  const again = useCall(sendCompanyConfirmation);
  const send = () =>
    again.mutate(
      {},
      {
        onSuccess: () => toastSuccess(t.confirmation.sent, email),
        onError: (error) => toastFailure(error.message),
      },
    );
  return (
    <section className={classes.advice} aria-label={t.confirmation.title}>
      <IconMailForward size={20} aria-hidden />
      <p>{mailed ? t.confirmation.lead(email) : t.confirmation.inFolder}</p>
      <Button size="xs" loading={again.isPending} onClick={send}>
        {t.confirmation.again}
      </Button>
    </section>
  );
}
