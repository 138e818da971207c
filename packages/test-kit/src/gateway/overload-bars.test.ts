import { expect, test } from 'vitest';
import { openThreatCase } from '../threat-case.ts';
import { measureAgain } from './overload-bars.ts';

/** Runs a case whose rounds pass, are slow or fail, as listed. @returns rounds run, and the failure if any */
async function caseOf(
  ...outcomes: ('passes' | 'slow' | 'fails')[]
): Promise<{ rounds: number; failed: string }> {
  const tally = openThreatCase('blast radius', 'a case');
  let rounds = 0;
  await measureAgain(tally, async (round) => {
    const outcome = outcomes[rounds++];
    round.see(outcome !== 'fails', `round ${rounds} failed`);
    round.slow(outcome !== 'slow', `round ${rounds} was slow`);
  });
  try {
    tally.close();
    return { rounds, failed: '' };
  } catch (error) {
    return { rounds, failed: String(error) };
  }
}

test('measureAgain runs a measurement once when every check passes', async () => {
  expect(await caseOf('passes')).toEqual({ rounds: 1, failed: '' });
});
test('measureAgain repeats a round whose only failures are slow checks, and passes when the next round is fast', async () => {
  expect(await caseOf('slow', 'passes')).toEqual({ rounds: 2, failed: '' });
});
test('measureAgain fails when every round is slow', async () => {
  const { rounds, failed } = await caseOf('slow', 'slow', 'slow');
  expect(rounds).toBe(3);
  expect(failed).toContain('round 3 was slow');
});
test('measureAgain does not repeat a round with a failure other than slowness', async () => {
  expect(await caseOf('fails', 'passes')).toEqual({
    rounds: 1,
    failed: expect.stringContaining('round 1 failed'),
  });
});
