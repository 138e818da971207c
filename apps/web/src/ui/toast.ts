import { state } from '../state.ts';

/** A message in the corner of the page that disappears after a few seconds. */
export interface Toast {
  readonly id: number;
  readonly kind: 'success' | 'failure';
  readonly text: string;
  readonly detail: string | undefined;
}

const toasts = state<readonly Toast[]>([]);
let last = 0;

/** The open toasts, oldest first. */
export const useToasts = toasts.use;

function show(kind: Toast['kind'], text: string, detail?: string): void {
  last += 1;
  toasts.set([...toasts.read(), { id: last, kind, text, detail }]);
}

/** Shows a toast about a success. `detail` names the entity that was changed. */
export function toastSuccess(title: string, detail?: string): void {
  show('success', title, detail);
}

/** Shows a toast about a failure that no dialog or list shows. Several lists may fail for one reason: it shows once. */
export function toastFailure(message: string): void {
  if (toasts.read().some(({ text }) => text === message)) return;
  show('failure', message);
}

/** Callbacks of a mutation whose outcome a toast reports. */
export const toasting = (title: string, detail?: string) => ({
  onSuccess: () => toastSuccess(title, detail),
  onError: ({ message }: Error) => toastFailure(message),
});

export function closeToast(id: number): void {
  toasts.set(toasts.read().filter((toast) => toast.id !== id));
}
