import { useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type MailLink, readMailLink } from './mail-link.ts';

/**
 * The mail link of this page. Its token is removed from the address bar at once: it would stay in the browser's
 * history and in a copied address. A reload therefore forgets it.
 */
export function useMailLink(): MailLink | null {
  const hash = useLocation({ select: (location) => location.hash });
  const [read, setRead] = useState({ hash, link: readMailLink(hash) });
  // A second link opened in the same tab changes only the fragment and remounts nothing.
  if (hash !== '' && hash !== read.hash) setRead({ hash, link: readMailLink(hash) });
  useEffect(() => {
    if (hash === '') return;
    const { pathname, search } = window.location;
    window.history.replaceState(window.history.state, '', pathname + search);
  }, [hash]);
  return read.link;
}
