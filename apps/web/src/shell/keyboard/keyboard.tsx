import { ActionIcon } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { lazyDialog } from '../../ui/lazy.tsx';
import { commandOf, singleKeys } from './keys.ts';

const GoDialog = lazyDialog(() => import('./go-dialog.tsx'), 'GoDialog');
const KeysDialog = lazyDialog(() => import('./keys-dialog.tsx'), 'KeysDialog');

/**
 * The dashboard's keyboard shortcuts, and the button that opens the command dialog. A page marks its search field and its "add"
 * button with `aria-keyshortcuts`: the shortcuts find them by it, and screen readers announce it.
 */
export function Keyboard() {
  const [opened, setOpened] = useState<'go' | 'keys' | null>(null);
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      const command = event.defaultPrevented ? null : commandOf(event);
      if (command === null || isBusy()) return;
      if (command !== 'go' && (!singleKeys.read() || isTyping(event.target))) return;
      if (command === 'go' || command === 'keys') setOpened(command);
      else if (!press(command)) return;
      event.preventDefault();
    }
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
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

/** Whether a dialog or a menu has the keyboard. */
const isBusy = () => document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null;

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, textarea, select, [role="combobox"]'));

/** Focuses the page's search field or presses its button. @returns false when the page has none */
function press(command: 'search' | 'add'): boolean {
  const selector = `main [aria-keyshortcuts="${command === 'search' ? '/' : 'n'}"]`;
  const found = document.querySelector<HTMLElement>(selector);
  if (command === 'search') found?.focus();
  else found?.click();
  return found !== null;
}
