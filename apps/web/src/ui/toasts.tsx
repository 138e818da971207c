import { Notifications } from '@mantine/notifications';

/** Where toasts are shown. Mounted once, in the dashboard's shell. */
export function Toasts() {
  return <Notifications position="bottom-right" limit={3} notificationMaxHeight={240} />;
}
