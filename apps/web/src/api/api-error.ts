import type { ErrorCode } from '@propusk/contract/errors';
import * as t from '@propusk/phrases/console';

/**
 * The console's own codes. `network`: no reply arrived, or the reply is not the api's. `timeout`: no reply arrived in time,
 * so the outcome of the call is unknown.
 */
export type FailureCode = ErrorCode | 'network' | 'timeout';

/** A call failed. `message` is a sentence for the user; the console branches on `code`. */
export class ApiError extends Error {
  readonly code: FailureCode;
  readonly status: number;
  /** Validation failures of the body, keyed by path (`politics.0`). */
  readonly fields: Readonly<Record<string, string>>;

  constructor(code: FailureCode, message: string, status: number, fields: Record<string, string> = {}) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.fields = fields;
  }
}

/** No reply: the server is down or the browser is offline. */
export function networkError(): ApiError {
  return new ApiError('network', t.failures.network, 0);
}

/**
 * Turns a failed reply into an error. An empty body or a load balancer's HTML page becomes the specification's
 * message for a server error.
 * @param body the reply's text
 */
export function refusal(status: number, body: string): ApiError {
  const reply = read(body);
  if (typeof reply?.code === 'string' && typeof reply.message === 'string' && reply.message) {
    // The cast: a newer api may send a code that is not in this type. The page then shows the message.
    return new ApiError(reply.code as ErrorCode, reply.message, status, strings(reply.fields));
  }
  return new ApiError('internal', t.failures.server, status);
}

function read(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function strings(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
}
