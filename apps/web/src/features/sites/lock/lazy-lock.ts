import { lazyPart } from '../../../ui/lazy-part.tsx';

/** The lock of a site: the sites' table opens it, and the dashboard where a lock has come off. */
export const LockDialog = lazyPart(() => import('./lock-dialog.tsx').then((module) => module.LockDialog));
