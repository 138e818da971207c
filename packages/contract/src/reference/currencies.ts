/** The letter codes of the product's 37 currencies (spec section 6). */
export const currencies = [
  ...(['RUB', 'USD', 'EUR', 'GBP', 'CNY', 'JPY', 'KZT', 'UAH', 'BYN', 'AMD', 'AZN', 'GEL', 'KGS'] as const),
  ...(['MDL', 'TJS', 'TMT', 'UZS', 'TRY', 'AED', 'SAR', 'ILS', 'INR', 'KRW', 'THB', 'VND', 'IDR'] as const),
  ...(['HKD', 'SGD', 'CHF', 'SEK', 'NOK', 'DKK', 'PLN', 'CZK', 'HUF', 'RSD', 'CAD'] as const),
] as const;
export type Currency = (typeof currencies)[number];

/** The digits after the decimal point of an amount. @returns 0, 2 or 3 */
export function minorDigits(letters: Currency): number {
  return ['JPY', 'KRW', 'VND'].includes(letters) ? 0 : 2;
}
