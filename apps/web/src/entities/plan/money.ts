import type { Price } from '@propusk/contract/plans';
import { minorDigits } from '@propusk/contract/reference/currencies';

/** Formats a price in major units, without a fraction of zero: `1 490 ₽`. */
export function formatPrice({ amount, currency }: Price): string {
  const digits = minorDigits(currency);
  const minimumFractionDigits = amount % 10 ** digits === 0 ? 0 : digits;
  const format = {
    style: 'currency',
    currency,
    minimumFractionDigits,
    maximumFractionDigits: digits,
  } as const;
  return new Intl.NumberFormat('ru', format).format(amount / 10 ** digits);
}
