import * as t from '@propusk/phrases/console';
import { state } from '../state.ts';
import type { Open, Question } from './confirm-dialog.tsx';
import { lazyDialog } from './lazy.tsx';
import { toastSuccess } from './toast.ts';

export const ConfirmDialog = lazyDialog(() => import('./confirm-dialog.tsx'), 'ConfirmDialog');

const open = state<Open | null>(null);

/**
 * Asks the user to confirm in a dialog. A new question replaces an open one, but while the action of the open one runs, the
 * new question is not asked and gives false.
 * @returns whether the user confirmed; if the question has an action, only after the action has succeeded
 */
export function confirm(question: Question): Promise<boolean> {
  if (open.read()?.busy) return Promise.resolve(false);
  open.read()?.answer(false);
  return new Promise((resolve) => {
    let answered = false;
    const show = (busy: boolean, failure: string | null) => open.set({ question, busy, failure, answer });
    const answer = async (yes: boolean) => {
      if (answered) return;
      answered = true;
      if (yes && question.action) {
        show(true, null);
        try {
          await question.action();
        } catch (error) {
          answered = false;
          return show(false, error instanceof Error ? error.message : t.failures.unexpected);
        }
      }
      // In a separate task: the Escape key that closes the question must not reach the dialog below.
      window.setTimeout(() => {
        open.set(null);
        if (yes && question.done) toastSuccess(...question.done);
        resolve(yes);
      });
    };
    // In a separate task: the Escape key that opens the question must not close it.
    window.setTimeout(() => show(false, null));
  });
}

/** The open question. While it is open, dialogs below it ignore Escape and do not trap the focus. */
export const useQuestion = open.use;
