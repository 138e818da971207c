import { useMediaQuery } from '@mantine/hooks';
import { getSite, listSites } from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { useNavigate, useParams, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { dialogLink } from '../../dialog-route.tsx';
import { Dialog, type OnClose, useExit } from '../../forms/dialog.tsx';
import { mayDiscard } from '../../forms/unsaved.ts';
import { useEntity } from '../../forms/use-entity.ts';
import { lazyDialog } from '../../ui/lazy.tsx';
import { CheckView } from './lock/check-view.tsx';
import { LockView } from './lock/lock-view.tsx';
import { ProbePathsSection } from './lock/probe-paths.tsx';
import { VantagesView } from './lock/vantages-view.tsx';

const CreateSiteDialog = lazyDialog(() => import('../../entities/site/form.tsx'), 'CreateSiteDialog');

/** The views of the dialog: the lock's lines, a new probe, the verdict of the last probe, the vantages of the company. */
type View = 'lock' | 'check' | 'last' | 'vantages';

const titles: Readonly<Record<View, (host: string) => string>> = {
  lock: t.lock.title,
  check: t.lock.checkTitle,
  last: t.lock.checkTitle,
  vantages: () => t.vantages.title,
};

/** Shows a site's lock: the lines for its web server. */
export function LockDialog({ onClose }: { onClose: OnClose }) {
  return <SiteDialog first="lock" onClose={onClose} />;
}

/** Shows the last probe of a site's lock, or begins a new one where the link to the dialog says so. */
export function CheckDialog({ onClose }: { onClose: OnClose }) {
  const { latestLocation } = useRouter();
  const [begins] = useState(latestLocation.state.begins === true);
  const navigate = useNavigate();
  // A reload of the page begins no other probe.
  useEffect(() => {
    const state = { ...window.history.state, begins: false };
    if (begins) void navigate({ to: '.', search: true, replace: true, resetScroll: false, state });
  }, [begins, navigate]);
  return <SiteDialog first={begins ? 'check' : 'last'} onClose={onClose} />;
}

/** The dialog of a site's lock and probe. @param props.id the site; by default the one in the path of the open page */
export function SiteDialog(props: { first: View; id?: number; onClose: OnClose }) {
  const { data: site } = useEntity(getSite, listSites, props.id);
  const { id: inPath } = useParams({ strict: false });
  const id = props.id ?? Number(inPath);
  const [view, setView] = useState<View>(props.first);
  /** The view from which the owner opened the list of vantages. */
  const [back, setBack] = useState<View>('last');
  /** Whether the paths of the probe have unsaved changes. */
  const [typed, setTyped] = useState(false);
  /** The host of the site that the owner is adding. */
  const [adding, setAdding] = useState<string | null>(null);
  const small = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const exit = useExit(props.onClose);
  const navigate = useNavigate();
  const edit = {
    ...dialogLink('/dashboard/creator/domains/$id/edit', id),
    state: true,
    replace: true,
  } as const;

  /** Leaves the current view. Asks first if typed paths would be lost. */
  async function leave(go: () => void) {
    if (!typed || (await mayDiscard())) go();
  }
  const show = (next: View) => leave(() => setView(next));
  function showVantages() {
    setBack(view === 'lock' ? 'lock' : 'last');
    void show('vantages');
  }
  const paths = site && <ProbePathsSection site={site} onTyped={setTyped} />;
  return (
    <Dialog
      exit={exit}
      covered={adding !== null}
      onClose={() => leave(() => exit.leave())}
      title={titles[view](unicodeHost(site?.address ?? ''))}
      size={760}
      fullScreen={small}
    >
      {view === 'vantages' ? (
        <VantagesView onBack={() => setView(back)} />
      ) : view === 'lock' ? (
        <LockView
          siteId={id}
          onCheck={() => show('check')}
          onVantages={showVantages}
          onAssign={() => leave(() => void navigate({ ...edit, ignoreBlocker: true }))}
        >
          {paths}
        </LockView>
      ) : (
        <CheckView
          siteId={id}
          begin={view === 'check'}
          onLock={() => show('lock')}
          onVantages={showVantages}
          onAddSite={setAdding}
        >
          {paths}
        </CheckView>
      )}
      {/* Adds a site for the host to which this site redirects, with the same policies. */}
      {adding !== null && site && (
        <CreateSiteDialog address={adding} policies={site.politics} onClose={() => setAdding(null)} />
      )}
    </Dialog>
  );
}
