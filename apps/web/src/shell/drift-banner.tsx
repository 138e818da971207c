import { Button } from '@mantine/core';
import type { Drift } from '@propusk/contract/protection';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '../paths.ts';
import { formatMoment } from '../ui/day.tsx';
import { lazyDialog } from '../ui/lazy.tsx';
import classes from './drift-banner.module.css';

const LockDialog = lazyDialog(() => import('../features/sites/lock/lock-dialog.tsx'), 'LockDialog');

/** More entries than this would push the page out of view. */
const SHOWN = 3;

/** Props of the banner. */
export interface DriftBannerProps {
  drifted: readonly Drift[];
}

/** Warns about sites that lost their protection; each has a button that probes again. */
export function DriftBanner({ drifted }: DriftBannerProps) {
  const navigate = useNavigate();
  const [checked, setChecked] = useState<{ id: number; address: string } | null>(null);
  return (
    <>
      {drifted.length > 0 && (
        <section className={classes.drift} aria-label={t.drift.label}>
          {drifted.slice(0, SHOWN).map(({ id, name, verdict, checkedAt }) => {
            const host = unicodeHost(name);
            return (
              <div key={id} className={classes.site} role="alert">
                <IconAlertTriangle size={18} aria-hidden />
                <p>
                  <b>{t.drift.says[verdict](host)}</b>
                  <small>{t.sites.checkedAt(formatMoment(checkedAt))}</small>
                </p>
                <Button
                  variant="default"
                  size="xs"
                  aria-label={t.drift.check(host)}
                  onClick={() => setChecked({ id, address: name })}
                  {...LockDialog.intent}
                >
                  {t.sites.check}
                </Button>
              </div>
            );
          })}
          {drifted.length > SHOWN && <p className={classes.more}>{t.drift.more(drifted.length - SHOWN)}</p>}
        </section>
      )}
      {checked && (
        <LockDialog
          site={checked}
          start="check"
          onAssign={() => {
            setChecked(null);
            void navigate({ to: paths.creatorSites });
          }}
          onClose={() => setChecked(null)}
        />
      )}
    </>
  );
}
