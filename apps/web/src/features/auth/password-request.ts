const EMAIL = 'request_password_email';
const SENT_AT = 'request_password_at';

/** How long the console waits before it offers another link. The server has its own limit. */
const PAUSE_MS = 60_000;

/** The last request for a new password, kept where the spec says: localStorage `request_password_email`. */
export const passwordRequest = {
  email: (): string | null => localStorage.getItem(EMAIL),
  /** When it was sent, in milliseconds since 1970; 0 for never. It must survive a reload, since the delay does. */
  sentAt: (): number => Number(localStorage.getItem(SENT_AT)) || 0,
  note(email: string): void {
    localStorage.setItem(EMAIL, email);
    localStorage.setItem(SENT_AT, String(Date.now()));
  },
  forget(): void {
    localStorage.removeItem(EMAIL);
    localStorage.removeItem(SENT_AT);
  },
};

/** Seconds until another link may be requested, capped in case the clock was set back. */
export function pauseLeft(sentAt: number, now: number): number {
  const since = now - sentAt;
  return since < 0 ? 0 : Math.max(0, Math.ceil((PAUSE_MS - since) / 1000));
}
