import { useEffect } from 'react';

/**
 * Returns the focus to the element that had it when a dialog opened. Mantine's own return of the focus fails after a row
 * menu: the menu item is unmounted, so the menu's button must get the focus. If that button is unmounted too, because
 * its row was deleted, the main element gets the focus.
 */
export function useReturnFocus(opened: boolean): void {
  useEffect(() => {
    if (!opened) return;
    const opener = openerOf(document.activeElement);
    return () => {
      // In a separate task, because the dialog is still mounted and would take the focus back.
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
