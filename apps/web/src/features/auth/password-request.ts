import { useEffect, useState } from 'react';
import { stored } from '../../state.ts';

const requestedFor = stored('request_password_email');
const requestedAt = stored('request_password_at');

/** How long the console waits before it offers another link. The server has its own limit. */
const PAUSE_MS = 60_000;

/** The last request for a new password, kept where the spec says: localStorage `request_password_email`. */
export const passwordRequest = {
  email: requestedFor.read,
  /** Time of the last request in milliseconds since 1970, 0 for never. Stored, so that a reload keeps the countdown. */
  sentAt: (): number => Number(requestedAt.read()) || 0,
  note(email: string): void {
    requestedFor.store(email);
    requestedAt.store(String(Date.now()));
  },
  clear(): void {
    requestedFor.store(null);
    requestedAt.store(null);
  },
};

/** Seconds until another link may be requested, capped in case the clock was set back. */
export function pauseLeft(sentAt: number, now: number): number {
  const since = now - sentAt;
  return since < 0 ? 0 : Math.max(0, Math.ceil((PAUSE_MS - since) / 1000));
}

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
