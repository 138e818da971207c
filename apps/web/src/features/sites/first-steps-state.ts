const KEY = 'firstSteps';
type State = 'folded' | 'done';

/** The stored state of the onboarding card: folded by the owner, or done; null while it is open. */
export const firstStepsState = {
  read: (): State | null => {
    const kept = localStorage.getItem(KEY);
    return kept === 'folded' || kept === 'done' ? kept : null;
  },
  store: (state: State | null): void =>
    state === null ? localStorage.removeItem(KEY) : localStorage.setItem(KEY, state),
};
