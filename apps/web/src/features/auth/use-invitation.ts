import { useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/** The content of an invitation link: `invitation=…&email=…` as the fragment. */
export interface CompanyInvitation {
  readonly invitation: string;
  readonly email: string;
}

/**
 * The invitation of this page. Its token is removed from the address bar at once: it would stay in the browser's history
 * and in a copied address. A reload therefore forgets it.
 */
export function useInvitation(): CompanyInvitation | null {
  const hash = useLocation({ select: (location) => location.hash });
  const [read, setRead] = useState({ hash, invitation: readInvitation(hash) });
  // A link opened in the tab of the closed page changes only the fragment and remounts nothing.
  if (hash !== '' && hash !== read.hash) setRead({ hash, invitation: readInvitation(hash) });
  useEffect(() => {
    if (hash === '') return;
    const { pathname, search } = window.location;
    window.history.replaceState(window.history.state, '', pathname + search);
  }, [hash]);
  return read.invitation;
}

function readInvitation(fragment: string): CompanyInvitation | null {
  const parts = new URLSearchParams(fragment.replace(/^#/, ''));
  const [invitation, email] = [parts.get('invitation')?.trim(), parts.get('email')?.trim()];
  return invitation && email ? { invitation, email } : null;
}
