import { useEffect } from 'react';

/**
 * Gives the focus back to what had it when a dialog opened. Mantine's own way loses it where a row's menu opened the
 * dialog: the menu is gone by then, and its button is meant. What is gone altogether (a deleted row) leaves the focus to
 * the page.
 */
export function useReturnFocus(opened: boolean): void {
  useEffect(() => {
    if (!opened) return;
    const opener = openerOf(document.activeElement);
    return () => {
      // After the dialog has left the page.
      window.setTimeout(() => {
        const target = opener?.isConnected ? opener : document.getElementById('content');
        target?.focus({ preventScroll: true });
      });
    };
  }, [opened]);
}

function openerOf(active: Element | null): HTMLElement | null {
  const button = active?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  const opener = button ? document.getElementById(button) : active;
  return opener instanceof HTMLElement && opener !== document.body ? opener : null;
}
