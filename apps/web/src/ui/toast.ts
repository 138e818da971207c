import { notifications } from '@mantine/notifications';

/** Says that something worked: a sentence, and what it was about. */
export function toastSuccess(title: string, detail?: string): void {
  notifications.show({ title, message: detail, color: 'pass', role: 'status', autoClose: 4000 });
}

/** Says that something failed where no dialog or list can say it. */
export function toastFailure(message: string): void {
  notifications.show({ message, color: 'red', role: 'alert', autoClose: 8000 });
}
