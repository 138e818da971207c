import { code, number } from 'currency-codes';
import { expect, it } from 'vitest';
import { currencies, currencyOfNumber, isCurrency, minorDigits, numericCode } from './currencies.ts';

it('currencies holds 37 different letter codes and begins with the rouble', () => {
  expect(currencies.length).toBe(37);
  expect(new Set(currencies).size).toBe(37);
  expect(currencies[0]).toBe('RUB');
});
it.each(currencies)('the numeric code and minor digits of %s match ISO 4217', (letters) => {
  const standard = code(letters);
  expect(numericCode(letters)).toBe(standard?.number);
  expect(minorDigits(letters)).toBe(standard?.digits);
  expect(currencyOfNumber(numericCode(letters))).toBe(letters);
  expect(number(numericCode(letters))?.code).toBe(letters);
});
it('isCurrency and currencyOfNumber do not recognize unlisted codes', () => {
  expect(isCurrency('RUB')).toBe(true);
  expect(['rub', 'XXX', 'BGN', ''].filter(isCurrency)).toEqual([]);
  expect(['999', '51', '975', ''].map(currencyOfNumber)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
