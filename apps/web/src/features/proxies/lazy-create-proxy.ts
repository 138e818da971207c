import { lazyPart } from '../../ui/lazy-part.tsx';

/** The same form on the company's list and on the platform's. */
export const CreateProxyDialog = lazyPart(() =>
  import('./create-proxy-dialog.tsx').then((module) => module.CreateProxyDialog),
);
