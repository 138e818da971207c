import { useEffect, useState } from 'react';
import { passwordRequest, pauseLeft } from './password-request.ts';

function read(): number {
  return pauseLeft(passwordRequest.sentAt(), Date.now());
}

/** A countdown of the seconds until another link may be requested. */
export function useResendDelay(): { left: number; restart: () => void } {
  const [left, setLeft] = useState(read);
  const waiting = left > 0;
  useEffect(() => {
    if (!waiting) return;
    const timer = window.setInterval(() => setLeft(read()), 250);
    return () => window.clearInterval(timer);
  }, [waiting]);
  return { left, restart: () => setLeft(read()) };
}
