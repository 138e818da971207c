import { type ErrorCode, errors } from '@propusk/contract/errors';

/** A refusal that a caller gets to read. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly fields: Record<string, string> | undefined;
  /** The catalogue's sentence, or one that says more. */
  readonly said: string;
  /** Whole seconds after which a refused try may be repeated (`Retry-After`). */
  readonly retryAfter: number | undefined;

  constructor(
    code: ErrorCode,
    detail: { message?: string; fields?: Record<string, string>; retryAfter?: number } = {},
  ) {
    super(code);
    this.retryAfter = detail.retryAfter;
    this.code = code;
    this.said = detail.message ?? errors[code].message;
    this.fields = detail.fields;
  }
}
