import { type ReactNode, useLayoutEffect } from 'react';

let locks = 0;

/**
 * Prevents the page behind an open dialog from scrolling. vite.config.ts replaces Mantine's react-remove-scroll with this
 * component, because that library adds 3 KB gzip for browsers without `overscroll-behavior`.
 */
export function RemoveScroll({ enabled, children }: { enabled: boolean; children: ReactNode }) {
  useLayoutEffect(() => {
    if (!enabled) return;
    const { style } = document.body;
    const root = document.documentElement;
    locks += 1;
    if (locks === 1) {
      // Padding replaces the scroll bar and its gutter, so that the page does not move and the backdrop covers both.
      style.paddingRight = `${window.innerWidth - document.body.offsetWidth}px`;
      style.overflow = 'hidden';
      root.style.scrollbarGutter = 'auto';
    }
    return () => {
      locks -= 1;
      if (locks > 0) return;
      style.removeProperty('overflow');
      style.removeProperty('padding-right');
      root.style.removeProperty('scrollbar-gutter');
    };
  }, [enabled]);
  return children;
}
