import { lazyPart } from '../../ui/lazy-part.tsx';

/** The check of a proxy, for an owner and an ADMIN. */
export const CheckProxyDialog = lazyPart(() =>
  import('./check-proxy-dialog.tsx').then((module) => module.CheckProxyDialog),
);
