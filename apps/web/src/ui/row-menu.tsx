import * as t from '@propusk/phrases/console';
import { IconDots } from '@tabler/icons-react';
import { ConfirmDialog } from './confirm.ts';
import { MenuButton } from './menu-button.tsx';
import type { MenuLine } from './menu-lines.tsx';

/** One line of a row's menu. */
export interface RowAction extends MenuLine {
  /** The dialog that the item opens: it is fetched with the menu. */
  opens?: { preload: () => void };
  /** Runs also on a click on the row. */
  main?: boolean;
}

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
