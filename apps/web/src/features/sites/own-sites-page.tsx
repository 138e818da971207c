import { Button } from '@mantine/core';
import { listSessions } from '@propusk/contract/sessions';
import { listSites, type Site } from '@propusk/contract/sites';
import * as t from '@propusk/phrases/console';
import { IconWorld } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { queryOptions } from '../../api/queries.ts';
import { SiteLink } from '../../entities/site/site-link.tsx';
import { dayColumns } from '../../lists/day-columns.tsx';
import { ListPage } from '../../lists/list-page.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { address, policies } from './site-columns.tsx';

const linked: Column<Site> = { ...address, render: ({ address: at }) => <SiteLink address={at} /> };
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

/** A link to the extension's card, until the user has signed in to the extension. Without the extension the sites do not open. */
function ToExtension() {
  const { data } = useQuery(queryOptions(listSessions, {}));
  if (!data || data.rows.some(({ client }) => client === 'extension')) return null;
  return (
    <Button component={Link} to="/dashboard/user/personal-data" variant="default" size="compact-sm">
      {t.sites.needExtension}
    </Button>
  );
}
