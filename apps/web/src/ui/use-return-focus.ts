import { useEffect } from 'react';

/**
 * Returns the focus to the element that had it when a dialog opened. Mantine's own way fails after a row menu: the
 * menu is unmounted, and its button should get the focus. When that element is gone too (a deleted row), the page
 * keeps the focus.
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
