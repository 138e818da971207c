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

/** Forgets who was here and opens the login page. A reload, so that nothing of theirs stays in memory. */
function forget(): void {
  token.clear();
  window.location.assign(paths.login);
}

/** The session has died: the page that is open is where its owner comes back to after signing in. */
export function expire(): void {
  returnTo.note();
  forget();
}

/** Logs out: the server ends the session if it can be reached, and this browser forgets it in any case. */
export async function leave(): Promise<void> {
  try {
    await call(logout, {});
  } catch {
    // A dead session or a dead network: the token is cleared below either way.
  }
  // Whoever signs in next begins at the beginning.
  returnTo.forget();
  forget();
}

/** The company has begun to require a second factor while the page was open. */
function isShut(error: Error): boolean {
  return error instanceof ApiError && error.code === 'second_factor_required';
}

function isDead(error: Error): boolean {
  return error instanceof ApiError && error.status === 401;
}

/** Server state of one session. A dead session anywhere ends at the login page. */
function newClient(bearer: string): QueryClient {
  // Another tab may have signed in as somebody else since: a late answer to the old token is not about theirs.
  const end = () => {
    if (token.read() === bearer && !sparesToken(window.location)) expire();
  };
  // Of everything else that it was told the page waits for nothing: the gate leads to the enrolment.
  const lookAgain = () => void client.invalidateQueries({ queryKey: [me.path] });
  const client = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (isDead(error)) end();
        else if (isShut(error)) lookAgain();
        // Without data the page itself says that it failed; the options of a select have no page.
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
        // Paused until the network is back, a first load would show its skeleton for ever; it fails, and can be repeated.
        networkMode: 'always',
        refetchOnReconnect: true,
        // What the server refuses it will refuse again.
        retry: (failures, error) =>
          failures < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 502),
        retryDelay: 800,
      },
      // Nothing asks for what a mutation was sent with, passwords among it: it is forgotten when its form is.
      mutations: { networkMode: 'always', gcTime: 0 },
    },
  });
  return client;
}

let session: { bearer: string; client: QueryClient } | undefined;

/** The server state of the session that a token opens: nobody sees what was read under another token. */
export function clientOf(bearer: string): QueryClient {
  if (session?.bearer !== bearer) session = { bearer, client: newClient(bearer) };
  return session.client;
}
