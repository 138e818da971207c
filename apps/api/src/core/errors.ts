import type { ErrorCode } from '@propusk/contract/errors';
import type { errorDetails } from '@propusk/phrases/errors';
import type { FieldFault } from '@propusk/phrases/field-fault';
import type { Phrase } from '@propusk/phrases/phrase';

interface ErrorFacts {
  /** A specific sentence that replaces the general sentence of the error code. */
  readonly detail?: Phrase<typeof errorDetails>;
  /** The fault of each invalid field. A key is the path of the field in the input, such as `politics.0`. */
  readonly fields?: Readonly<Record<string, FieldFault>>;
  /** Whole seconds after which a refused attempt may be repeated (`Retry-After`). */
  readonly retryAfter?: number;
}

/** The error of a refused call. It has codes and parameters, from which the HTTP server renders the sentences for users. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly facts: ErrorFacts;

  constructor(code: ErrorCode, facts: ErrorFacts = {}) {
    super(code);
    this.code = code;
    this.facts = facts;
  }
}

/**
 * Refuses a list with faulty entries.
 * @param faultOf returns the path of the faulty field in the input, such as `people.3.email`, and its fault; null for a valid entry
 * @throws AppError `code` with the faults of all entries
 */
export function refuseFaults<Entry>(
  code: ErrorCode,
  entries: readonly Entry[],
  faultOf: (entry: Entry, at: number) => readonly [path: string, fault: FieldFault] | null,
): void {
  const faults = entries.map(faultOf).filter((fault) => fault !== null);
  if (faults.length > 0) throw new AppError(code, { fields: Object.fromEntries(faults) });
}

/** @throws AppError not_found when a statement read no row */
export function found<R>(row: R | undefined): R {
  if (row === undefined) throw new AppError('not_found');
  return row;
}

/** The error too_many_requests with a `retryAfter` of `ms` milliseconds, rounded up to seconds. */
export function tooMany(ms: number): AppError {
  return new AppError('too_many_requests', {
    detail: ['retry_in', Math.max(1, Math.ceil(ms / 60_000))],
    retryAfter: Math.max(1, Math.ceil(ms / 1000)),
  });
}
