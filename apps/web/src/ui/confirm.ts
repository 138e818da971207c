import { state } from '../state.ts';
import type { Question } from './confirm-dialog.tsx';
import { lazyDialog } from './lazy.tsx';

export const ConfirmDialog = lazyDialog(() => import('./confirm-dialog.tsx'), 'ConfirmDialog');

interface Open {
  question: Question;
  answer: (yes: boolean) => void;
}

const open = state<Open | null>(null);

/**
 * Asks the user to confirm in a dialog.
 * @returns true after the answer yes, when the question's action (if any) is done
 */
export function confirm(question: Question): Promise<boolean> {
  open.read()?.answer(false);
  return new Promise((resolve) => {
    const answer = (yes: boolean) => {
      // In a separate task: the Escape key that closes the question must not reach the dialog below.
      window.setTimeout(() => {
        open.set(null);
        resolve(yes);
      });
    };
    // In a separate task: the Escape key that opens the question must not close it.
    window.setTimeout(() => open.set({ question, answer }));
  });
}

/** The open question. While it is open, dialogs below it ignore Escape and do not trap the focus. */
export const useQuestion = open.use;
