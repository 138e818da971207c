/** The content of a mail link. */
export interface MailLink {
  readonly token: string;
  readonly kind: 'password' | 'email' | 'confirm';
}

/**
 * Reads the fragment of a link from mail: `token=…&for=password`, with or without its `#`.
 * @returns null for anything else
 */
export function readMailLink(fragment: string): MailLink | null {
  const parts = new URLSearchParams(fragment.replace(/^#/, ''));
  const token = parts.get('token')?.trim();
  const kind = parts.get('for');
  if (!token || !isKind(kind)) return null;
  return { token, kind };
}

function isKind(text: string | null): text is MailLink['kind'] {
  return text === 'password' || text === 'email' || text === 'confirm';
}
