import { lazyPart } from '../ui/lazy-part.tsx';

/** The same form for the owner and for an ADMIN. */
export const ChangeCompanyDialog = lazyPart(() =>
  import('./change-company-dialog.tsx').then((module) => module.ChangeCompanyDialog),
);
