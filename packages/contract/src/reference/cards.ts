/** A payment system that the specification names. */
export type CardSystem =
  | 'mir'
  | 'mastercard'
  | 'visa'
  | 'amex'
  | 'maestro'
  | 'jcb'
  | 'discover'
  | 'unionpay'
  | 'dinersclub'
  | 'electron'
  | 'verve'
  | 'rupay'
  | 'uzcard'
  | 'humo';

type Range = readonly [system: CardSystem | undefined, from: string, to?: string];

/**
 * The ranges of issuer identification numbers, each as its first and last prefix. Both prefixes have the same length. Ranges of
 * one length do not overlap. Where a range with longer prefixes lies within a range with shorter ones, the longer prefixes win.
 * The comments below name the source of each range: [cct] is credit-card-type 10.3.0. [iin] is the table in
 * https://en.wikipedia.org/wiki/Payment_card_number, for ranges that no maintained package has.
 */
export const cardRanges: readonly Range[] = [
  // [cct]
  ['mir', '2200', '2204'],
  ['mastercard', '51', '55'],
  ['mastercard', '2221', '2720'],
  ['visa', '4'],
  ['amex', '34'],
  ['amex', '37'],
  ['dinersclub', '300', '305'],
  ['dinersclub', '36'],
  ['dinersclub', '38', '39'],
  ['jcb', '1800'],
  ['jcb', '2131'],
  ['jcb', '3528', '3589'],
  ['discover', '6011'],
  ['discover', '644', '649'],
  ['discover', '65'],
  // [cct] assigns the remaining prefixes that begin with 6 to Maestro. The ranges here have two digits, so that
  // cardSystem returns 'pending' for a single 6.
  ['maestro', '50'],
  ['maestro', '56', '61'],
  ['maestro', '63', '64'],
  ['maestro', '66', '69'],
  ['maestro', '493698'],
  // [cct] These ranges within the prefix 50 belong to Elo. The specification does not name Elo, so the ranges have no system.
  [undefined, '504175'],
  [undefined, '506699'],
  [undefined, '50670', '50676'],
  [undefined, '506770', '506778'],
  [undefined, '509'],
  // [iin] The whole prefix 62 belongs to UnionPay. [cct] assigns only parts of 62 to UnionPay, and the rest to Maestro.
  ['unionpay', '62'],
  // [cct]
  ['unionpay', '8100', '8171'],
  ['verve', '506099', '506127'],
  ['verve', '506129'],
  ['verve', '506133', '506150'],
  ['verve', '506158', '506163'],
  ['verve', '506166'],
  ['verve', '506168'],
  ['verve', '506170'],
  ['verve', '506173'],
  ['verve', '506176', '506180'],
  ['verve', '506184'],
  ['verve', '506187', '506188'],
  ['verve', '506191'],
  ['verve', '506195'],
  ['verve', '506197'],
  ['verve', '507865', '507866'],
  ['verve', '507868', '507877'],
  ['verve', '507880', '507888'],
  ['verve', '507900'],
  ['verve', '507941'],
  // [iin] Visa Electron.
  ['electron', '4026'],
  ['electron', '417500'],
  ['electron', '4508'],
  ['electron', '4844'],
  ['electron', '4913'],
  ['electron', '4917'],
  // The RuPay ranges are from lists of acquiring banks; no primary source confirms the ranges. No maintained package contains
  // RuPay, and the RuPay prefixes in [iin] (508, 60, 65, 81 and 82) include whole ranges of Discover and Maestro.
  ['rupay', '508500', '508999'],
  ['rupay', '606985', '607984'],
  ['rupay', '608001', '608500'],
  ['rupay', '652150', '653149'],
  ['rupay', '8172', '8201'],
  // [iin]
  ['uzcard', '8600'],
  ['uzcard', '5614'],
  ['humo', '9860'],
];

/**
 * Detects the payment system of a card number while the user types it. The longest matching prefix wins, so a later digit may
 * change the result: 4 is Visa, 4026 is Visa Electron. From the sixth digit on, the result is final. Card numbers are neither
 * stored nor sent.
 * @param digits the digits so far, without spaces
 * @returns 'pending' while no prefix matches but further digits may complete one; undefined when no system can match
 */
export function cardSystem(digits: string): CardSystem | 'pending' | undefined {
  if (!/^\d*$/.test(digits)) return undefined;
  let best: Range | undefined;
  let open = false;
  for (const range of cardRanges) {
    const [, from, to = from] = range;
    const length = Math.min(from.length, digits.length);
    const head = digits.slice(0, length);
    if (head < from.slice(0, length) || head > to.slice(0, length)) continue;
    if (length < from.length) open = true;
    else if (best === undefined || best[1].length < length) best = range;
  }
  if (best === undefined) return open ? 'pending' : undefined;
  return best[0];
}
