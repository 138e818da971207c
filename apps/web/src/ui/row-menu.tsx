import * as t from '@propusk/phrases/console';
import { IconDots, IconPencil, IconTrash } from '@tabler/icons-react';
import { ConfirmDialog } from './confirm.ts';
import { MenuButton } from './menu-button.tsx';
import type { MenuLine } from './menu-lines.tsx';

export interface RowAction extends MenuLine {
  /** The dialog that the item opens: it is fetched with the menu. */
  opens?: { preload: () => void };
  /** A click on the row itself also runs this item. */
  main?: boolean;
}

/** The action that opens the row's editor. */
export const editing = (opens: { preload: () => void }, run: () => void): RowAction => ({
  label: t.common.edit,
  main: true,
  icon: <IconPencil size={16} aria-hidden />,
  opens,
  run,
});

/** The action that deletes the row, after a question. */
export const removing = (run: () => void): RowAction => ({
  label: t.common.remove,
  icon: <IconTrash size={16} aria-hidden />,
  danger: true,
  run,
});

/** The row menu. A row without actions has none. */
export function RowMenu({ name, actions }: { name: string; actions: readonly RowAction[] }) {
  if (actions.length === 0) return null;
  return (
    <MenuButton
      label={t.common.rowActions(name)}
      icon={<IconDots size={18} aria-hidden />}
      lines={actions}
      onOpen={() => {
        // Destructive actions ask first.
        for (const { opens, danger } of actions) (danger ? ConfirmDialog : opens)?.preload();
      }}
    />
  );
}
