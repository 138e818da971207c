import { logout } from '@propusk/contract/auth';
import { me } from '@propusk/contract/users';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/api-error.ts';
import { call } from '../api/call.ts';
import { token } from '../api/token.ts';
import { returnTo } from '../common/return-to.ts';
import { paths } from '../paths.ts';
import { toastFailure } from '../ui/toast.ts';
import { sparesToken } from './landing.ts';

/** Drops the token and opens the login page by a full load, which clears the memory. */
function forget(): void {
  token.clear();
  window.location.assign(paths.login);
}

/** Ends a dead session; the open page is where the user returns after signing in. */
export function expire(): void {
  returnTo.note();
  forget();
}

/** Signs out: asks the server to end the session, and drops the token in any case. */
export async function leave(): Promise<void> {
  try {
    await call(logout, {});
  } catch {
    // The session or the network is dead: the token is dropped below either way.
  }
  // The next user starts on the default page.
  returnTo.forget();
  forget();
}

/** The company started to require a second factor while the page was open. */
function isShut(error: Error): boolean {
  return error instanceof ApiError && error.code === 'second_factor_required';
}

function isDead(error: Error): boolean {
  return error instanceof ApiError && error.status === 401;
}

/** The query client of one session. A dead session in any call leads to the login page. */
function newClient(bearer: string): QueryClient {
  // Another tab may have signed in as another user: a late reply to the old token does not concern the new session.
  const end = () => {
    if (token.read() === bearer && !sparesToken(window.location)) expire();
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

let session: { bearer: string; client: QueryClient } | undefined;

/** The query client of a token's session: data read with one token is never shown with another. */
export function clientOf(bearer: string): QueryClient {
  if (session?.bearer !== bearer) session = { bearer, client: newClient(bearer) };
  return session.client;
}
