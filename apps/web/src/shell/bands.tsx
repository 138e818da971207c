import { Button } from '@mantine/core';
import { me, type User } from '@propusk/contract/me';
import type { Drift } from '@propusk/contract/protection';
import { sendCompanyConfirmation } from '@propusk/contract/registration';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { IconAlertTriangle, IconHourglass, IconMailForward, IconShieldLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { queryOptions, useCall } from '../api/queries.ts';
import { useOpen } from '../dialog-route.tsx';
import { useMailed } from '../entities/user/no-mail.tsx';
import { FACTOR_HASH } from '../paths.ts';
import { factorLater, useStored } from '../state.ts';
import card from '../ui/card.module.css';
import { formatDay, formatMoment } from '../ui/day.tsx';
import { toasting } from '../ui/toast.ts';
import classes from './bands.module.css';

const band = `${card.box} ${classes.band}`;
/** The largest number of unprotected sites in the band. A longer list would push the page out of view. */
const SHOWN = 3;
/** Interval in milliseconds of checks whether the email address is confirmed: users often open the link in another browser. */
const LOOK_MS = 15_000;
const LATER_MS = 30 * 86_400_000;

/** Sites of the owner's company that lost their protection; each has a button that probes again. */
export function Drifted({ drifted }: { drifted: readonly Drift[] }) {
  const open = useOpen();
  return (
    <section className={band} data-tone="warning" aria-label={t.drift.label}>
      {drifted.slice(0, SHOWN).map(({ id, name, verdict, checkedAt }) => (
        <div key={id} className={classes.line}>
          <IconAlertTriangle size={18} aria-hidden />
          <p>
            <b>{t.drift.says[verdict](unicodeHost(name))}</b>
            <small>{t.sites.checkedAt(formatMoment(checkedAt))}</small>
          </p>
          <Button
            variant="default"
            size="xs"
            aria-label={t.drift.check(unicodeHost(name))}
            {...open('/dashboard/creator/domains/$id/check', id, { begins: true, isOver: false })}
          >
            {t.sites.check}
          </Button>
        </div>
      ))}
      {drifted.length > SHOWN && (
        <div className={classes.line}>
          <small>{t.drift.more(drifted.length - SHOWN)}</small>
        </div>
      )}
    </section>
  );
}

/** Asks the owner of an unconfirmed company to open the link in the mail. A button sends the mail again. */
export function Unconfirmed({ email }: { email: string }) {
  useQuery({ ...queryOptions(me, {}), refetchInterval: LOOK_MS, refetchOnWindowFocus: 'always' });
  const mailed = useMailed();
  const again = useCall(sendCompanyConfirmation);
  const send = () => again.mutate({}, toasting(mailed ? t.confirmation.sent : t.confirmation.written, email));
  return (
    <section className={band} aria-label={t.confirmation.title}>
      <div className={classes.line}>
        <IconMailForward size={20} aria-hidden />
        <p>{mailed ? t.confirmation.lead(email) : `${t.confirmation.inFolder} ${t.noMail}`}</p>
        <Button size="xs" loading={again.isPending} onClick={send}>
          {t.confirmation.again}
        </Button>
      </div>
    </section>
  );
}

/** Advises an ADMIN to turn on a second factor, on every page except the personal page, which has the form for it. */
export function FactorAdvice({ userId }: { userId: number }) {
  const there = useLocation({ select: ({ pathname }) => pathname.endsWith('/personal-data') });
  const isLater = useStored(() => {
    const [id, until] = (factorLater.read() ?? '').split(':').map(Number);
    return id === userId && until !== undefined && until > Date.now();
  });
  if (there || isLater) return null;
  return (
    <section className={band} aria-label={t.factor.title}>
      <div className={classes.line}>
        <IconShieldLock size={20} aria-hidden />
        <p>{t.factor.advice}</p>
        <Button component={Link} to="/dashboard/personal-data" hash={FACTOR_HASH} size="xs">
          {t.factor.adviceOn}
        </Button>
        <Button
          variant="default"
          size="xs"
          onClick={() => factorLater.store(`${userId}:${Date.now() + LATER_MS}`)}
        >
          {t.factor.adviceLater}
        </Button>
      </div>
    </section>
  );
}

/** Warns an owner of the day on which the trial, the plan or the paid proxies end, with a link to the tariff page. */
export function Ending({ ending: { what, at } }: { ending: Ending }) {
  return (
    <section className={band} data-tone="warning" aria-label={t.ending.label}>
      <div className={classes.line}>
        <IconHourglass size={20} aria-hidden />
        <p>{t.ending[what](formatDay(at), isPast(at))}</p>
        <Button component={Link} to="/dashboard/creator/tariff" variant="default" size="xs">
          {t.ending.more}
        </Button>
      </div>
    </section>
  );
}
const isPast = (iso: string) => Date.parse(iso) < Date.now();
type Ending = NonNullable<NonNullable<User['company']>['ending']>;
