import '@mantine/core/styles/Notification.css';
import '@mantine/notifications/styles.css';
import { Notifications, notifications } from '@mantine/notifications';

/** Where toasts are shown. */
export function ToastList() {
  return <Notifications position="bottom-right" limit={3} notificationMaxHeight={240} />;
}

/** @see toastSuccess */
export function success(title: string, detail?: string): void {
  notifications.show({ title, message: detail, color: 'pass', role: 'status', autoClose: 4000 });
}

/** @see toastFailure */
export function failure(message: string): void {
  notifications.show({ message, color: 'red', role: 'alert', autoClose: 8000 });
}
