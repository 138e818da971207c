import { DEVICE_HEADER, type Endpoint, type Input, type Output } from '@propusk/contract/endpoint';
import { networkError, refusal } from './api-error.ts';
import { takePrefetched } from './prefetched.ts';
import { device, token } from './token.ts';

type Part<Name extends string, Value> = Value extends undefined
  ? { [K in Name]?: undefined }
  : object extends Value
    ? { [K in Name]?: Value }
    : { [K in Name]: Value };

/** What a call takes: the endpoint's own params, query and body; a part where all is optional may be left out. */
export type CallInput<E extends Endpoint> = Part<'params', Input<E['params']>> &
  Part<'query', Input<E['query']>> &
  Part<'body', Input<E['body']>> & {
    /** The version that an edit was begun on: one that was changed since is refused (`If-Match`). */
    version?: number | undefined;
    /** Names a create, so that repeating it makes no second one (`Idempotency-Key`). */
    key?: string | undefined;
  };

/** What a call answers. */
export type Reply<E extends Endpoint> = Output<E['reply']>;

/** The same, for any call: what the schemas of params and query take is an object. */
interface AnyInput {
  params?: object;
  query?: object;
  body?: unknown;
  version?: number;
  key?: string;
}

/**
 * Makes one call of the contract. The reply is not parsed again: our own server has parsed and stripped it with the
 * same schema.
 * @throws ApiError on every failure, with a sentence for people
 */
export async function call<E extends Endpoint>(
  endpoint: E,
  input: CallInput<E>,
  signal?: AbortSignal,
): Promise<Reply<E>> {
  const { reply } = await send(endpoint, input as AnyInput, signal);
  return reply as Reply<E>;
}

/** The same with the answer's headers, and no types: for what is built on it. */
export async function send(
  endpoint: Endpoint,
  input: AnyInput,
  signal?: AbortSignal,
): Promise<{ reply: unknown; headers: Headers }> {
  const { params, query, body, version, key } = input;
  const headers: Record<string, string> = { accept: 'application/json' };
  const bearer = token.read();
  if (bearer) headers.authorization = `Bearer ${bearer}`;
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (version !== undefined) headers['if-match'] = `"${version}"`;
  if (key !== undefined) headers['idempotency-key'] = key;
  const mark = endpoint.device && device.read();
  if (mark) headers[DEVICE_HEADER] = mark;

  let response: Response;
  let text: string;
  try {
    const url = address(endpoint.path, params, query);
    const prefetch = endpoint.method === 'GET' ? takePrefetched(url, bearer) : undefined;
    response = await (prefetch ??
      fetch(url, {
        method: endpoint.method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
        signal: signal ?? null,
      }));
    text = await response.text();
  } catch (error) {
    // An aborted call is the caller's own doing: it must not look like a broken network.
    if (signal?.aborted) throw error;
    throw networkError();
  }
  if (!response.ok) throw refusal(response.status, text);
  const newMark = response.headers.get(DEVICE_HEADER);
  if (newMark) device.store(newMark);
  if (!text) return { reply: undefined, headers: response.headers };
  try {
    return { reply: JSON.parse(text), headers: response.headers };
  } catch {
    // A captive portal or a balancer answers 200 with a page of its own.
    throw networkError();
  }
}

/** The address of a call: `/api`, the path with its parameters filled in, and the query without its empty parts. */
export function address(path: string, params: object = {}, query: object = {}): string {
  const values = new Map<string, unknown>(Object.entries(params));
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values.get(name))));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  return `/api${filled}${search.size ? `?${search}` : ''}`;
}
