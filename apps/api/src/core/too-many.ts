import { AppError } from './errors.ts';

const plural = new Intl.PluralRules('ru');
const minuteForms: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'минуту', few: 'минуты' };

/** Refuses a try until `ms` milliseconds have passed, as AppError too_many_requests with `retryAfter`. */
export function tooMany(ms: number, before = 'Слишком много попыток'): AppError {
  const minutes = Math.max(1, Math.ceil(ms / 60_000));
  return new AppError('too_many_requests', {
    message: `${before}. Попробуйте снова через ${minutes} ${minuteForms[plural.select(minutes)] ?? 'минут'}`,
    retryAfter: Math.max(1, Math.ceil(ms / 1000)),
  });
}
