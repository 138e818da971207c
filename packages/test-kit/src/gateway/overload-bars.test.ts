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

test('a measurement that holds at once is made once', async () => {
  expect(await caseOf('passes')).toEqual({ rounds: 1, failed: '' });
});
test('a stall of the machine in one round does not fail the case', async () => {
  expect(await caseOf('slow', 'passes')).toEqual({ rounds: 2, failed: '' });
});
test('an effect that repeats in every round fails the case', async () => {
  const { rounds, failed } = await caseOf('slow', 'slow', 'slow');
  expect(rounds).toBe(3);
  expect(failed).toContain('round 3 was slow');
});
test('a failure that is not one of time is never repeated', async () => {
  expect(await caseOf('fails', 'passes')).toEqual({
    rounds: 1,
    failed: expect.stringContaining('round 1 failed'),
  });
});
