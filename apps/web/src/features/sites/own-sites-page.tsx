import { Button } from '@mantine/core';
import { listPolicies } from '@propusk/contract/policies';
import { listSessions } from '@propusk/contract/sessions';
import { listSites, type Site } from '@propusk/contract/sites';
import * as t from '@propusk/phrases/console';
import { openTimes } from '@propusk/phrases/when';
import { IconWorld } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { queryOptions } from '../../api/queries.ts';
import { SiteLink } from '../../entities/site/site-link.tsx';
import { useMe } from '../../entities/user/me.tsx';
import { dayColumns } from '../../lists/day-columns.tsx';
import { ListPage } from '../../lists/list-page.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { TwoLines } from '../../ui/two-lines.tsx';
import { timesOf } from './own-times.ts';
import { address, policies } from './site-columns.tsx';

const linked: Column<Site> = { ...address, render: (site) => <OwnSite site={site} /> };
const columns = [linked, policies, ...dayColumns<Site>()];

/** /dashboard/user/domains: the sites that the user may reach, read-only. */
export function OwnSitesPage() {
  return (
    <ListPage
      title={t.sites.title}
      help={t.sites.ownHelp}
      alarm={<ToExtension />}
      searchLabel={t.sites.search}
      list={listSites}
      columns={columns}
      empty={{ icon: <IconWorld size={24} />, title: t.sites.ownEmpty, hint: t.sites.ownEmptyHint }}
    />
  );
}

/** A link to a site and, if the user's policies have times, until when it is open or when it opens. */
function OwnSite({ site }: { site: Site }) {
  const me = useMe();
  const { data } = useQuery({ ...queryOptions(listPolicies, {}), refetchInterval: 60_000 });
  const times = data && timesOf(site.id, data.rows, me.id);
  const said = times && openTimes(times.open, times.until);
  return <TwoLines first={<SiteLink address={site.address} />} second={said} />;
}

/** A link to the page that installs the extension, until the user has signed in to the extension. Without the extension the sites do not open. */
function ToExtension() {
  const { data } = useQuery(queryOptions(listSessions, {}));
  if (!data || data.rows.some(({ client }) => client === 'extension')) return null;
  return (
    <Button component="a" href="/extension/pair" variant="default" size="compact-sm">
      {t.sites.needExtension}
    </Button>
  );
}
