import { DEVICE_HEADER, type Endpoint, type Input, type Output } from '@propusk/contract/endpoint';
import * as t from '@propusk/phrases/console';
import { ApiError, networkError, refusal } from './api-error.ts';
import { takePrefetched } from './prefetched.ts';
import { device, token } from './token.ts';

type Part<Name extends string, Value> = Value extends undefined
  ? { [K in Name]?: undefined }
  : object extends Value
    ? { [K in Name]?: Value }
    : { [K in Name]: Value };

/** The input of a call: the endpoint's params, query and body. A part whose fields are all optional may be omitted. */
export type CallInput<E extends Endpoint> = Part<'params', Input<E['params']>> &
  Part<'query', Input<E['query']>> &
  Part<'body', Input<E['body']>> & {
    /** The version that the edit started from. The server refuses the edit when a newer one exists (`If-Match`). */
    version?: number | undefined;
    /** Makes a create idempotent: a repeated call creates no second row (`Idempotency-Key`). */
    key?: string | undefined;
    /** The token to call with, when it is not the session's. */
    bearer?: string | undefined;
    /** The browser finishes the request even after the page has closed. */
    keepalive?: boolean | undefined;
  };

export type Reply<E extends Endpoint> = Output<E['reply']>;

interface AnyInput {
  params?: object;
  query?: object;
  body?: unknown;
  version?: number;
  key?: string;
  bearer?: string;
  keepalive?: boolean;
}

/** The bearer token of a page's calls, and what happens when it is no longer valid. */
interface Session {
  bearer: () => string | null;
  /**
   * Called when the server refuses a call because its session has ended. The call waits for the promise: true repeats
   * the call with the new token, false lets it fail.
   */
  renewed: (bearer: string | null) => Promise<boolean>;
}

let session: Session = { bearer: token.read, renewed: () => Promise.resolve(false) };

/** Sets the session of all later calls. By default calls use the stored token. */
export function callIn(next: Session): void {
  session = next;
}

/** The session whose token calls use. */
export const currentSession = (): Session => session;

/**
 * Makes one call of the contract. The reply is not parsed again: the server has already parsed and stripped it with
 * the same schema.
 * @param signal aborts the call, which then throws the signal's reason
 * @throws ApiError on every failure, with a sentence for the user
 */
export async function call<E extends Endpoint>(
  endpoint: E,
  input: CallInput<E>,
  signal?: AbortSignal,
): Promise<Reply<E>> {
  const { reply } = await send(endpoint, input as AnyInput, signal);
  return reply as Reply<E>;
}

/** `call` without types, and with the reply's headers. The list queries need the headers. */
export async function send(
  endpoint: Endpoint,
  input: AnyInput,
  signal?: AbortSignal,
): Promise<{ reply: unknown; headers: Headers }> {
  // An aborted signal fires no event any more.
  signal?.throwIfAborted();
  const { params, query, body, version, key } = input;
  const headers: Record<string, string> = { accept: 'application/json' };
  const bearer = input.bearer ?? session.bearer();
  if (bearer) headers.authorization = `Bearer ${bearer}`;
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (version !== undefined) headers['if-match'] = `"${version}"`;
  if (key !== undefined) headers['idempotency-key'] = key;
  const mark = (endpoint.device ?? endpoint.proof) && device.read();
  if (mark) headers[DEVICE_HEADER] = mark;

  let response: Response;
  let text: string;
  const stop = new AbortController();
  const late = setTimeout(() => stop.abort(lateError(endpoint)), endpoint.replySeconds * 1000);
  signal?.addEventListener('abort', () => stop.abort(signal.reason));
  try {
    const url = address(endpoint.path, params, query);
    const prefetch = endpoint.method === 'GET' ? takePrefetched(url, bearer) : undefined;
    response = await (prefetch ??
      fetch(url, {
        method: endpoint.method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
        signal: stop.signal,
        keepalive: input.keepalive ?? false,
      }));
    text = await response.text();
  } catch (error) {
    if (stop.signal.aborted) throw stop.signal.reason;
    // A prefetched request has its own deadline.
    throw error instanceof DOMException && error.name === 'TimeoutError'
      ? lateError(endpoint)
      : networkError();
  } finally {
    clearTimeout(late);
  }
  if (!response.ok) {
    const error = refusal(response.status, text);
    if (error.code !== 'unauthorized' || input.bearer !== undefined || !(await session.renewed(bearer)))
      throw error;
    return send(endpoint, input, signal);
  }
  const newMark = response.headers.get(DEVICE_HEADER);
  if (newMark) device.store(newMark);
  if (!text) return { reply: undefined, headers: response.headers };
  try {
    return { reply: JSON.parse(text), headers: response.headers };
  } catch {
    // A captive portal or a load balancer replies 200 with its own HTML page.
    throw networkError();
  }
}

/** The failure of a call whose reply is late. A call that may have changed data says that its outcome is unknown. */
function lateError({ method, access }: Endpoint): ApiError {
  const harmless = method === 'GET' || access === 'public';
  return new ApiError('timeout', harmless ? t.late.read : t.late.change, 0);
}

/** The URL of a call: `/api`, the path with its parameters, and the query without empty values. */
export function address(path: string, params: object = {}, query: object = {}): string {
  const values = new Map<string, unknown>(Object.entries(params));
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values.get(name))));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  return `/api${filled}${search.size ? `?${search}` : ''}`;
}
