import type { Site } from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { IconAlertTriangle, IconCircleDashed } from '@tabler/icons-react';
import { formatMoment } from '../../ui/day.tsx';
import { verdicts } from './lock/verdicts.ts';
import classes from './protection-mark.module.css';

/** The verdict of a site's last probe; a click opens its details. */
export function ProtectionMark({ site, onOpen }: { site: Site; onOpen: () => void }) {
  const { protection } = site;
  const word = protection ? t.sites.verdicts[protection.verdict] : t.sites.unchecked;
  const look = protection ? verdicts[protection.verdict] : { tone: 'neutral', Icon: IconCircleDashed };
  const Icon = protection?.drifted ? IconAlertTriangle : look.Icon;
  return (
    <button
      type="button"
      className={classes.mark}
      data-tone={protection?.drifted ? 'warning' : look.tone}
      title={protection ? t.sites.checkedAt(formatMoment(protection.checkedAt)) : undefined}
      aria-label={t.sites.showCheck(unicodeHost(site.address), word)}
      onClick={onOpen}
    >
      <Icon size={18} stroke={1.75} aria-hidden />
      <span>
        {word}
        {protection?.drifted && <small>{t.sites.drifted}</small>}
      </span>
    </button>
  );
}
