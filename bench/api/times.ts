import { median } from '../harness/row.ts';

export interface Call {
  /** After `/api`. */
  readonly path: string;
  readonly token: string;
}

/**
 * Times calls one after another, in rounds over all of them. @param discarded the rounds before the measurement
 * @returns the p50 of each call, in ms
 */
export async function timeCalls(
  port: number,
  calls: readonly Call[],
  { discarded, rounds }: { discarded: number; rounds: number },
): Promise<number[]> {
  const times = calls.map((): number[] => []);
  for (let round = -discarded; round < rounds; round++) {
    for (const [i, { path, token }] of calls.entries()) {
      const begun = performance.now();
      const reply = await fetch(`http://127.0.0.1:${port}/api${path}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const text = await reply.text();
      if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${text}`);
      if (round >= 0) times[i]?.push(performance.now() - begun);
    }
  }
  return times.map(median);
}
