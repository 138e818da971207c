import { Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { useState } from 'react';
import { useReturnFocus } from '../../ui/use-return-focus.ts';
import { CheckView } from './lock/check-view.tsx';
import { LockView } from './lock/lock-view.tsx';
import { VantagesView } from './lock/vantages-view.tsx';

/** The view that the dialog opens with: the lock's lines, a new probe, or the last probe's verdict. */
export type LockStart = 'lock' | 'check' | 'last';

const titles: Readonly<Record<LockStart | 'vantages', (host: string) => string>> = {
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
  const [view, setView] = useState<LockStart | 'vantages'>(props.start);
  const small = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  useReturnFocus(true);
  const host = unicodeHost(props.site.address);
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={titles[view](host)}
      size={760}
      fullScreen={small}
      returnFocus={false}
    >
      {view === 'vantages' ? (
        <VantagesView onBack={() => setView('last')} />
      ) : view === 'lock' ? (
        <LockView siteId={props.site.id} onCheck={() => setView('check')} onAssign={props.onAssign} />
      ) : (
        <CheckView
          siteId={props.site.id}
          begin={view === 'check'}
          onLock={() => setView('lock')}
          onVantages={() => setView('vantages')}
        />
      )}
    </Modal>
  );
}
