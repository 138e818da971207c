import { Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { getSite } from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queryOptions } from '../../api/queries.ts';
import { useSignInAgain } from '../../common/sign-in-again.ts';
import { confirm, useQuestion } from '../../ui/confirm.ts';
import { lazyDialog } from '../../ui/lazy.tsx';
import { useReturnFocus } from '../../ui/use-return-focus.ts';
import { CheckView } from './lock/check-view.tsx';
import { LockView } from './lock/lock-view.tsx';
import { ProbePathsSection } from './lock/probe-paths.tsx';
import { VantagesView } from './lock/vantages-view.tsx';

const CreateSiteDialog = lazyDialog(() => import('../../common/site-dialogs.tsx'), 'CreateSiteDialog');

/** The view that the dialog opens with: the lock's lines, a new probe, or the last probe's verdict. */
export type LockStart = 'lock' | 'check' | 'last';
type View = LockStart | 'vantages';

const titles: Readonly<Record<View, (host: string) => string>> = {
  lock: t.lock.title,
  check: t.lock.checkTitle,
  last: t.lock.checkTitle,
  vantages: () => t.vantages.title,
};

/** A dialog with a site's lock (the lines for its web server) and the probe that tests it. */
export function LockDialog(props: {
  site: { id: number; address: string };
  start: LockStart;
  /** Opens the site's form, in which the owner assigns a policy to the site. */
  onAssign: () => void;
  onClose: () => void;
}) {
  const { site } = props;
  const [view, setView] = useState<View>(props.start);
  /** Whether the paths of the probe have unsaved changes. */
  const [typed, setTyped] = useState(false);
  /** The host of the site that the owner is adding. */
  const [adding, setAdding] = useState<string | null>(null);
  const small = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const ended = useSignInAgain();
  const asking = useQuestion() !== null || ended || adding !== null;
  useReturnFocus(true);
  const host = unicodeHost(site.address);

  /** Leaves the current view, after a question if that loses typed paths. */
  async function leave(go: () => void) {
    if (asking) return;
    const question = { text: t.input.discard, yes: t.common.close, no: t.input.stay, danger: true };
    if (!typed || (await confirm(question))) go();
  }
  const show = (next: View) => leave(() => setView(next));
  const paths = <ProbePathsSection site={site} onTyped={setTyped} />;
  return (
    <>
      <Modal
        opened
        onClose={() => leave(props.onClose)}
        title={titles[view](host)}
        size={760}
        fullScreen={small}
        closeOnEscape={!asking}
        trapFocus={!asking}
        returnFocus={false}
      >
        {view === 'vantages' ? (
          <VantagesView onBack={() => setView('last')} />
        ) : view === 'lock' ? (
          <LockView siteId={site.id} onCheck={() => show('check')} onAssign={() => leave(props.onAssign)}>
            {paths}
          </LockView>
        ) : (
          <CheckView
            siteId={site.id}
            begin={view === 'check'}
            onLock={() => show('lock')}
            onVantages={() => show('vantages')}
            onAddSite={setAdding}
          >
            {paths}
          </CheckView>
        )}
      </Modal>
      {adding !== null && <AddTarget siteId={site.id} host={adding} onClose={() => setAdding(null)} />}
    </>
  );
}

/** Adds the host that a site redirects to as a site with the same policies. */
function AddTarget(props: { siteId: number; host: string; onClose: () => void }) {
  const { siteId, host, onClose } = props;
  const { data, isPending } = useQuery(queryOptions(getSite, { params: { id: siteId } }));
  return !isPending && <CreateSiteDialog address={host} policies={data?.politics ?? []} onClose={onClose} />;
}
