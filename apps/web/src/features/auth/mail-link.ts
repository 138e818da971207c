/** The content of a mail link. */
export interface MailLink {
  readonly token: string;
  readonly kind: 'password' | 'email';
}

/**
 * Reads the fragment of a link from mail: `token=…&for=password`, with or without its `#`.
 * @returns null for anything else
 */
export function readMailLink(fragment: string): MailLink | null {
  const parts = new URLSearchParams(fragment.replace(/^#/, ''));
  const token = parts.get('token')?.trim();
  const kind = parts.get('for');
  if (!token || (kind !== 'password' && kind !== 'email')) return null;
  return { token, kind };
}
