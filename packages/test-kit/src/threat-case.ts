import { appendFileSync } from 'node:fs';

/**
 * Marks a test as a case of the threat model: it names the threat and counts the repelled attempts. With
 * `npm run soak`, which sets SOAK_ROWS to a file, each case makes many attempts and appends its figures to
 * the file as a line of JSON. With `npm test`, it makes few attempts and writes nothing. Vitest and
 * Playwright use it alike:
 *
 *   test('exactly one of many concurrent uses of a link succeeds', () =>
 *     threatCase('password link', 'concurrent uses: one succeeds', async (tally) => {
 *       const losers = await redeemAtOnce(quickOrSoak(20, 100));
 *       for (const one of losers) tally.see(one.status === 400, `a loser got ${one.status}`);
 *     }));
 *
 * Where each attempt is a test of its own, the file opens one case: `openThreatCase` at the top of the
 * file, `tally.watch(work)` in each test, and `afterAll(() => tally.close())`.
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
  'lost records',
  'database away',
  'disk full',
  'gateway SSRF, rebinding',
  'open proxy, smuggling',
  'revocation',
  'extension',
] as const;
export type Threat = (typeof threats)[number];

/** The result of a case, one line of the file. */
export interface Figures {
  readonly threat: Threat;
  readonly tried: number;
  readonly held: number;
  readonly missed: number;
  /** The attempts, and measurements on the way. */
  readonly note: string;
}

/** Counts the attempts of one case. */
export interface Tally {
  /** Records one attempt. @param otherwise describes the failure */
  see(held: boolean, otherwise: string): void;
  /** Records repelled attempts; a failure would have thrown before. */
  held(tries: number): void;
  /**
   * Runs attempts. They count as repelled when the work returns. When it throws, one counts as missed and
   * the error propagates.
   */
  watch<T>(work: () => Promise<T>, tries?: number): Promise<T>;
  /** Adds a measurement to the line: 'p99 12 ms'. */
  note(text: string): void;
  /** Writes the figures. @throws Error when an attempt was missed, or none was made */
  close(): void;
}

const file = process.env.SOAK_ROWS;

/**
 * Selects the small value in `npm test` and the large one in `npm run soak`: a number of attempts, or a
 * timeout.
 */
export function quickOrSoak<T>(quick: T, soak: T): T {
  return file === undefined ? quick : soak;
}

/** Runs a case and closes it. @throws Error from the work; or when an attempt was missed, or none was made */
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
      // Report the error of the work, which explains more than the tally.
    }
    throw error;
  }
  tally.close();
}

/** Opens a case whose attempts are spread over a file's tests. The file closes it after them. */
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
