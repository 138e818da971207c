import { logout } from '@propusk/contract/auth';
import { me, type User } from '@propusk/contract/me';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/api-error.ts';
import { call, callIn } from '../api/call.ts';
import { queryOptions } from '../api/queries.ts';
import { followOtherTabsBy, token } from '../api/token.ts';
import { noteReturn, returnTo, sessionEnded } from '../common/return-to.ts';
import { signInAgain } from '../common/sign-in-again.ts';
import { unsaved } from '../common/unsaved.ts';
import { paths } from '../paths.ts';
import { toastFailure } from '../ui/toast.ts';
import { sparesToken } from './landing.ts';

/** Drops the token and opens the login page by a full load, which clears the memory. */
function forget(): void {
  unsaved.drop();
  token.store(null);
  window.location.assign(paths.login);
}

/** Ends a dead session; the open page is where the user returns after signing in. */
export function expire(): void {
  noteReturn();
  sessionEnded.store('1');
  forget();
}

/** Signs out: asks the server to end the session, and drops the token in any case. */
export async function leave(): Promise<void> {
  unsaved.drop();
  try {
    await call(logout, {});
  } catch {
    // The session or the network is dead: the token is dropped below either way.
  }
  // The next user starts on the default page.
  returnTo.store(null);
  forget();
}

/** The company started to require a second factor while the page was open. */
function isShut(error: Error): boolean {
  return error instanceof ApiError && error.code === 'second_factor_required';
}

function isDead(error: Error): boolean {
  return error instanceof ApiError && error.status === 401;
}

/** The query client of one session. A dead session in any call leads to the login page, unless a form would be lost. */
function newClient(): QueryClient {
  // Another tab may have signed in as another user: a late reply to the old token does not concern the new session.
  const end = () => {
    const current = session?.client === client ? session.bearers.at(-1) : undefined;
    if (token.read() === current && !sparesToken(window.location) && !unsaved.any()) expire();
  };
  // Refetching `me` is enough: the gate then opens the enrolment.
  const lookAgain = () => void client.invalidateQueries({ queryKey: [me.path] });
  const client = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (isDead(error)) end();
        else if (isShut(error)) lookAgain();
        // Without data the page shows the failure itself; a select's options have no page.
        else if (query.state.data !== undefined || query.meta?.toast) toastFailure(error.message);
      },
    }),
    mutationCache: new MutationCache({
      onError: (error) => {
        if (isDead(error)) end();
        else if (isShut(error)) lookAgain();
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // A paused first load would show its skeleton for ever: it fails instead, and can be retried.
        networkMode: 'always',
        refetchOnReconnect: true,
        // A 4xx would repeat.
        retry: (failures, error) =>
          failures < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 502),
        retryDelay: 800,
      },
      // A mutation's input may hold a password: drop it with the form.
      mutations: { networkMode: 'always', gcTime: 0 },
    },
  });
  return client;
}

/** The signed-in user's tokens in this page, the current one last, and the query client with that user's data. */
let session: { bearers: string[]; client: QueryClient } | undefined;

/** The query client of a token's session: data read with one token is never shown with another user's. */
export function clientOf(bearer: string): QueryClient {
  if (session?.bearers.at(-1) !== bearer) session = { bearers: [bearer], client: newClient() };
  return session.client;
}

callIn({
  // Another tab may have stored another user's token. This page must not send its forms with that token.
  bearer: () => {
    const stored = token.read();
    return stored === null ? null : (session?.bearers.at(-1) ?? stored);
  },
  // A session that ends under a changed form is renewed in place. A late reply to a replaced token repeats the call too.
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
 * Goes on with a new token. For another user the console starts anew, and what the first one typed is gone.
 * @throws ApiError when the server does not say whose token it is
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
  unsaved.drop();
  returnTo.store(null);
  // The replaced page is out of reach of Back. Until it is unloaded it stays covered: this promise never settles.
  window.location.replace(paths.dashboard);
  await new Promise(() => {});
}
