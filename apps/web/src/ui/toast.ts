import { useSyncExternalStore } from 'react';

/** Mantine's notifications, in a separate file: most visits show no toast. */
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
 * Fetches the toast host before the first toast: when a dialog opens, and once a page is idle, so that a toast about
 * a lost network needs no network.
 */
export function preloadToasts(): void {
  fetched().catch(() => {});
}

/** The toast host, once it has loaded. */
export function useVoice(): Voice | undefined {
  return useSyncExternalStore(subscribe, () => voice);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Reports a success: a title and what it was about. */
export function toastSuccess(title: string, detail?: string): void {
  fetched().then(
    ({ success }) => success(title, detail),
    () => {},
  );
}

/** Reports a failure that no dialog or list can show. */
export function toastFailure(message: string): void {
  fetched().then(
    ({ failure }) => failure(message),
    () => {},
  );
}
