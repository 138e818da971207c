import type { Site } from '@propusk/contract/sites';
import { type NavigateOptions, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { dialogLink } from '../../dialog-route.tsx';
import { CreateSiteDialog } from '../../entities/site/form.tsx';
import { DialogSequence, type OnClose } from '../../forms/dialog.tsx';
import { lazyDialog } from '../../ui/lazy.tsx';

const loadLock = () => import('./lock-dialog.tsx');
const SiteDialog = lazyDialog(loadLock, 'SiteDialog');

/** Adds a site and then shows its lock in the same modal. The address bar then has the address of the lock. */
export function NewSiteDialog({ onClose }: { onClose: OnClose }) {
  const [site, setSite] = useState<number | null>(null);
  const router = useRouter();
  async function show({ id }: Site) {
    // The form stays until the code of the lock has loaded. SiteDialog reports a failure itself.
    await loadLock().catch(() => {});
    setSite(id);
    const isOver = router.latestLocation.state.isOver === true;
    const lock = dialogLink('/dashboard/creator/domains/$id/lock', id, { isOver });
    const kept = { to: '.', search: true, replace: true, resetScroll: false, ignoreBlocker: true };
    // A reload opens the lock. The router changes the history entry only if its state differs.
    const state = { isOver, begins: false };
    void router.navigate({ ...kept, state, mask: { ...lock, unmaskOnReload: true } } as NavigateOptions);
  }
  return (
    <DialogSequence>
      {site === null ? (
        <CreateSiteDialog onCreated={show} onClose={onClose} />
      ) : (
        <SiteDialog first="lock" id={site} onClose={() => onClose(true)} />
      )}
    </DialogSequence>
  );
}
