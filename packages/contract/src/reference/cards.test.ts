import creditCardType from 'credit-card-type';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { type CardSystem, cardRanges, cardSystem } from './cards.ts';

/** Maps names of card systems in credit-card-type to the different names in the specification. */
const names: Record<string, string> = { 'american-express': 'amex', 'diners-club': 'dinersclub' };
/** Card systems in credit-card-type that the specification does not name. */
const unnamed = ['elo', 'troy', 'hiper', 'hipercard', 'naranja'];

/** The ranges for which cardSystem differs from credit-card-type, with the reason. */
const disagreements: readonly (readonly [ours: CardSystem, from: string, to: string, reason: string])[] = [
  ...['4026', '417500', '4508', '4844', '4913', '4917'].map(
    (prefix) => ['electron', prefix, prefix, 'it counts Visa Electron as Visa'] as const,
  ),
  ['rupay', '508500', '508999', 'it has no RuPay, and counts the range as Maestro'],
  ['rupay', '606985', '607984', 'it has no RuPay, and counts the range as Maestro'],
  ['rupay', '608001', '608500', 'it has no RuPay, and counts the range as Maestro'],
  ['rupay', '652150', '653149', 'it has no RuPay, and counts the range as Discover'],
  ['rupay', '8172', '8201', 'it has no RuPay'],
  ['uzcard', '8600', '8600', 'it has no Uzcard'],
  ['uzcard', '5614', '5614', 'it has no Uzcard, and counts the range as Maestro'],
  ['humo', '9860', '9860', 'it has no Humo'],
  ...[
    ['62183', '62183'],
    ['62198', '62199'],
    ['6271', '6271'],
    ['6273', '6275'],
    ['627780', '627780'],
    ['6278', '6281'],
    ['6290', '6290'],
    ['6293', '6299'],
  ].map(([from = '', to = '']) => ['unionpay', from, to, 'it counts an unlisted part as Maestro'] as const),
];

function compatible(digits: string, from: string, to: string): boolean {
  const length = Math.min(digits.length, from.length);
  const head = digits.slice(0, length);
  return head >= from.slice(0, length) && head <= to.slice(0, length);
}

/** Returns the systems that credit-card-type and the listed disagreements allow for a number with these first digits. */
function candidates(digits: string): string[] {
  const theirs = creditCardType(digits).map(({ type }) => names[type] ?? type);
  const listed = disagreements.filter(([, from, to]) => compatible(digits, from, to)).map(([ours]) => ours);
  const settled = disagreements.find(
    ([, from, to]) => digits.length >= from.length && compatible(digits, from, to),
  );
  return settled === undefined ? [...theirs, ...listed] : [settled[0]];
}

const inRange = ([from, to]: readonly [string, string]) =>
  fc.integer({ min: Number(from), max: Number(to) }).map(String);
const ourRanges = cardRanges.map(([, from, to = from]) => [from, to] as const);
const theirRanges = Object.values(creditCardType.types)
  .flatMap((type) => creditCardType.getTypeInfo(type).patterns)
  .map((pattern) => [pattern].flat().map(String))
  .map(([from = '', to = from]) => [from, to] as const);
const numbers = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(...ourRanges).chain(inRange),
      fc.constantFrom(...theirRanges).chain(inRange),
      fc.constant(''),
    ),
    fc.stringMatching(/^\d{19}$/),
    fc.integer({ min: 12, max: 19 }),
  )
  .map(([prefix, rest, length]) => (prefix + rest).slice(0, length));

beforeAll(() => {
  for (const type of unnamed) creditCardType.removeCard(type);
});

it('cardSystem and credit-card-type agree on card numbers, apart from the listed disagreements', () => {
  const property = fc.property(numbers, (number) => {
    expect(cardSystem(number)).toBe(candidates(number)[0]);
  });
  fc.assert(property, { numRuns: 2000 });
});
it.each(disagreements)('credit-card-type does not report %s for the range %s to %s: %s', (ours, from, to) => {
  for (const number of [from.padEnd(16, '0'), to.padEnd(16, '9')]) {
    expect(cardSystem(number)).toBe(ours);
    expect(creditCardType(number)[0]?.type).not.toBe(ours);
  }
});
it('cardSystem and credit-card-type agree on every prefix, apart from the listed disagreements', () => {
  const property = fc.property(numbers, (number) => {
    // No prefix in cardRanges or credit-card-type is longer than eight digits.
    for (let length = 1; length <= 8; length++) {
      const digits = number.slice(0, length);
      const allowed = candidates(digits);
      const ours = cardSystem(digits);
      if (ours === 'pending') expect(allowed).not.toEqual([]);
      else if (ours === undefined) expect(allowed).toEqual([]);
      else expect(allowed).toContain(ours);
    }
  });
  fc.assert(property, { numRuns: 2000 });
});
it.each([
  ['2', 'pending'],
  ['2200', 'mir'],
  ['2205', undefined],
  ['4', 'visa'],
  ['4026', 'electron'],
  ['6', 'pending'],
  ['9860', 'humo'],
  ['', 'pending'],
  ['0', undefined],
  ['4111 1', undefined],
])('the card system of the digits %j is %s', (digits, system) => {
  expect(cardSystem(digits)).toBe(system);
});
it('card ranges with prefixes of the same length do not overlap', () => {
  const wrong = ourRanges.filter(([from, to], place) => {
    const others = ourRanges.slice(place + 1).filter(([other]) => other.length === from.length);
    return from.length !== to.length || from > to || others.some(([low, high]) => low <= to && from <= high);
  });
  expect(wrong).toEqual([]);
});
it('cardSystem never returns pending for six digits', () => {
  expect(Math.max(...ourRanges.map(([from]) => from.length))).toBe(6);
  const heads = Array.from({ length: 10_000 }, (_, number) => String(number).padStart(4, '0'));
  const sixes = heads.flatMap((head) => [`${head}00`, `${head}99`]);
  expect(sixes.filter((digits) => cardSystem(digits) === 'pending')).toEqual([]);
});
