import * as t from '@propusk/phrases/console';
import { IconCalendarPlus } from '@tabler/icons-react';
import { lazyDialog } from '../ui/lazy.tsx';
import type { RowAction } from './row-menu.tsx';

export const ExtendDialog = lazyDialog(() => import('../entities/policy/extend-dialog.tsx'), 'ExtendDialog');

/** The menu item that opens the dialog, for a row with ends of access. */
export const extending = (hasEnds: boolean, run: () => void): RowAction[] =>
  hasEnds
    ? [{ label: t.times.extend, icon: <IconCalendarPlus size={16} aria-hidden />, opens: ExtendDialog, run }]
    : [];
