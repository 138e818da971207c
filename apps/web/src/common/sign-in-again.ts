import { state } from '../state.ts';

/** The question to sign in again over a changed form, while it is open. */
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

/** Whether the sign-in dialog is open. A dialog below it releases Escape and its focus trap meanwhile. */
export const useSignInAgain = (): boolean => asked.use() !== null;
