import { useEffect } from 'react';
import { preloadToasts, useVoice } from './toast.ts';

/** After this delay a page has loaded everything it needs, in milliseconds. */
const REST_MS = 4000;

/** The place of toasts. Mounted once, in the dashboard's shell and on pages of their own that have any. */
export function Toasts() {
  const voice = useVoice();
  useEffect(() => {
    const timer = window.setTimeout(preloadToasts, REST_MS);
    return () => window.clearTimeout(timer);
  }, []);
  return voice ? <voice.ToastList /> : null;
}
