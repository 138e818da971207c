import type { Endpoint } from '@propusk/contract/endpoint';
import { networkError, refusal } from './api-error.ts';
import { address, currentSession } from './call.ts';

/**
 * Opens the streamed reply of a read: JSON lines. Reading it throws a TypeError when the connection breaks before its end.
 * @throws ApiError when the call is refused or gets no reply; after an abort any error
 */
export async function openStream(endpoint: Endpoint, query: object, signal: AbortSignal) {
  const session = currentSession();
  const bearer = session.bearer();
  const headers = { authorization: `Bearer ${bearer}` };
  const response = await fetch(address(endpoint.path, {}, query), { headers, signal }).catch(() => {
    throw networkError();
  });
  if (!response.ok) {
    const error = refusal(response.status, await response.text());
    if (error.code !== 'unauthorized' || !(await session.renewed(bearer))) throw error;
    return openStream(endpoint, query, signal);
  }
  // A captive portal or a load balancer replies 200 with its own HTML page.
  if (response.headers.get('content-type') !== 'application/x-ndjson' || !response.body) throw networkError();
  return response.body;
}
