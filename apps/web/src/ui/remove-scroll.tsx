import { type ReactNode, useLayoutEffect } from 'react';

let locks = 0;

/**
 * Prevents the page behind an open dialog from scrolling. vite.config.ts replaces Mantine's react-remove-scroll with this
 * component, because that library adds 3 KB gzip for browsers without `overscroll-behavior`.
 */
export function RemoveScroll({ enabled, children }: { enabled: boolean; children: ReactNode }) {
  useLayoutEffect(() => {
    if (!enabled) return;
    const { documentElement: root, body } = document;
    locks += 1;
    if (locks === 1) {
      // Padding replaces the width of the hidden scroll bar, so that the page does not move.
      body.style.paddingRight = `${window.innerWidth - root.clientWidth}px`;
      root.style.overflow = 'hidden';
    }
    return () => {
      locks -= 1;
      if (locks > 0) return;
      root.style.removeProperty('overflow');
      body.style.removeProperty('padding-right');
    };
  }, [enabled]);
  return children;
}
