import { paths } from '../paths.ts';

/** In the tab's own storage: nobody can send a person a link to the login page that goes on to somewhere else. */
const KEY = 'return_to';

/** The page that somebody wanted who had to sign in first. The gate then judges it by their roles. */
export const returnTo = {
  /** Notes the page that is open; where everybody begins is not worth noting. */
  note(): void {
    const { pathname, search, hash } = window.location;
    if (pathname === paths.dashboard || pathname === paths.creatorSites) returnTo.forget();
    else sessionStorage.setItem(KEY, `${pathname}${search}${hash}`);
  },
  /** The noted page, once. */
  take(): string | null {
    const noted = dashboardPage(sessionStorage.getItem(KEY));
    returnTo.forget();
    return noted;
  },
  forget: (): void => sessionStorage.removeItem(KEY),
};

/** A page of the dashboard, as an address of this console, or null for anything else. */
export function dashboardPage(address: string | null): string | null {
  const console = 'https://console.invalid';
  // Read as the browser would: '//evil.test' and '/dashboard/../auth' are not what they look like.
  if (address === null || !URL.canParse(address, console)) return null;
  const { origin, pathname, search, hash } = new URL(address, console);
  if (origin !== console || !pathname.startsWith(`${paths.dashboard}/`)) return null;
  return `${pathname}${search}${hash}`;
}
