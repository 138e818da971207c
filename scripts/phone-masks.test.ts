import { readFileSync } from 'node:fs';
import { phoneMasks } from '@propusk/contract/reference/phone-masks';
import { type CountryCode, getExampleNumber } from 'libphonenumber-js/min';
import examples from 'libphonenumber-js/mobile/examples';
import { expect, it } from 'vitest';
import { FILE, maskModule } from './phone-masks.ts';

/** Puts digits in the places of a mask. @returns undefined when their number differs from that of the places */
function fill(mask: string, digits: string): string | undefined {
  const rest = digits.split('');
  const text = mask.replace(/#/g, () => rest.shift() ?? '#');
  return rest.length > 0 || text.includes('#') ? undefined : text;
}

it('the committed phone masks are those that the installed library gives', () => {
  expect(readFileSync(FILE, 'utf8')).toBe(maskModule());
});
it('at least 230 countries have a phone mask', () => {
  expect(Object.keys(phoneMasks).length).toBeGreaterThanOrEqual(230);
});
it.each(Object.entries(phoneMasks))(
  'the mask of %s accepts the example number of the country',
  (country, row) => {
    const example = getExampleNumber(country as CountryCode, examples);
    expect(row.mask.startsWith(`+${row.calling} `)).toBe(true);
    expect(example?.countryCallingCode).toBe(row.calling);
    expect(fill(row.mask, example?.nationalNumber ?? '')).toBe(example?.formatInternational());
  },
);
