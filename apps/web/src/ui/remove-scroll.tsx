import { type ReactNode, useLayoutEffect } from 'react';

let locks = 0;

/**
 * Keeps the page behind an open dialog from scrolling. vite.config.ts puts it in the place of react-remove-scroll,
 * which weighs 3 KB gzip for browsers without `overscroll-behavior`.
 */
export function RemoveScroll({ enabled, children }: { enabled: boolean; children: ReactNode }) {
  useLayoutEffect(() => {
    if (!enabled) return;
    const { style } = document.body;
    locks += 1;
    if (locks === 1) {
      // The place of the scroll bar stays empty: the page must not move.
      style.paddingRight = `${window.innerWidth - document.documentElement.clientWidth}px`;
      style.overflow = 'hidden';
    }
    return () => {
      locks -= 1;
      if (locks > 0) return;
      style.removeProperty('overflow');
      style.removeProperty('padding-right');
    };
  }, [enabled]);
  return children;
}
