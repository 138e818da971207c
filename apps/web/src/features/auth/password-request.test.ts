import { describe, expect, it } from 'vitest';
import { pauseLeft } from './password-request.ts';

describe('the pause between two requests for a link', () => {
  const sent = 1_800_000_000_000;
  it.each([
    [0, 60],
    [1, 60],
    [999, 60],
    [1_000, 59],
    [59_001, 1],
    [60_000, 0],
    [86_400_000, 0],
    // The clock was set back after the request.
    [-1, 0],
    [-86_400_000, 0],
  ])('%i ms after a request for a link, the pause has %i s left', (passed, left) => {
    expect(pauseLeft(sent, sent + passed)).toBe(left);
  });
  it('without an earlier request for a link there is no pause', () => {
    expect(pauseLeft(0, sent)).toBe(0);
  });
});
