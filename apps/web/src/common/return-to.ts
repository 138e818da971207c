import { paths } from '../paths.ts';

/** Kept in sessionStorage and not in the URL, so that a link to the login page cannot redirect to another address. */
const KEY = 'return_to';

/** The page that a user opened before signing in. After the sign-in the gate checks it against their roles. */
export const returnTo = {
  /** Stores the open page, unless it is the default one. */
  note(): void {
    const { pathname, search, hash } = window.location;
    if (pathname === paths.dashboard || pathname === paths.creatorSites) returnTo.forget();
    else sessionStorage.setItem(KEY, `${pathname}${search}${hash}`);
  },
  /** Returns the stored page and forgets it. */
  take(): string | null {
    const noted = dashboardPage(sessionStorage.getItem(KEY));
    returnTo.forget();
    return noted;
  },
  forget: (): void => sessionStorage.removeItem(KEY),
};

const ENDED = 'session_ended';

/** A note to the login page that it opened because a session ended. `take` reads it once. */
export const sessionEnded = {
  note: (): void => sessionStorage.setItem(ENDED, '1'),
  take(): boolean {
    const noted = sessionStorage.getItem(ENDED) !== null;
    sessionStorage.removeItem(ENDED);
    return noted;
  },
};

/** A dashboard page as a path of this console; null for any other address. */
export function dashboardPage(address: string | null): string | null {
  const console = 'https://console.invalid';
  // Parsed as the browser parses it: '//evil.test' is another origin, and '/dashboard/../auth' is no dashboard page.
  if (address === null || !URL.canParse(address, console)) return null;
  const { origin, pathname, search, hash } = new URL(address, console);
  if (origin !== console || !pathname.startsWith(`${paths.dashboard}/`)) return null;
  return `${pathname}${search}${hash}`;
}
