import { type Evidence, evidence } from '@propusk/contract/protection';
import { deleteSite, listSites, type Site, siteIds } from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { IconHelpCircle, IconLock, IconShieldCheck, IconWorld } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { queryOptions } from '../../api/queries.ts';
import { dialogLink } from '../../dialog-route.tsx';
import { siteFilters } from '../../entities/site/filters.ts';
import { AddButton, ImportButton } from '../../lists/add-button.tsx';
import { dayColumns, visitColumn } from '../../lists/day-columns.tsx';
import { ListPage } from '../../lists/list-page.tsx';
import { editing, removing } from '../../lists/row-menu.tsx';
import { useRemove } from '../../lists/use-remove.ts';
import { firstSteps, onboarded, useStored } from '../../state.ts';
import { lazyOptional } from '../../ui/lazy.tsx';
import { Tag } from '../../ui/tags.tsx';
import classes from './page.module.css';
import { ProtectionMark } from './protection-mark.tsx';
import { address, policies } from './site-columns.tsx';

const FirstSteps = lazyOptional(() => import('./first-steps.tsx'), 'FirstSteps');

const at = '/dashboard/creator/domains/$id';

/** /dashboard/creator/domains: the sites of the owner's company. */
export function SitesPage() {
  const isOnboarded = useStored(() => onboarded.read() === 'true');
  // The stored state is read only once, so that the first-steps card stays after its last step until the owner leaves the page.
  const [kept] = useState(firstSteps.read);
  const { data } = useQuery(queryOptions(evidence, {}));
  const remove = useRemove(deleteSite, t.sites.remove, { of: 'site' });
  const columns = [
    address,
    {
      key: 'protection',
      title: t.sites.protection,
      width: 'min(248px, 22cqi)',
      render: (site: Site) => <ProtectionMark site={site} />,
    },
    policies,
    { ...visitColumn<Site>(), short: 'wide' as const },
    ...dayColumns<Site>(),
  ];
  return (
    <ListPage
      title={t.sites.title}
      help={t.sites.help}
      alarm={data && <OpenSites {...data} />}
      above={
        isOnboarded &&
        (kept !== 'done' || data?.firstStepsDone === false) && (
          <Suspense fallback={<div className={classes.steps} data-folded={kept === 'folded' || undefined} />}>
            <FirstSteps />
          </Suspense>
        )
      }
      searchLabel={t.sites.search}
      list={listSites}
      filters={siteFilters}
      bulk={{ of: 'site', ids: siteIds }}
      columns={columns}
      rowMenu={{
        name: (site) => unicodeHost(site.address),
        actions: (site) => [
          {
            label: t.sites.protect,
            icon: <IconLock size={16} aria-hidden />,
            link: dialogLink(`${at}/lock`, site.id),
          },
          {
            label: t.sites.check,
            icon: <IconShieldCheck size={16} aria-hidden />,
            link: dialogLink(`${at}/check`, site.id, { begins: true }),
          },
          {
            label: t.sites.why,
            icon: <IconHelpCircle size={16} aria-hidden />,
            link: dialogLink(`${at}/why`, site.id),
          },
          editing(dialogLink(`${at}/edit`, site.id)),
          removing(() => remove(site.id, unicodeHost(site.address))),
        ],
      }}
      empty={{ icon: <IconWorld size={24} />, title: t.sites.empty, hint: t.sites.emptyHint }}
      actions={
        <>
          <ImportButton to="/dashboard/creator/domains/import" />
          <AddButton to="/dashboard/creator/domains/new" />
        </>
      }
    />
  );
}

/** A link to the sites that are open to everybody. If there are none, it leads to the sites without a probe. */
function OpenSites({ open, unchecked }: Evidence) {
  if (open + unchecked === 0) return null;
  const text = open > 0 ? t.sites.openToAll(open) : t.sites.notChecked(unchecked);
  return (
    <Link to="/dashboard/creator/domains" search={{ protection: open > 0 ? 'open' : 'unchecked' }}>
      <Tag tone={open > 0 ? 'bad' : 'warning'}>{text}</Tag>
    </Link>
  );
}
