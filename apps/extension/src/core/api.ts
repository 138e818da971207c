import type { Endpoint, Input, Output } from '@propusk/contract/endpoint';
import { ErrorBody } from '@propusk/contract/errors';
import * as t from '@propusk/phrases/extension';
import { failedByCertificate } from './network-errors.ts';

/** A failed call. `status` is 0 when the reply is missing or does not come from a console. */
export class CallFailed extends Error {
  readonly status: number;
  /** The api's error code; null when the api sent none. */
  readonly code: string | null;
  constructor(status: number, message: string, code: string | null = null) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const TIMEOUT_MS = 15_000;

/**
 * Calls an endpoint of the API.
 * @param origin of the console
 * @throws CallFailed with a sentence for the user
 */
export async function call<E extends Endpoint>(
  origin: string,
  endpoint: E,
  { token, body, query }: { token?: string; body?: Input<E['body']>; query?: Input<E['query']> } = {},
): Promise<Output<E['reply']>> {
  const url = new URL(`/api${endpoint.path}`, origin);
  for (const [name, value] of Object.entries((query as object | undefined) ?? {})) {
    url.searchParams.set(name, String(value));
  }
  let status = 0;
  let answer: unknown;
  try {
    const response = await fetch(url, {
      method: endpoint.method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      cache: 'no-store',
      credentials: 'omit',
      // A redirect could send the password to another origin.
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    status = response.status;
    const text = await response.text();
    answer = text === '' ? undefined : JSON.parse(text);
  } catch {
    const distrusted = url.protocol === 'https:' && (await failedByCertificate(url.origin));
    throw new CallFailed(0, distrusted ? t.failures.certificate(url.host) : t.failures.consoleAway);
  }
  if (status !== endpoint.status) {
    const refusal = ErrorBody.safeParse(answer);
    if (!refusal.success) throw new CallFailed(0, t.failures.consoleAway);
    const { code, message, fields = {} } = refusal.data;
    throw new CallFailed(status, Object.values(fields)[0] ?? message, code);
  }
  const read = endpoint.reply?.safeParse(answer);
  if (read?.success === false) throw new CallFailed(0, t.failures.notConsole);
  return read?.data as Output<E['reply']>;
}

/**
 * The origin of a console from typed text. The default scheme is https, on localhost http.
 * @returns null when the text is not a web address
 */
export function consoleOrigin(typed: string): string | null {
  const text = typed.trim();
  const local = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?(\/|$)/i.test(text);
  const url = /^https?:\/\//i.test(text) ? text : `${local ? 'http' : 'https'}://${text}`;
  if (text === '' || !URL.canParse(url)) return null;
  const { origin, username, hostname } = new URL(url);
  return username === '' && hostname !== '' ? origin : null;
}

/** Whether traffic to an origin is unencrypted and leaves this machine. */
export function isExposed(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'http:' && !/^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
