/**
 * Tests that repeat one assertion over sizes, colour schemes, screens or databases form four parts. `npm test` runs one part: it
 * sets TEST_PART to the number of commits mod 4, so that four commits in a row run all. Without TEST_PART every part runs: in
 * `npm run everything`, in `npm run soak`, and when you run a file by hand.
 */
const part = process.env.TEST_PART;

/** Whether this run includes the repetition at this index. */
export function isInTurn(index: number): boolean {
  return part === undefined || (index + Number(part)) % 4 === 0;
}

/** Selects the repetitions that this run includes. */
export function inTurn<T>(repeats: readonly T[]): T[] {
  return repeats.filter((_, index) => isInTurn(index));
}
