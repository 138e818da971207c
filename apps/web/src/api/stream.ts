import type { Endpoint } from '@propusk/contract/endpoint';
import { networkError, refusal } from './api-error.ts';
import { address, currentSession } from './call.ts';

/**
 * Opens the response stream of a GET endpoint. Reading the stream throws a TypeError when the connection breaks.
 * @returns the stream, and the file name that the server gives
 * @throws ApiError when the call is refused or gets no reply; any error after an abort
 */
export async function openStream(
  endpoint: Endpoint,
  query: object,
  accept: 'text/csv' | 'application/x-ndjson',
  signal: AbortSignal,
): Promise<{ body: ReadableStream<Uint8Array<ArrayBuffer>>; name: string }> {
  const session = currentSession();
  const bearer = session.bearer();
  const headers = { authorization: `Bearer ${bearer}`, accept };
  const response = await fetch(address(endpoint.path, {}, query), { headers, signal }).catch(() => {
    throw networkError();
  });
  if (!response.ok) {
    const error = refusal(response.status, await response.text());
    if (error.code !== 'unauthorized' || !(await session.renewed(bearer))) throw error;
    return openStream(endpoint, query, accept, signal);
  }
  // A captive portal or a load balancer replies 200 with its own HTML page.
  if (!response.headers.get('content-type')?.startsWith(accept) || !response.body) throw networkError();
  const [, name = ''] =
    /filename\*=UTF-8''([^;]+)/.exec(response.headers.get('content-disposition') ?? '') ?? [];
  return { body: response.body, name: decodeURIComponent(name) };
}
