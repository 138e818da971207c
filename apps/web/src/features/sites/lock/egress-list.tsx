import type { EgressOfProxy } from '@propusk/contract/lock';
import * as t from '@propusk/phrases/console';
import { proxyName } from '../../../common/names.ts';
import { Card } from '../../../ui/card.tsx';
import { formatMoment } from '../../../ui/day.tsx';
import { Tag, Tags } from '../../../ui/tags.tsx';
import classes from './egress-list.module.css';

/** The observed egress addresses of each proxy of a site's policies, with the time of the observation. */
export function EgressList({ egress }: { egress: readonly EgressOfProxy[] }) {
  return (
    <Card>
      <ul aria-label={t.lock.egress}>
        {egress.map((one) => (
          <li key={one.proxy.id} className={classes.line}>
            <div className={classes.proxy}>
              <span className={classes.name}>{proxyName({ host: one.proxy.name, direct: one.direct })}</span>
              <Tags names={one.politics} none="" />
            </div>
            <div className={classes.addresses}>
              {one.addresses.length > 0 ? <code>{one.addresses.join(', ')}</code> : t.lock.noAddress}
              <span className={classes.since}>
                {one.learnedAt ? t.lock.learned(formatMoment(one.learnedAt)) : t.lock.notLearned}
                {one.stale && <Tag tone="special">{t.lock.stale}</Tag>}
              </span>
            </div>
            {one.problem && <p className={classes.problem}>{one.problem}</p>}
          </li>
        ))}
      </ul>
    </Card>
  );
}
