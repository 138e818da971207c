import { ActionIcon } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import * as t from '@propusk/phrases/console';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { singleKeys, useStored } from '../../state.ts';
import { lazyDialog } from '../../ui/lazy.tsx';

const GoDialog = lazyDialog(() => import('./go-dialog.tsx'), 'GoDialog');
const KeysDialog = lazyDialog(() => import('./keys-dialog.tsx'), 'KeysDialog');

// Shortcuts go by the physical key, so that they also work on the Russian keyboard layout.
const physical = { usePhysicalKeys: true, preventDefault: false };

/** Runs a command unless a dialog or a menu is open. */
const unlessBusy = (run: () => unknown) => (event: KeyboardEvent) => {
  const isBusy = document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null;
  if (event.defaultPrevented || isBusy) return;
  event.preventDefault();
  run();
};
const marked = (keys: string) => document.querySelector<HTMLElement>(`main [aria-keyshortcuts="${keys}"]`);

/**
 * The dashboard's keyboard shortcuts, and the button that opens the search of pages and entities. The shortcuts find a
 * page's search field and "add" button by their `aria-keyshortcuts`, which screen readers announce too.
 */
export function Keyboard() {
  const [opened, setOpened] = useState<'go' | 'keys' | null>(null);
  const single = useStored(() => singleKeys.read() !== 'off');
  useHotkeys([['mod+K', unlessBusy(() => setOpened('go')), physical]], []);
  useHotkeys(
    single
      ? [
          ['Slash', unlessBusy(() => marked('/')?.focus()), physical],
          ['N', unlessBusy(() => marked('n')?.click()), physical],
          ['shift+Slash', unlessBusy(() => setOpened('keys')), physical],
        ]
      : [],
  );
  const close = () => setOpened(null);
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={40}
        aria-label={t.shell.go}
        aria-keyshortcuts="Control+K"
        title={t.shell.goTitle}
        onClick={() => setOpened('go')}
        {...GoDialog.intent}
      >
        <IconSearch size={18} stroke={1.75} aria-hidden />
      </ActionIcon>
      {opened === 'go' && <GoDialog onClose={close} onKeys={() => setOpened('keys')} />}
      {opened === 'keys' && <KeysDialog onClose={close} />}
    </>
  );
}
