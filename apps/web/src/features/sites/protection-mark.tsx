import { Button } from '@mantine/core';
import type { Site } from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { IconAlertTriangle, IconCircleDashed } from '@tabler/icons-react';
import { useOpen } from '../../dialog-route.tsx';
import { formatMoment } from '../../ui/day.tsx';
import { verdicts } from './lock/verdicts.ts';
import classes from './protection-mark.module.css';

const unchecked = { tone: 'warning', Icon: IconCircleDashed };

/** The verdict of a site's last probe. A click opens the probe; while the site is not protected, a button opens its lock. */
export function ProtectionMark({ site }: { site: Site }) {
  const open = useOpen();
  const { address, protection } = site;
  const host = unicodeHost(address);
  const word = protection ? t.sites.verdicts[protection.verdict] : t.sites.unchecked;
  const { tone, Icon } = protection ? verdicts[protection.verdict] : unchecked;
  const Mark = protection?.drifted ? IconAlertTriangle : Icon;
  return (
    <span className={classes.cell}>
      <button
        type="button"
        className={classes.mark}
        data-tone={protection?.drifted && tone !== 'bad' ? 'warning' : tone}
        title={protection ? t.sites.checkedAt(formatMoment(protection.checkedAt)) : undefined}
        aria-label={t.sites.showCheck(host, word)}
        {...open('/dashboard/creator/domains/$id/check', site.id)}
      >
        <Mark size={18} stroke={1.75} aria-hidden />
        <span>
          {word}
          {protection?.drifted && <small>{t.sites.drifted}</small>}
        </span>
      </button>
      {protection?.verdict !== 'protected' && (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={t.sites.protectSite(host)}
          {...open('/dashboard/creator/domains/$id/lock', site.id)}
        >
          {t.sites.protect}
        </Button>
      )}
    </span>
  );
}
