import { Skeleton } from '@mantine/core';
import { type RecordSettings, recordSettings } from '@propusk/contract/record-settings';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { Link, notFound, useParams } from '@tanstack/react-router';
import { Suspense } from 'react';
import { queryOptions } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { lazyOptional } from '../../ui/lazy.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Failed } from '../../ui/state.tsx';
import classes from './statistics.module.css';

const Overview = lazyOptional(() => import('./overview.tsx'), 'Overview');
const Log = lazyOptional(() => import('./log.tsx'), 'Log');
const Storage = lazyOptional(() => import('./storage.tsx'), 'Storage');
const Support = lazyOptional(() => import('./support.tsx'), 'Support');
const Now = lazyOptional(() => import('./now.tsx'), 'Now');

const parts = ['now', 'log', 'storage'] as const;
const isPart = (part: string): part is (typeof parts)[number] => parts.some((one) => one === part);

/** /dashboard/creator/statistics: the figures of a period. The last part of the path selects open connections, access log or storage instead. */
export function StatisticsPage() {
  const { part } = useParams({ strict: false });
  if (part !== undefined && !isPart(part)) throw notFound();
  const settings = useQuery(queryOptions(recordSettings, {}));
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
        {parts.map((one) => (
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
        {settings.data ? (
          <Part of={part} settings={settings.data} />
        ) : settings.error ? (
          <Failed query={settings} title={t.statistics.failed} />
        ) : (
          <Skeleton height={600} aria-busy />
        )}
      </Suspense>
    </div>
  );
}

function Part({ of, settings }: { of: string | undefined; settings: RecordSettings }) {
  const zone = settings.timeZone;
  if (of === 'storage') return <Storage settings={settings} />;
  if (of === 'now') return <Now zone={zone} />;
  return of === 'log' ? <Log zone={zone} /> : <Overview zone={zone} />;
}
