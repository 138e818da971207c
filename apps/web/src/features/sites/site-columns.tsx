import type { Site } from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import type { Column } from '../../ui/data-table.tsx';
import { Tags } from '../../ui/tags.tsx';

/** The columns that the owner's and the agent's list of sites share. */
export const address: Column<Site> = {
  key: 'address',
  title: t.sites.address,
  width: '22cqi',
  main: true,
  render: (site) => unicodeHost(site.address),
};
export const policies: Column<Site> = {
  key: 'politics',
  title: t.sites.policies,
  render: (site) => <Tags names={site.politics} none={t.sites.noPolicies} />,
};
