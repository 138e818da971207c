import { stored } from '../../state.ts';

/**
 * The page that a user opened before signing in. Kept in sessionStorage and not in the URL, so that a link to the login
 * page cannot redirect to another address.
 */
export const returnTo = stored('return_to', 'sessionStorage');

/**
 * A note for the login page, why the console opened it: 'ended', the session had ended; 'unconfirmed', the server did not
 * confirm a sign-out.
 */
export const loginNote = stored('login_note', 'sessionStorage');

/** Stores the path of the open page, unless it is the default page. */
export function noteReturn(): void {
  const { pathname, search, hash } = window.location;
  const isDefault = pathname === '/dashboard' || pathname === '/dashboard/creator/domains';
  returnTo.store(isDefault ? null : `${pathname}${search}${hash}`);
}

let returned: string | null = null;

/** Reads and deletes the stored path. After the sign-in, the gate checks the path against the user and the user's roles. */
export const takeReturn = (): string | null => (returned = dashboardPage(returnTo.take()));

/** Whether the last sign-in returned to this page. */
export const isReturn = (pathname: string): boolean => returned?.split(/[?#]/)[0] === pathname;

/** A dashboard page, or the page of the extension, as a path of this console; null for any other address. */
export function dashboardPage(address: string | null): string | null {
  const console = 'https://console.invalid';
  // `URL` parses like the browser: '//evil.test' is another origin, and '/dashboard/../auth' is not a dashboard page.
  if (address === null || !URL.canParse(address, console)) return null;
  const { origin, pathname, search, hash } = new URL(address, console);
  if (origin !== console || !/^\/(dashboard\/|extension\/pair$)/.test(pathname)) return null;
  return `${pathname}${search}${hash}`;
}
