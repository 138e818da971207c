import * as t from '@propusk/phrases/console';
import { IconDots, IconPencil, IconTrash } from '@tabler/icons-react';
import { ConfirmDialog } from './confirm.ts';
import { MenuButton } from './menu-button.tsx';
import type { MenuLine } from './menu-lines.tsx';

export interface RowAction extends MenuLine {
  /** The dialog that the item opens. Its file is fetched when the menu opens. */
  opens?: { preload: () => void };
  /** A click on the row itself also runs this item. */
  main?: boolean;
}

/** The menu item that opens the dialog in which the user edits the row. */
export const editing = (opens: { preload: () => void }, run: () => void): RowAction => ({
  label: t.common.edit,
  main: true,
  icon: <IconPencil size={16} aria-hidden />,
  opens,
  run,
});

/** The menu item that deletes the row. `run` must ask for confirmation. */
export const removing = (run: () => void): RowAction => ({
  label: t.common.remove,
  icon: <IconTrash size={16} aria-hidden />,
  danger: true,
  run,
});

/** The menu of a row. A row without actions has no menu. */
export function RowMenu({ name, actions }: { name: string; actions: readonly RowAction[] }) {
  if (actions.length === 0) return null;
  return (
    <MenuButton
      label={t.common.rowActions(name)}
      icon={<IconDots size={18} aria-hidden />}
      lines={actions}
      onOpen={() => {
        // Fetch the dialogs when the menu opens. A destructive action opens ConfirmDialog first.
        for (const { opens, danger } of actions) (danger ? ConfirmDialog : opens)?.preload();
      }}
    />
  );
}
