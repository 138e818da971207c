import * as t from '@propusk/phrases/console';
import { Link, notFound, useParams } from '@tanstack/react-router';
import { Suspense } from 'react';
import { paths } from '../../paths.ts';
import { lazyOptional } from '../../ui/lazy.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import classes from './statistics.module.css';

const Overview = lazyOptional(() => import('./overview.tsx'), 'Overview');
const Log = lazyOptional(() => import('./log.tsx'), 'Log');
const Support = lazyOptional(() => import('./support.tsx'), 'Support');
const Now = lazyOptional(() => import('./now.tsx'), 'Now');

/** /dashboard/creator/statistics: the figures of a period; with the part `now` or `log`, the open connections or the access log. */
export function StatisticsPage() {
  const { part } = useParams({ strict: false });
  if (part !== undefined && part !== 'now' && part !== 'log') throw notFound();
  return (
    <div className={classes.page}>
      <PageHeader
        title={t.statistics.title}
        help={t.statistics.help}
        actions={
          <Suspense fallback={null}>
            <Support />
          </Suspense>
        }
      />
      <nav className={classes.parts} aria-label={t.statistics.sections}>
        <Link to={paths.creatorStatistics} activeOptions={{ exact: true, includeSearch: false }}>
          {t.statistics.parts.overview}
        </Link>
        {(['now', 'log'] as const).map((one) => (
          <Link
            key={one}
            to={paths.creatorStatisticsPart}
            params={{ part: one }}
            activeOptions={{ includeSearch: false }}
          >
            {t.statistics.parts[one]}
          </Link>
        ))}
      </nav>
      <Suspense fallback={null}>
        {part === 'now' ? <Now /> : part === 'log' ? <Log /> : <Overview />}
      </Suspense>
    </div>
  );
}
