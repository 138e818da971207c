import { useSyncExternalStore } from 'react';

/** What shows toasts: heavy, and silent on most visits. */
type Voice = typeof import('./toast-host.tsx');

let voice: Voice | undefined;
let loading: Promise<Voice> | undefined;
const listeners = new Set<() => void>();

function fetched(): Promise<Voice> {
  loading ??= import('./toast-host.tsx').then(
    (module) => {
      voice = module;
      for (const listener of listeners) listener();
      return module;
    },
    (error: unknown) => {
      // The next toast tries again.
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

/**
 * Brings what shows toasts before there is one to show: when something opens that may end in one, and once a page has
 * come to rest, so that a toast about a lost network does not need the network.
 */
export function preloadToasts(): void {
  fetched().catch(() => {});
}

/** What shows toasts, once it is there. */
export function useVoice(): Voice | undefined {
  return useSyncExternalStore(subscribe, () => voice);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Says that something worked: a sentence, and what it was about. */
export function toastSuccess(title: string, detail?: string): void {
  fetched().then(
    ({ success }) => success(title, detail),
    () => {},
  );
}

/** Says that something failed where no dialog or list can say it. */
export function toastFailure(message: string): void {
  fetched().then(
    ({ failure }) => failure(message),
    () => {},
  );
}
