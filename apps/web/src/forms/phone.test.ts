import { Phone } from '@propusk/contract/fields';
import fc from 'fast-check';
import { type CountryCode, getCountries, getExampleNumber, type PhoneNumber } from 'libphonenumber-js/min';
import examples from 'libphonenumber-js/mobile/examples';
import { describe, expect, it } from 'vitest';
import { placeCaret, readPhone } from './phone.ts';

const numbers = getCountries().map((country) => {
  const number = getExampleNumber(country, examples) as PhoneNumber;
  return [country, number.number, number] as const;
});

/** Types a text into the field, which shows after each key what `readPhone` made of the text so far. */
function type(text: string, home?: CountryCode) {
  return text.split('').reduce((shown, key) => readPhone(shown + key, home).text, '');
}

it('the library has an example number of at least 230 countries', () => {
  expect(numbers.length).toBeGreaterThanOrEqual(230);
});
describe.each(numbers)('the example number of %s, %s', (country, e164, number) => {
  it.each([
    ['with spaces', number.formatInternational()],
    ['as E.164', e164],
    ['after 00', `00 ${number.formatInternational().slice(1)}`],
  ])('readPhone reads the number pasted or typed %s', (_, text) => {
    expect(readPhone(text).e164).toBe(e164);
    expect(readPhone(type(text)).e164).toBe(e164);
    expect(Phone.safeParse(e164).success).toBe(true);
  });
  it('readPhone reads the national format of the home country', () => {
    expect(readPhone(number.formatNational(), country).e164).toBe(e164);
    expect(readPhone(type(number.formatNational(), country), country).e164).toBe(e164);
  });
});
it.each([
  '8 912 345-67-89',
  '8(912)345-67-89',
  '+7(912)3456789',
  '00 7 912 345 67 89',
  '79123456789',
  '9123456789',
  'tel:+7-912-345-67-89',
  '\u00a0+7\u00a0912\u2009345\u201167\u201189',
])('the Russian number %j is read when it is pasted or typed', (text) => {
  expect(readPhone(text).e164).toBe('+79123456789');
  expect(readPhone(type(text)).e164).toBe('+79123456789');
});
it.each([
  ['375 29 123 45 67', '+375291234567', 'BY'],
  ['8 10 1 212 555 1234', '+12125551234', 'US'],
  ['+44 (0)20 7946 0958', '+442079460958', 'GB'],
])('%j is read as a number of another country', (text, e164, country) => {
  expect(readPhone(text)).toMatchObject({ e164, country });
  expect(readPhone(type(text))).toMatchObject({ e164, country });
});
it.each([
  ['+7 912 345 67 8', '+7 912 345 67 8'],
  ['8 912 345-67-8', '8 (912) 345-67-8'],
  ['7912345678', '+7 912 345 67 8'],
  ['+7 912 345 67 899', '+7 91234567899'],
  ['+8 912 345 67 89', '+8 9123456789'],
  ['+7 912 345-67-89 #12', '+7 912345678912'],
])('the text of %j is kept, and the contract refuses it', (typed, text) => {
  expect(readPhone(typed)).toMatchObject({ text, e164: undefined });
  expect(Phone.safeParse(text).success).toBe(false);
});
it('an empty text, or one without digits, gives an empty text', () => {
  expect(['', ' ', 'abc'].map((text) => readPhone(text))).toEqual(
    Array.from({ length: 3 }, () => ({ text: '', e164: undefined, country: undefined })),
  );
});
it('readPhone keeps every typed digit, and the contract refuses an unfinished number', () => {
  const property = fc.property(fc.stringMatching(/^\+?[1-69]\d{0,17}$/), (typed) => {
    const { text, e164 } = readPhone(typed);
    expect(text.replace(/[^\d+]/g, '')).toBe(typed);
    if (e164 === undefined) expect(Phone.safeParse(text).success).toBe(false);
  });
  fc.assert(property, { numRuns: 2000 });
});
it.each([
  ['a digit typed at the end', '8 (912)3|', '8 (912) 3|'],
  ['a digit typed in the middle', '+7 9125| 345 67 8', '+7 912 5|34 56 78'],
  ['a digit deleted in the middle', '+7 9| 345 67 89', '+7 9|34 567 89'],
  ['a space deleted', '+7 912| 345', '+7 912| 345'],
  ['the bracket deleted at the end', '8 (912|', '8 (912|)'],
  ['00 that becomes a plus', '00|', '+|'],
  ['a plus that appears', '7|', '+7|'],
  ['everything deleted', '|', '|'],
])('the caret keeps its place after %s', (_, before, after) => {
  const raw = before.replace('|', '');
  const text = after.replace('|', '');
  expect(placeCaret(raw, before.indexOf('|'), text)).toBe(after.indexOf('|'));
});
