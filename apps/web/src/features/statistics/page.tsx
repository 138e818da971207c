import { Skeleton } from '@mantine/core';
import { type RecordSettings, recordSettings } from '@propusk/contract/record-settings';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { Link, notFound, useParams } from '@tanstack/react-router';
import { queryOptions } from '../../api/queries.ts';
import { lazyPart } from '../../frame/lazy-part.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import classes from './statistics.module.css';
import { Support } from './support.tsx';

const waiting = <Skeleton height={600} aria-busy />;
const Overview = lazyPart(() => import('./overview.tsx'), 'Overview', waiting);
const Log = lazyPart(() => import('./log.tsx'), 'Log', waiting);
const Storage = lazyPart(() => import('./storage.tsx'), 'Storage', waiting);
const Now = lazyPart(() => import('./now.tsx'), 'Now', waiting);

const parts = ['now', 'log', 'storage'] as const;
const isPart = (part: string): part is (typeof parts)[number] => parts.some((one) => one === part);

/** /dashboard/creator/statistics: the figures of a period. Paths below it show open connections, the access log or storage. */
export function StatisticsPage() {
  const { part } = useParams({ strict: false });
  if (part !== undefined && !isPart(part)) throw notFound();
  const settings = useQuery(queryOptions(recordSettings, {}));
  return (
    <div className={classes.page}>
      <PageHeader title={t.statistics.title} help={t.statistics.help} actions={<Support />} />
      <nav className={classes.parts} aria-label={t.statistics.sections}>
        <Link to="/dashboard/creator/statistics" activeOptions={{ exact: true, includeSearch: false }}>
          {t.statistics.parts.overview}
        </Link>
        {parts.map((one) => (
          <Link
            key={one}
            to="/dashboard/creator/statistics/$part"
            params={{ part: one }}
            activeOptions={{ includeSearch: false }}
          >
            {t.statistics.parts[one]}
          </Link>
        ))}
      </nav>
      <Loaded query={settings} title={t.statistics.failed} height={600}>
        {(data) => <Part of={part} settings={data} />}
      </Loaded>
    </div>
  );
}

function Part({ of, settings }: { of: string | undefined; settings: RecordSettings }) {
  const zone = settings.timeZone;
  if (of === 'storage') return <Storage settings={settings} />;
  if (of === 'now') return <Now zone={zone} />;
  return of === 'log' ? <Log zone={zone} /> : <Overview zone={zone} />;
}
