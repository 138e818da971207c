import { appendFileSync } from 'node:fs';

/**
 * A test as a row of the table of threats: it says against what it tries something, and counts how often that was held.
 * `npm run soak` names a file in SOAK_ROWS: then the tries are many, and each row appends its figures there as a line of
 * JSON. Otherwise, as in `npm test`, they are few and nothing is written. Vitest and Playwright use it alike:
 *
 *   test('works for one of many at once', () =>
 *     threatCase('password link', 'redeemed at once: one wins', async (tally) => {
 *       const winners = await redeemAtOnce(quickOrSoak(20, 100));
 *       for (const one of losers) tally.see(one.status === 400, `a loser got ${one.status}`);
 *     }));
 *
 * Where the tries are tests of their own, the file opens one row: `openThreatCase` in the file's scope, `tally.watch(work)` in
 * each test, `afterAll(() => tally.close())`.
 */
export const threats = [
  'tenant isolation',
  'mass assignment',
  'last ADMIN and CREATOR',
  'brute force, enumeration',
  'tokens',
  'password link',
  'stored proxy secrets',
  'XSS, CSP, CORS',
  'bad input',
  'slow clients',
  'clients that never read',
  'blast radius',
  'growth',
  'host spellings',
  'races, double submit',
  'company delete',
  'kill -9',
  'database away',
  'disk full',
  'gateway SSRF, rebinding',
  'open proxy, smuggling',
  'revocation',
  'extension',
] as const;
export type Threat = (typeof threats)[number];

/** What a row has to show, one line of the file. */
export interface Figures {
  readonly threat: Threat;
  readonly tried: number;
  readonly held: number;
  readonly missed: number;
  /** What was tried, and what was measured on the way. */
  readonly note: string;
}

/** Counts the tries of one row. */
export interface Tally {
  /** A try that was judged. @param otherwise what a miss looks like, for whoever reads the failure */
  see(held: boolean, otherwise: string): void;
  /** Tries that were held, where a miss would have thrown before. */
  held(tries: number): void;
  /** Does the work of some tries: they are held when it returns, and missed (one of them) when it throws, which it does on. */
  watch<T>(work: () => Promise<T>, tries?: number): Promise<T>;
  /** Adds something measured to the line: 'p99 12 ms'. */
  note(text: string): void;
  /** Writes the figures. @throws Error when a try was missed, or there was none */
  close(): void;
}

const file = process.env.SOAK_ROWS;

/** What is small in `npm test` and large in `npm run soak`: a number of tries, a test's time in milliseconds. */
export function quickOrSoak<T>(quick: T, soak: T): T {
  return file === undefined ? quick : soak;
}

/** Runs what a row tries, and closes it. @throws Error what the work throws; when a try was missed, or there was none */
export async function threatCase(
  threat: Threat,
  what: string,
  work: (tally: Tally) => Promise<void>,
): Promise<void> {
  const tally = openThreatCase(threat, what);
  try {
    await work(tally);
  } catch (error) {
    tally.see(false, String(error));
    try {
      tally.close();
    } catch {
      // The error itself says more.
    }
    throw error;
  }
  tally.close();
}

/** A row whose tries are spread over a file's tests; the file closes it after all of them. */
export function openThreatCase(threat: Threat, what: string): Tally {
  const [misses, notes]: [string[], string[]] = [[], [what]];
  let held = 0;
  return {
    see(well, otherwise) {
      if (well) held++;
      else misses.push(otherwise);
    },
    held(tries) {
      held += tries;
    },
    async watch(work, tries = 1) {
      try {
        const result = await work();
        held += tries;
        return result;
      } catch (error) {
        misses.push(String(error));
        throw error;
      }
    },
    note: (text) => void notes.push(text),
    close() {
      const tried = held + misses.length;
      const figures: Figures = { threat, tried, held, missed: misses.length, note: notes.join('; ') };
      if (file !== undefined) appendFileSync(file, `${JSON.stringify(figures)}\n`);
      if (tried === 0) throw new Error(`${threat}: ${what}: nothing was tried`);
      if (misses.length > 0)
        throw new Error(`${threat}: ${misses.length} of ${tried} missed: ${misses.slice(0, 5).join(' | ')}`);
    },
  };
}
