import { lazyPart } from './lazy-part.tsx';

/** The dialog of `confirm()`, fetched when the first question is about to be asked. */
export const ConfirmDialog = lazyPart(() =>
  import('./confirm-dialog.tsx').then((module) => module.ConfirmDialog),
);
