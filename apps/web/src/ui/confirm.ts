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
 * Asks in a dialog. The console asks in no other way.
 * @returns whether the answer was yes, and the action (if any) is done
 */
export function confirm(question: Question): Promise<boolean> {
  open?.answer(false);
  return new Promise((resolve) => {
    const answer = (yes: boolean) => {
      // In a separate task: the Escape key that closes the question must not reach the dialog below.
      window.setTimeout(() => {
        set(null);
        resolve(yes);
      });
    };
    // In a separate task: the Escape key that opens the question must not close it.
    window.setTimeout(() => set({ question, answer }));
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The open question. A dialog below it releases Escape and its focus trap meanwhile. */
export function useQuestion(): Open | null {
  return useSyncExternalStore(subscribe, () => open);
}
