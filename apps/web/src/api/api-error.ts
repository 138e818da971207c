import type { ErrorCode } from '@propusk/contract/errors';
import * as t from '@propusk/phrases/console';

/** `network` is ours: no answer came, or one that is not the api's. */
export type FailureCode = ErrorCode | 'network';

/** A call that failed. `message` is a Russian sentence for people; code is what the console branches on. */
export class ApiError extends Error {
  readonly code: FailureCode;
  readonly status: number;
  /** What is wrong in the body, keyed by its path (`politics.0`). */
  readonly fields: Readonly<Record<string, string>>;

  constructor(code: FailureCode, message: string, status: number, fields: Record<string, string> = {}) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.fields = fields;
  }
}

/** No answer at all: the server is away, or the person is offline. */
export function networkError(): ApiError {
  return new ApiError('network', t.failures.network, 0);
}

/**
 * What a refusal says. A balancer's HTML page or an empty body becomes the spec's 'Ошибка на стороне сервера'.
 * @param body the answer's text
 */
export function refusal(status: number, body: string): ApiError {
  const said = read(body);
  if (typeof said?.code === 'string' && typeof said.message === 'string' && said.message) {
    // The server's codes are the contract's; one that is newer than this page still has its message.
    return new ApiError(said.code as ErrorCode, said.message, status, strings(said.fields));
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
