import type { Endpoint, Input, Output } from '@propusk/contract/endpoint';

/** Calls an endpoint of the contract with a bearer token. */
export type Call = <E extends Endpoint>(
  token: string | null,
  endpoint: E,
  input?: { params?: Input<E['params']>; body?: Input<E['body']> },
) => Promise<Output<E['reply']>>;

/**
 * Creates a client of a running product. The demo and browser tests add data with it.
 * @param consoleUrl read at each call: a test file is loaded before its product has a port
 * @returns a function that throws an Error with status and body when the reply is not 2xx
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
