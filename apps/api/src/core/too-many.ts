import { AppError } from './errors.ts';

/** The error too_many_requests with a `retryAfter` of `ms` milliseconds, rounded up to seconds. */
export function tooMany(ms: number): AppError {
  return new AppError('too_many_requests', {
    detail: ['retry_in', Math.max(1, Math.ceil(ms / 60_000))],
    retryAfter: Math.max(1, Math.ceil(ms / 1000)),
  });
}
