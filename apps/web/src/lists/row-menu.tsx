import * as t from '@propusk/phrases/console';
import { IconDots, IconPencil, IconTrash } from '@tabler/icons-react';
import { Link, type LinkProps, type NavigateOptions, useRouter } from '@tanstack/react-router';
import { ConfirmDialog } from '../ui/confirm.ts';
import { MenuButton } from '../ui/menu-button.tsx';
import type { MenuLine } from '../ui/menu-lines.tsx';

/** An item of a row's menu: a link to a page or a dialog, or a function. */
export type RowAction = Pick<MenuLine, 'label' | 'icon' | 'danger'> & {
  /** A click on the row itself also runs this item. */
  main?: boolean;
} & (
    | { link: NavigateOptions }
    | {
        run: () => void;
        /** The dialog that the item opens. Its file is fetched when the menu opens. */
        opens?: { preload: () => void };
      }
  );

/** The menu item that opens the dialog in which the user edits the row. */
export const editing = (link: NavigateOptions): RowAction => ({
  label: t.common.edit,
  main: true,
  icon: <IconPencil size={16} aria-hidden />,
  link,
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
  const router = useRouter();
  if (actions.length === 0) return null;
  return (
    <MenuButton
      label={t.common.rowActions(name)}
      icon={<IconDots size={18} aria-hidden />}
      lines={actions.map((action) =>
        'link' in action
          ? { ...action, renderRoot: (props) => <Link {...props} {...(action.link as LinkProps)} /> }
          : action,
      )}
      onOpen={() => {
        // Fetch the dialogs when the menu opens. A destructive action opens ConfirmDialog first.
        for (const action of actions) {
          if ('link' in action) void router.preloadRoute(action.link);
          else (action.danger ? ConfirmDialog : action.opens)?.preload();
        }
      }}
    />
  );
}
