import { logout } from '@propusk/contract/auth';
import { me, type User } from '@propusk/contract/me';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/api-error.ts';
import { call, callIn } from '../api/call.ts';
import { queryOptions } from '../api/queries.ts';
import { followOtherTabsBy, token } from '../api/token.ts';
import { loginNote, noteReturn, returnTo } from '../entities/user/return-to.ts';
import { signInAgain } from '../forms/sign-in-again.ts';
import { unsaved } from '../forms/unsaved.ts';
import { state, stored } from '../state.ts';
import { toastFailure } from '../ui/toast.ts';
import { sparesToken } from './landing.ts';

/** Deletes the token and opens the login page by a full page load, which clears all cached data. */
function openLogin(): void {
  unsaved.clear();
  token.store(null);
  window.location.assign('/auth/login');
}

/** Opens the login page after the session has ended. After signing in, the user returns to the open page. */
export function expire(): void {
  noteReturn();
  loginNote.store('ended');
  openLogin();
}

/** How long the page waits for the server to confirm a sign-out, in milliseconds. */
const SIGN_OUT_MS = 3_000;

const leaving = state(false);

/** The id of the user whose page this tab shows. It survives a sign-out in another tab, so that no other user gets the page. */
export const tabUser = stored('tab_user', 'sessionStorage');

/** Whether the user is signing out. The page then shows nothing of the user's data. */
export const useLeaving = leaving.use;

/**
 * Signs out: deletes the token at once and asks the server to end the session. The request outlives the page. The login
 * page says when the server did not confirm the sign-out in time.
 */
export async function leave(): Promise<void> {
  const bearer = pageBearer();
  unsaved.clear();
  token.store(null);
  // Another user may sign in next: do not send them to this user's page.
  returnTo.store(null);
  tabUser.store(null);
  leaving.set(true);
  // Back from the login page may restore this page from the browser's cache.
  window.addEventListener('pageshow', () => window.location.reload());
  const late = new Promise<boolean>((resolve) => window.setTimeout(() => resolve(false), SIGN_OUT_MS));
  if (bearer !== null && !(await Promise.race([endSession(bearer), late]))) loginNote.store('unconfirmed');
  openLogin();
}

/** @returns whether the server confirmed that the session has ended */
function endSession(bearer: string): Promise<boolean> {
  return call(logout, { bearer, keepalive: true }).then(() => true, isUnauthorized);
}

/** Whether a call failed because the company now requires a second factor, which the user does not have. */
function needsFactor(error: Error): boolean {
  return error instanceof ApiError && error.code === 'second_factor_required';
}

function isUnauthorized(error: Error): boolean {
  return error instanceof ApiError && error.status === 401;
}

/** Makes a session's query client. A 401 reply to any call opens the login page, unless a form has unsaved changes. */
function newClient(): QueryClient {
  /** Handles an error that ends the session or requires a second factor. @returns whether the error was of this kind */
  const isHandled = (error: Error): boolean => {
    if (isUnauthorized(error)) {
      // A 401 reply ends the session only if it answers the current token: another tab may have signed in meanwhile.
      const current = session?.client === client ? session.bearers.at(-1) : undefined;
      if (token.read() === current && !sparesToken(window.location) && !unsaved.any()) expire();
      return true;
    }
    // Refetch the signed-in user: the gate then opens the enrolment of a second factor.
    if (needsFactor(error)) void client.invalidateQueries({ queryKey: [me.path] });
    return needsFactor(error);
  };
  /** The queries whose last refetch failed. A toast reports a poll that fails again and again only once. */
  const failing = new WeakSet<object>();
  const client = new QueryClient({
    queryCache: new QueryCache({
      onSuccess: (_, query) => void failing.delete(query),
      onError: (error, query) => {
        // A page whose data did not load shows the failure itself. A toast reports failed refetches and queries with `meta.toast`.
        if (isHandled(error) || !(query.meta?.toast ?? query.state.data !== undefined)) return;
        const polled = query.observers.some(({ options }) => options.refetchInterval);
        if (!polled || !failing.has(query)) toastFailure(error.message);
        failing.add(query);
      },
    }),
    mutationCache: new MutationCache({ onError: (error) => void isHandled(error) }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // While offline, TanStack Query would pause a first load and the skeleton would stay: let the load fail instead.
        networkMode: 'always',
        refetchOnReconnect: true,
        // Retry only failures of the network or a gateway: the server would repeat a 4xx.
        retry: (failures, error) =>
          failures < 2 && error instanceof ApiError && (error.code === 'network' || error.status >= 502),
        retryDelay: 800,
      },
      // The input of a mutation may hold a password: delete it from the cache when the form is unmounted.
      mutations: { networkMode: 'always', gcTime: 0 },
    },
  });
  return client;
}

/** The signed-in user's tokens since the page load, the current one last, and the query client with the user's data. */
let session: { bearers: string[]; client: QueryClient } | undefined;

/** Returns the query client of a token. Another token gets a new client, so that no user sees another user's data. */
export function clientOf(bearer: string): QueryClient {
  if (session?.bearers.at(-1) !== bearer) session = { bearers: [bearer], client: newClient() };
  return session.client;
}

/** The token of this page's calls. Another tab may have stored the token of another user. */
function pageBearer(): string | null {
  const stored = token.read();
  return stored === null ? null : (session?.bearers.at(-1) ?? stored);
}

callIn({
  bearer: pageBearer,
  // While a form has unsaved changes, the user signs in again in a dialog. A call with an older token of this user is repeated.
  renewed: (bearer) => {
    const bearers = session?.bearers ?? [];
    if (bearer !== null && bearer !== bearers.at(-1)) return Promise.resolve(bearers.includes(bearer));
    return unsaved.any() ? signInAgain.ask() : Promise.resolve(false);
  },
});

followOtherTabsBy(() => {
  const known = session?.client.getQueryData<User>(queryOptions(me, {}).queryKey);
  if (!unsaved.any() || known === undefined) return window.location.reload();
  const bearer = token.read();
  if (bearer === null) void signInAgain.ask();
  else resume(bearer, known).catch(() => signInAgain.ask());
});

/**
 * Continues with a new token. If it belongs to another user, the console reloads and discards the open form.
 * @throws ApiError when the lookup of the token's user fails
 */
export async function resume(bearer: string, known: User): Promise<void> {
  const { id } = await call(me, { bearer });
  token.store(bearer);
  if (id === known.id) {
    session?.bearers.push(bearer);
    signInAgain.settle(true);
    void session?.client.invalidateQueries();
    return;
  }
  unsaved.clear();
  returnTo.store(null);
  // `replace`, so that Back cannot return to this page. The promise never settles, so the dialog stays until the page changes.
  window.location.replace('/dashboard');
  await new Promise(() => {});
}
