import { createLine } from './line.ts';
import { readState, type State } from './state.ts';

/** The stored state and its copy in memory. Only the worker changes it, one change at a time. */
export interface Store {
  get(): Promise<State>;
  /** Applies a change to the current state, stores the result, and calls `changed`. */
  change(next: (state: State) => State): Promise<State>;
}

/** @param changed called after every change, and with the stored state when the worker starts */
export function openStore(changed: (state: State) => Promise<void>): Store {
  let current: State | undefined;
  const inTurn = createLine();
  const load = async () => {
    if (current !== undefined) return current;
    const { state } = await chrome.storage.local.get('state');
    current = readState(state);
    await changed(current);
    return current;
  };
  return {
    get: async () => current ?? inTurn(load),
    change: (next) =>
      inTurn(async () => {
        const before = await load();
        const after = next(before);
        if (after === before) return after;
        current = after;
        await chrome.storage.local.set({ state: after });
        await changed(after);
        return after;
      }),
  };
}
