import { AppError } from './errors.ts';

/** Refuses an attempt until `ms` milliseconds have passed, as AppError too_many_requests with `retryAfter`. */
export function tooMany(ms: number): AppError {
  return new AppError('too_many_requests', {
    detail: ['retry_in', Math.max(1, Math.ceil(ms / 60_000))],
    retryAfter: Math.max(1, Math.ceil(ms / 1000)),
  });
}
