import { type Evidence, evidence } from '@propusk/contract/protection';
import { deleteSite, listSites, type Site } from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { IconHelpCircle, IconLock, IconShieldCheck, IconWorld } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { queryOptions } from '../../api/queries.ts';
import { dayColumns } from '../../common/day-columns.tsx';
import { ListPage } from '../../common/list-page.tsx';
import { useRemove } from '../../common/use-remove.ts';
import { firstSteps, onboarded, useStored } from '../../state.ts';
import { AddButton } from '../../ui/add-button.tsx';
import { lazyDialog, lazyOptional } from '../../ui/lazy.tsx';
import { editing, removing } from '../../ui/row-menu.tsx';
import { Tag } from '../../ui/tags.tsx';
import type { LockStart } from './lock-dialog.tsx';
import { ProtectionMark } from './protection-mark.tsx';
import { address, policies } from './site-columns.tsx';
import classes from './sites-page.module.css';

const dialogs = () => import('../../common/site-dialogs.tsx');
const CreateSiteDialog = lazyDialog(dialogs, 'CreateSiteDialog');
const EditSiteDialog = lazyDialog(dialogs, 'EditSiteDialog');

const LockDialog = lazyDialog(() => import('./lock-dialog.tsx'), 'LockDialog');
const WhyDialog = lazyDialog(() => import('../../common/why-dialog.tsx'), 'WhyDialog');

const FirstSteps = lazyOptional(() => import('./first-steps.tsx'), 'FirstSteps');

type Dialog =
  | { kind: 'create' }
  | { kind: 'edit' | 'why'; site: Site }
  | { kind: 'lock'; site: Site; start: LockStart }
  | null;

/** /dashboard/creator/domains: the sites of the owner's company. */
export function SitesPage() {
  const [dialog, setDialog] = useState<Dialog>(null);
  const isOnboarded = useStored(() => onboarded.read() === 'true');
  // Read only once, so that the card stays on this page after its last step until the owner leaves the page.
  const [kept] = useState(firstSteps.read);
  const { data } = useQuery(queryOptions(evidence, {}));
  const close = () => setDialog(null);
  const assign = (site: Site) => setDialog({ kind: 'edit', site });
  const remove = useRemove(deleteSite, t.sites.remove, { of: 'site' });
  const columns = [
    address,
    {
      key: 'protection',
      title: t.sites.protection,
      width: 'min(248px, 22cqi)',
      render: (site: Site) => (
        <ProtectionMark
          site={site}
          onOpen={() => setDialog({ kind: 'lock', site, start: 'last' })}
          onProtect={() => setDialog({ kind: 'lock', site, start: 'lock' })}
          intent={LockDialog.intent}
        />
      ),
    },
    policies,
    ...dayColumns<Site>(),
  ];
  return (
    <>
      <ListPage
        title={t.sites.title}
        help={t.sites.help}
        alarm={data && <OpenSites {...data} />}
        above={
          isOnboarded &&
          (kept !== 'done' || data?.firstStepsDone === false) && (
            <Suspense
              fallback={<div className={classes.steps} data-folded={kept === 'folded' || undefined} />}
            >
              <FirstSteps
                onAdd={() => setDialog({ kind: 'create' })}
                onLock={(site, start) => setDialog({ kind: 'lock', site, start })}
              />
            </Suspense>
          )
        }
        searchLabel={t.sites.search}
        list={listSites}
        columns={columns}
        rowMenu={{
          name: (site) => unicodeHost(site.address),
          actions: (site) => [
            {
              label: t.sites.protect,
              icon: <IconLock size={16} aria-hidden />,
              opens: LockDialog,
              run: () => setDialog({ kind: 'lock', site, start: 'lock' }),
            },
            {
              label: t.sites.check,
              icon: <IconShieldCheck size={16} aria-hidden />,
              opens: LockDialog,
              run: () => setDialog({ kind: 'lock', site, start: 'check' }),
            },
            {
              label: t.sites.why,
              icon: <IconHelpCircle size={16} aria-hidden />,
              opens: WhyDialog,
              run: () => setDialog({ kind: 'why', site }),
            },
            editing(EditSiteDialog, () => setDialog({ kind: 'edit', site })),
            removing(() => remove(site.id, unicodeHost(site.address))),
          ],
        }}
        empty={{ icon: <IconWorld size={24} />, title: t.sites.empty, hint: t.sites.emptyHint }}
        actions={<AddButton opens={CreateSiteDialog} onClick={() => setDialog({ kind: 'create' })} />}
      />
      {dialog?.kind === 'create' && <CreateSiteDialog onClose={close} />}
      {dialog?.kind === 'edit' && <EditSiteDialog site={dialog.site} onClose={close} />}
      {dialog?.kind === 'why' && (
        <WhyDialog
          siteId={dialog.site.id}
          host={dialog.site.address}
          onAssign={() => assign(dialog.site)}
          onClose={close}
        />
      )}
      {dialog?.kind === 'lock' && (
        <LockDialog
          site={dialog.site}
          start={dialog.start}
          onAssign={() => assign(dialog.site)}
          onClose={close}
        />
      )}
    </>
  );
}

/** The number of the company's sites that are open to everybody, or if none is, of those without a probe. */
function OpenSites({ open, unchecked }: Evidence) {
  if (open > 0) return <Tag tone="bad">{t.sites.openToAll(open)}</Tag>;
  return unchecked > 0 && <Tag tone="warning">{t.sites.notChecked(unchecked)}</Tag>;
}
