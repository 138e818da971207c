import { useSyncExternalStore } from 'react';

/** A message in the corner of the page, which closes by itself. */
export interface Toast {
  readonly id: number;
  readonly kind: 'success' | 'failure';
  readonly text: string;
  readonly detail: string | undefined;
}

let toasts: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The open toasts, oldest first. */
export function useToasts(): readonly Toast[] {
  return useSyncExternalStore(subscribe, () => toasts);
}

function show(kind: Toast['kind'], text: string, detail?: string): void {
  last += 1;
  set([...toasts, { id: last, kind, text, detail }]);
}

/** Reports a success: a title and what it was about. */
export function toastSuccess(title: string, detail?: string): void {
  show('success', title, detail);
}

/** Reports a failure that no dialog or list can show. */
export function toastFailure(message: string): void {
  show('failure', message);
}

export function closeToast(id: number): void {
  set(toasts.filter((toast) => toast.id !== id));
}
