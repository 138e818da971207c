import { useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

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

/** The content of an invitation link. */
export interface CompanyInvitation {
  readonly invitation: string;
  readonly email: string;
}

/** Reads the fragment of an invitation: `invitation=…&email=…`. @returns null for anything else */
export function readInvitation(fragment: string): CompanyInvitation | null {
  const parts = new URLSearchParams(fragment);
  const [invitation, email] = [parts.get('invitation')?.trim(), parts.get('email')?.trim()];
  return invitation && email ? { invitation, email } : null;
}

/**
 * Reads the URL's fragment and removes it from the address bar at once, because its token would stay in the browser's
 * history and in a copied address. After a reload the content is gone.
 */
export function useFragment<T>(read: (fragment: string) => T): T {
  const hash = useLocation({ select: (location) => location.hash });
  const [last, setLast] = useState({ hash, content: read(hash) });
  // A second link opened in the same tab changes only the fragment and does not remount the page.
  if (hash !== '' && hash !== last.hash) setLast({ hash, content: read(hash) });
  useEffect(() => {
    if (hash === '') return;
    const { pathname, search } = window.location;
    window.history.replaceState(window.history.state, '', pathname + search);
  }, [hash]);
  return last.content;
}
