import { useSyncExternalStore } from 'react';
import type { Question } from './confirm-dialog.tsx';
import { lazyDialog } from './lazy.tsx';

export const ConfirmDialog = lazyDialog(() => import('./confirm-dialog.tsx'), 'ConfirmDialog');

interface Open {
  question: Question;
  answer: (yes: boolean) => void;
}

let open: Open | null = null;
const listeners = new Set<() => void>();

function set(next: Open | null): void {
  open = next;
  for (const listener of listeners) listener();
}

/**
 * Asks in a dialog; the one way to ask in the console.
 * @returns whether the answer was yes, and the action (if any) is done
 */
export function confirm(question: Question): Promise<boolean> {
  open?.answer(false);
  return new Promise((resolve) => {
    const answer = (yes: boolean) => {
      // In a task of its own: the Escape that closes the question must not reach the dialog below it.
      window.setTimeout(() => {
        set(null);
        resolve(yes);
      });
    };
    // Likewise: the Escape that opens the question must not close it again.
    window.setTimeout(() => set({ question, answer }));
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The question that is open now. A dialog below it gives up Escape and its focus trap meanwhile. */
export function useQuestion(): Open | null {
  return useSyncExternalStore(subscribe, () => open);
}
