import { describe, expect, it } from 'vitest';
import { pauseLeft } from './password-request.ts';

describe('pauseLeft', () => {
  const sent = 1_800_000_000_000;
  it.each([
    [0, 60],
    [1, 60],
    [999, 60],
    [1_000, 59],
    [59_001, 1],
    [60_000, 0],
    [86_400_000, 0],
    // The clock was put back.
    [-1, 0],
    [-86_400_000, 0],
  ])('%i ms after the request: %i s', (passed, left) => {
    expect(pauseLeft(sent, sent + passed)).toBe(left);
  });
  it('is zero without an earlier request', () => {
    expect(pauseLeft(0, sent)).toBe(0);
  });
});
