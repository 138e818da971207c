import { useSyncExternalStore } from 'react';

/** The question to sign in again over a changed form, while it is open. */
let asked: { answer: Promise<boolean>; settle: (renewed: boolean) => void } | null = null;

const listeners = new Set<() => void>();

function set(next: typeof asked): void {
  asked = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const signInAgain = {
  /** Asks the user to sign in over the open page. @returns whether a new session of the same user replaced the old one */
  ask(): Promise<boolean> {
    if (asked === null) {
      let settle = (_renewed: boolean): void => {};
      const answer = new Promise<boolean>((resolve) => {
        settle = resolve;
      });
      set({ answer, settle });
      return answer;
    }
    return asked.answer;
  },
  settle(renewed: boolean): void {
    asked?.settle(renewed);
    set(null);
  },
};

/** Whether the sign-in dialog is open. A dialog below it releases Escape and its focus trap meanwhile. */
export function useSignInAgain(): boolean {
  return useSyncExternalStore(subscribe, () => asked !== null);
}
