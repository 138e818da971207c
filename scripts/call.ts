import type { Endpoint, Input, Output } from '@propusk/contract/endpoint';

/** Makes a call of the contract as the holder of the token; the call must succeed. */
export type Call = <E extends Endpoint>(
  token: string | null,
  endpoint: E,
  input?: { params?: Input<E['params']>; body?: Input<E['body']> },
) => Promise<Output<E['reply']>>;

/**
 * Makes the function that calls a running product. The demo and browser tests use it to add data.
 * @param consoleUrl asked at each call, since a test's product starts later than its file is read
 * @throws Error with the answer, when the call is refused
 */
export function caller(consoleUrl: () => string): Call {
  return async (token, endpoint, { params = {}, body } = {}) => {
    const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(String((params as Record<string, unknown>)[name])),
    );
    const response = await fetch(`${consoleUrl()}/api${path}`, {
      method: endpoint.method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${endpoint.method} ${path}: ${response.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as Output<(typeof endpoint)['reply']>;
  };
}
