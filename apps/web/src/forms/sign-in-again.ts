import { state } from '../state.ts';

/** The pending request to sign in again; null while the sign-in dialog is closed. */
const asked = state<PromiseWithResolvers<boolean> | null>(null);

export const signInAgain = {
  /** Asks the user to sign in over the open page. @returns whether a new session of the same user replaced the old one */
  ask(): Promise<boolean> {
    const open = asked.read() ?? Promise.withResolvers<boolean>();
    asked.set(open);
    return open.promise;
  },
  settle(renewed: boolean): void {
    asked.read()?.resolve(renewed);
    asked.set(null);
  },
};

/** Whether the sign-in dialog is open. Dialogs below it then ignore Escape and do not trap the focus. */
export const useSignInAgain = (): boolean => asked.use() !== null;
