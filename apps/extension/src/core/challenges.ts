import type { GatewayAccess } from '@propusk/contract/access';

/**
 * A reply to `onAuthRequired`. `cancel` ends the request without a login dialog. An empty reply leaves the challenge
 * to the browser.
 */
export interface Answer {
  readonly authCredentials?: { readonly username: string; readonly password: string };
  readonly cancel?: true;
}

export interface Challenge {
  readonly requestId: string;
  readonly isProxy: boolean;
  readonly challenger: { readonly host: string; readonly port: number };
}

/** The maximum number of remembered requests. An entry is not removed when its request ends. */
const REMEMBERED = 500;

/**
 * Answers only the challenges of our gateway; a site's 401 and another proxy's challenge get no credentials. The first
 * challenge of a request gets the stored password, the second a fresh one. The third cancels the request: Chromium
 * would otherwise retry 33 times, Firefox endlessly.
 * @param stored returns the current access; null when nobody is signed in
 * @param fresh fetches the access from the api; null when the api does not answer or rejects the session
 */
export function createChallenges(
  stored: () => Promise<GatewayAccess | null>,
  fresh: () => Promise<GatewayAccess | null>,
): (challenge: Challenge) => Promise<Answer> {
  // Grows with challenged requests. Bound: 500 requests, about 200 KB. At the bound: the oldest entry is dropped
  const tried = new Map<string, string[]>();
  return async ({ requestId, isProxy, challenger }) => {
    const access = await stored();
    if (!isProxy || access === null || !isOurs(access, challenger)) return {};
    const passwords = tried.get(requestId) ?? [];
    const next = passwords.length === 0 ? access : await fresh();
    if (next === null || passwords.length > 1 || passwords.includes(next.password)) return { cancel: true };
    if (tried.size >= REMEMBERED) tried.delete(tried.keys().next().value ?? '');
    tried.set(requestId, [...passwords, next.password]);
    return { authCredentials: { username: next.username, password: next.password } };
  };
}

function isOurs({ gateway }: GatewayAccess, { host, port }: Challenge['challenger']): boolean {
  // Browsers write an IPv6 proxy host with or without brackets, so ignore the brackets.
  const bare = (name: string) => name.toLowerCase().replace(/^\[|\]$/g, '');
  return bare(host) === bare(gateway.host) && port === gateway.port;
}
