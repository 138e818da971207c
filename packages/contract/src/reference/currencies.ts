/** ISO 4217, as amended up to 2026: letter code, numeric code, digits after the decimal point. */
const rows = [
  ['RUB', '643', 2],
  ['USD', '840', 2],
  ['EUR', '978', 2],
  ['GBP', '826', 2],
  ['CNY', '156', 2],
  ['JPY', '392', 0],
  ['KZT', '398', 2],
  ['UAH', '980', 2],
  ['BYN', '933', 2],
  ['AMD', '051', 2],
  ['AZN', '944', 2],
  ['GEL', '981', 2],
  ['KGS', '417', 2],
  ['MDL', '498', 2],
  ['TJS', '972', 2],
  ['TMT', '934', 2],
  ['UZS', '860', 2],
  ['CHF', '756', 2],
  ['CZK', '203', 2],
  ['DKK', '208', 2],
  ['HUF', '348', 2],
  ['NOK', '578', 2],
  ['PLN', '985', 2],
  ['RON', '946', 2],
  ['RSD', '941', 2],
  ['SEK', '752', 2],
  ['TRY', '949', 2],
  ['AED', '784', 2],
  ['KWD', '414', 3],
  ['QAR', '634', 2],
  ['SAR', '682', 2],
  ['HKD', '344', 2],
  ['INR', '356', 2],
  ['KRW', '410', 0],
  ['SGD', '702', 2],
  ['THB', '764', 2],
  ['VND', '704', 0],
] as const;

/** The letter code of a currency, such as 'RUB'. */
export type Currency = (typeof rows)[number][0];

type Codes<Rows extends readonly (readonly [string, ...unknown[]])[]> = {
  readonly [Place in keyof Rows]: Rows[Place][0];
};

/** The 37 letter codes, in the order in which the console lists them. */
export const currencies = rows.map(([letters]) => letters) as unknown as Codes<typeof rows>;

/** Tells whether a text is the letter code, in capitals, of one of the 37 currencies. */
export function isCurrency(text: string): text is Currency {
  return rows.some(([letters]) => letters === text);
}

/** @returns the ISO 4217 numeric code: three digits, such as '643' or '051' */
export function numericCode(letters: Currency): string {
  return rowOf(letters)[1];
}

/**
 * @param digits three digits
 * @returns the letter code; undefined if no currency of the table has this numeric code
 */
export function currencyOfNumber(digits: string): Currency | undefined {
  return rows.find(([, number]) => number === digits)?.[0];
}

/** @returns the number of digits after the decimal point: 2 for 'RUB', because a rouble has 100 kopecks */
export function minorDigits(letters: Currency): 0 | 2 | 3 {
  return rowOf(letters)[2];
}

function rowOf(letters: Currency) {
  return rows.find(([code]) => code === letters) as (typeof rows)[number];
}
